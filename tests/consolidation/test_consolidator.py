"""Consolidation folds facts into what is known: tables of facts, known memories and outcomes, without a store."""

from dataclasses import dataclass, field, replace

import pytest
from tests.consolidation.facts import NOW, a_memory, at_hour, known_memories, state, summarize

from recollect.consolidation.consolidator import FORGOTTEN_REASON, LEARNED_ALREADY_REASON, consolidate
from recollect.consolidation.known_memories import MAX_RECENT_OF_KIND, KnownMemories
from recollect.consolidation.reconciliation import REPEATED_REASON
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.memory import Kind, Memory, MemoryStatus, SourceSpan, fact_hash
from recollect.domain.message import Role
from recollect.domain.outcomes import Conflicting, FactOutcome, New, Reinforced, Rejected, Superseded
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.reason import Reason, ReasonCode

POLICY = ConsolidationPolicy()


def fold(*facts: StatedFact, known: KnownMemories) -> list[FactOutcome]:
    return consolidate(facts, known, POLICY, forgotten_at={}, now=NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    known: tuple[Memory, ...] = ()
    facts: tuple[StatedFact, ...]
    outcomes: tuple[tuple[str, ...], ...]
    cosines: dict[str, list[tuple[str, float]]] = field(default_factory=dict)  #: by id of the new memory


LISBON = a_memory("lives in Lisbon", 1, attribute="lives_in", value="Lisbon")
TEA = a_memory("loves green tea", 1, kind=Kind.PREFERENCE)
CASES = {
    "an unknown fact is new": Case(
        facts=(state("has a dog", 2),), outcomes=(("new", "active", "has a dog"),)
    ),
    "an equal text reinforces": Case(
        known=(TEA,),
        facts=(state("Loves green tea.", 2, kind=Kind.PREFERENCE),),
        outcomes=(("reinforced", "loves green tea", "2"),),
    ),
    "another value of an attribute supersedes": Case(
        known=(LISBON,),
        facts=(state("lives in Porto", 2, attribute="lives_in", value="Porto"),),
        outcomes=(("superseded", "lives in Lisbon", "lives in Porto"),),
    ),
    "the same value of an attribute reinforces": Case(
        known=(LISBON,),
        facts=(state("now lives in Lisbon", 2, attribute="lives_in", value="lisbon"),),
        outcomes=(("reinforced", "lives in Lisbon", "2"),),
    ),
    "a value stated before the known one becomes history": Case(
        known=(replace(LISBON, last_stated_at=at_hour(9)),),
        facts=(state("lives in Porto", 2, attribute="lives_in", value="Porto"),),
        outcomes=(("new", "superseded", "lives in Porto"),),
    ),
    "another value of a permanent attribute conflicts": Case(
        known=(a_memory("is called Ana", 1, attribute="name", value="Ana"),),
        facts=(state("is called Bia", 2, attribute="name", value="Bia"),),
        outcomes=(("conflicting", "is called Bia", "is called Ana"),),
    ),
    "a negated value of an attribute ends it": Case(
        known=(LISBON,),
        facts=(state("no longer lives in Lisbon", 2, attribute="lives_in", value="Lisbon", negated=True),),
        outcomes=(("superseded", "lives in Lisbon", "-"),),
    ),
    "a negated other value of an attribute is new": Case(
        known=(LISBON,),
        facts=(state("does not live in Faro", 2, attribute="lives_in", value="Faro", negated=True),),
        outcomes=(("new", "active", "does not live in Faro"),),
    ),
    "a retraction supersedes a similar memory": Case(
        known=(TEA,),
        facts=(state("doesn't love tea any more", 2, kind=Kind.PREFERENCE, negated=True),),
        outcomes=(("superseded", "loves green tea", "doesn't love tea any more"),),
    ),
    "an event fulfils a goal": Case(
        known=(a_memory("wants to run the Lisbon marathon", 1, kind=Kind.GOAL),),
        facts=(state("ran the Lisbon marathon", 2, kind=Kind.EVENT),),
        outcomes=(("superseded", "wants to run the Lisbon marathon", "ran the Lisbon marathon"),),
    ),
    "near vectors merge a statement that only adds words": Case(
        known=(TEA,),
        facts=(state("loves green tea with milk", 2, kind=Kind.PREFERENCE),),
        cosines={"loves green tea with milk@2": [(TEA.id, 0.95)]},
        outcomes=(("reinforced", "loves green tea with milk", "2"),),
    ),
    "without near vectors a statement that adds words is new": Case(
        known=(TEA,),
        facts=(state("loves green tea with milk", 2, kind=Kind.PREFERENCE),),
        outcomes=(("new", "active", "loves green tea with milk"),),
    ),
    "near vectors do not merge opposites": Case(
        known=(a_memory("likes dogs", 1, kind=Kind.PREFERENCE),),
        facts=(state("likes cats", 2, kind=Kind.PREFERENCE),),
        cosines={"likes cats@2": [("likes dogs@1", 0.99)]},
        outcomes=(("new", "active", "likes cats"),),
    ),
    "the assistant's repetition of a memory is rejected": Case(
        known=(TEA,),
        facts=(state("loves green tea", 2, kind=Kind.PREFERENCE, role=Role.ASSISTANT),),
        outcomes=(("rejected", "loves green tea", "loves green tea"),),
    ),
    "superseded memories are not compared": Case(
        known=(replace(LISBON, status=MemoryStatus.SUPERSEDED),),
        facts=(state("lives in Lisbon", 2, attribute="lives_in", value="Lisbon"),),
        outcomes=(("new", "active", "lives in Lisbon"),),
    ),
    "each fact is compared with what the ones before it did": Case(
        known=(LISBON,),
        facts=(
            state("lives in Porto", 2, attribute="lives_in", value="Porto"),
            state("lives in Braga", 2, attribute="lives_in", value="Braga", start=20),
            state("loves jazz", 2, kind=Kind.PREFERENCE, start=40),
            state("loves jazz", 2, kind=Kind.PREFERENCE, start=60),
        ),
        outcomes=(
            ("superseded", "lives in Lisbon", "lives in Porto"),
            ("superseded", "lives in Porto", "lives in Braga"),
            ("new", "active", "loves jazz"),
            ("reinforced", "loves jazz", "2"),
        ),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_facts_have_these_outcomes(case: Case) -> None:
    known = known_memories(*case.known, nearest=case.cosines)

    outcomes = consolidate(case.facts, known, POLICY, forgotten_at={}, now=NOW)

    assert tuple(map(summarize, outcomes)) == case.outcomes


def test_a_superseded_memory_keeps_its_content_and_gets_an_end_and_a_successor() -> None:
    porto = state("lives in Porto", 2, attribute="lives_in", value="Porto")

    outcomes = fold(porto, known=known_memories(LISBON))

    assert outcomes == [
        Superseded(
            memory=porto.memory,
            old=replace(
                LISBON,
                status=MemoryStatus.SUPERSEDED,
                superseded_by=porto.memory.id,
                valid_to=at_hour(2),
                updated_at=NOW,
                reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": "lives in Porto"}),
                version=2,
            ),
        )
    ]


def test_a_reinforced_memory_has_both_sources_and_its_next_version() -> None:
    again = state("loves green tea", 2, kind=Kind.PREFERENCE)
    stored = replace(TEA, version=4)

    [outcome] = fold(again, known=known_memories(stored))

    assert outcome == Reinforced(
        memory=replace(
            stored,
            last_stated_at=at_hour(2),
            updated_at=NOW,
            times_stated=2,
            spans=(*TEA.spans, *again.memory.spans),
            version=5,
        )
    )


def test_a_memory_changed_twice_by_one_message_counts_two_versions() -> None:
    facts = [state("loves green tea", 2, kind=Kind.PREFERENCE, start=start) for start in (0, 20)]

    outcomes = fold(*facts, known=known_memories(TEA))

    assert [outcome.memory.version for outcome in outcomes if isinstance(outcome, Reinforced)] == [2, 3]


def test_a_conflict_leaves_the_known_memory_as_it_is() -> None:
    ana = a_memory("is called Ana", 1, attribute="name", value="Ana")
    bia = state("is called Bia", 2, attribute="name", value="Bia")

    [outcome] = fold(bia, known=known_memories(ana))

    assert outcome == Conflicting(
        memory=replace(
            bia.memory,
            status=MemoryStatus.CONTESTED,
            reason=Reason(ReasonCode.CONTRADICTS, {"text": "is called Ana"}),
        ),
        against=ana,
    )


def test_a_fact_is_learned_once_from_the_same_text() -> None:
    fact = state("loves green tea", 1, kind=Kind.PREFERENCE)

    assert fold(fact, known=known_memories(TEA)) == [
        Rejected(text="loves green tea", reason=LEARNED_ALREADY_REASON, memory=TEA)
    ]


@pytest.mark.parametrize(
    ("status", "span", "is_known"),
    [
        (MemoryStatus.FORGOTTEN, (0, 15), True),
        (MemoryStatus.SUPERSEDED, (0, 15), True),
        (MemoryStatus.ACTIVE, (3, 15), False),
    ],
)
def test_a_fact_learned_from_the_same_text_is_known_whatever_its_status(
    status: MemoryStatus, span: tuple[int, int], is_known: bool
) -> None:
    stored = replace(LISBON, status=status, spans=(SourceSpan(message_id="m1", start=span[0], end=span[1]),))
    fact = state("lives in Lisbon", 1, attribute="lives_in", value="Lisbon")

    [outcome] = fold(fact, known=known_memories(stored))

    assert isinstance(outcome, Rejected) is is_known


def test_the_assistants_repetition_names_the_memory() -> None:
    fact = state("loves green tea", 2, kind=Kind.PREFERENCE, role=Role.ASSISTANT)

    assert fold(fact, known=known_memories(TEA)) == [
        Rejected(text="loves green tea", reason=REPEATED_REASON, memory=TEA)
    ]


@pytest.mark.parametrize(("forgotten_hour", "is_rejected"), [(1, False), (2, True), (3, True)])
def test_a_forgotten_fact_is_learned_only_if_it_was_stated_later(
    forgotten_hour: int, is_rejected: bool
) -> None:
    fact = state("has a dog", 2)

    [outcome] = consolidate(
        [fact],
        known_memories(),
        POLICY,
        forgotten_at={fact_hash("has a dog"): at_hour(forgotten_hour)},
        now=NOW,
    )

    expected = Rejected(text="has a dog", reason=FORGOTTEN_REASON) if is_rejected else New(memory=fact.memory)
    assert outcome == expected


def test_a_rewritten_memory_is_compared_by_words_only_until_it_has_a_vector() -> None:
    milk = state("loves green tea with milk", 2, kind=Kind.PREFERENCE)
    honey = state("loves green tea with milk and honey", 2, kind=Kind.PREFERENCE, start=40)
    near = {milk.memory.id: [(TEA.id, 0.95)], honey.memory.id: [(TEA.id, 0.95)]}

    outcomes = fold(milk, honey, known=known_memories(TEA, nearest=near))

    assert [summarize(outcome)[0] for outcome in outcomes] == ["reinforced", "new"]


def test_the_nearest_memories_are_counted_without_those_superseded_by_the_same_message() -> None:
    policy = ConsolidationPolicy(compared_memories=1)
    porto = state("lives in Porto", 2, attribute="lives_in", value="Porto")
    milk = state("loves green tea with milk", 2, kind=Kind.PREFERENCE, start=40)
    near = {milk.memory.id: [(LISBON.id, 0.96), (TEA.id, 0.95)]}

    outcomes = consolidate(
        [porto, milk], known_memories(LISBON, TEA, nearest=near), policy, forgotten_at={}, now=NOW
    )

    assert [summarize(outcome)[0] for outcome in outcomes] == ["superseded", "reinforced"]


def test_only_the_newest_memories_of_a_kind_are_compared_by_words() -> None:
    newer = [a_memory(f"likes food number {n}", 10 + n, kind=Kind.PREFERENCE) for n in range(99)]
    fact = state("loves green tea!!", 500, kind=Kind.PREFERENCE)
    fact = replace(fact, memory=replace(fact.memory, text="the user loves green tea"))

    compared = fold(fact, known=known_memories(TEA, *newer))
    crowded_out = fold(
        fact, known=known_memories(TEA, *newer, a_memory("likes soup", 200, kind=Kind.PREFERENCE))
    )

    assert len(newer) + 1 == MAX_RECENT_OF_KIND
    assert [summarize(each[0])[0] for each in (compared, crowded_out)] == ["reinforced", "new"]


def test_known_memories_are_not_modified() -> None:
    known = known_memories(LISBON, TEA)

    fold(state("lives in Porto", 2, attribute="lives_in", value="Porto"), known=known)

    assert known == known_memories(LISBON, TEA)
