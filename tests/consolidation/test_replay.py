"""Replay recomputes memories from stated facts: tables of facts and resulting memories, without a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.consolidation.facts import NOW, a_memory, a_said_message, at_hour, known_memories, state

from recollect.consolidation.consolidator import consolidate
from recollect.consolidation.replay import (
    MemoryDiff,
    ReplaySet,
    ReplaySources,
    build_replay_set,
    diff_memories,
    neighbours,
    replay,
)
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.extraction import Extraction, Fact
from recollect.domain.memory import ChangeKind, Kind, Memory, MemoryStatus, Origin, SourceSpan, fact_hash
from recollect.domain.outcomes import changed_memories
from recollect.domain.policy import ConsolidationPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.testing.clock import CountingIds

POLICY = ConsolidationPolicy()


def no_vectors(one: str, other: str) -> None:
    return None


def replay_texts(
    facts: Sequence[StatedFact],
    *,
    initial: Sequence[Memory] = (),
    forgotten_hours: Mapping[str, int] | None = None,
) -> list[tuple[str, str, int]]:
    """Return text, status and number of statements of the memories after a replay."""
    memories = replay(
        initial,
        facts,
        forgotten_at={fact_hash(text): at_hour(hour) for text, hour in (forgotten_hours or {}).items()},
        similarity=no_vectors,
        policy=POLICY,
        now=NOW,
    )
    return sorted((memory.text, memory.status.value, memory.times_stated) for memory in memories)


def live_in(city: str, hour: int) -> StatedFact:
    return state(f"lives in {city}", hour, attribute="lives_in", value=city)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    facts: tuple[StatedFact, ...]
    result: list[tuple[str, str, int]]
    initial: tuple[Memory, ...] = ()
    forgotten_hours: Mapping[str, int] = field(default_factory=dict)


CASES = {
    "one fact": Case(facts=(live_in("Lisbon", 1),), result=[("lives in Lisbon", "active", 1)]),
    "a later value supersedes": Case(
        facts=(live_in("Lisbon", 1), live_in("Porto", 2)),
        result=[("lives in Lisbon", "superseded", 1), ("lives in Porto", "active", 1)],
    ),
    "a value that returns is active again": Case(
        facts=(live_in("Lisbon", 1), live_in("Porto", 2), live_in("Lisbon", 3)),
        result=[
            ("lives in Lisbon", "active", 1),
            ("lives in Lisbon", "superseded", 1),
            ("lives in Porto", "superseded", 1),
        ],
    ),
    "a repeated statement reinforces": Case(
        facts=(live_in("Lisbon", 1), live_in("Lisbon", 2)), result=[("lives in Lisbon", "active", 2)]
    ),
    "the copy of a message in a branched chat counts once": Case(
        facts=(
            live_in("Lisbon", 1),
            replace(
                live_in("Lisbon", 1),
                memory=replace(
                    live_in("Lisbon", 1).memory,
                    id="copy",
                    spans=(SourceSpan(message_id="copy", start=0, end=15),),
                ),
            ),
        ),
        result=[("lives in Lisbon", "active", 1)],
    ),
    "a forgotten fact is not replayed": Case(
        facts=(live_in("Lisbon", 1),), forgotten_hours={"lives in Lisbon": 2}, result=[]
    ),
    "a fact stated after it was forgotten is replayed": Case(
        facts=(live_in("Lisbon", 1), live_in("Lisbon", 3)),
        forgotten_hours={"lives in Lisbon": 2},
        result=[("lives in Lisbon", "active", 1)],
    ),
    "a memory of the user is superseded by a later fact": Case(
        initial=(
            a_memory("lives in Faro", 1, attribute="lives_in", value="Faro", origin=Origin.MANUAL, spans=()),
        ),
        facts=(live_in("Porto", 2),),
        result=[("lives in Faro", "superseded", 1), ("lives in Porto", "active", 1)],
    ),
    "a memory of the user outlives an earlier fact": Case(
        initial=(
            a_memory("lives in Faro", 3, attribute="lives_in", value="Faro", origin=Origin.MANUAL, spans=()),
        ),
        facts=(live_in("Porto", 2),),
        result=[("lives in Faro", "active", 1), ("lives in Porto", "superseded", 1)],
    ),
    "a fact of an archived memory is not learned again": Case(
        initial=(
            replace(
                live_in("Lisbon", 1).memory, status=MemoryStatus.ARCHIVED, reason=Reason(ReasonCode.BY_USER)
            ),
        ),
        facts=(live_in("Lisbon", 1),),
        result=[("lives in Lisbon", "archived", 1)],
    ),
    "a permanent attribute with two values is contested": Case(
        facts=(
            state("is called Ana", 1, attribute="name", value="Ana"),
            state("is called Bia", 2, attribute="name", value="Bia"),
        ),
        result=[("is called Ana", "active", 1), ("is called Bia", "contested", 1)],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_facts_replay_to_these_memories(case: Case) -> None:
    result = replay_texts(case.facts, initial=case.initial, forgotten_hours=case.forgotten_hours)

    assert result == case.result


STATEMENTS = (
    ("lives in Lisbon", "lives_in", "Lisbon"),
    ("lives in Porto", "lives_in", "Porto"),
    ("lives in Braga", "lives_in", "Braga"),
    ("is called Ana", "name", "Ana"),
    ("is called Bia", "name", "Bia"),
    ("has a dog", None, None),
)


@given(st.lists(st.sampled_from(STATEMENTS), max_size=8))
def test_a_replay_in_order_equals_consolidation_in_order(
    statements: list[tuple[str, str | None, str | None]],
) -> None:
    facts = [
        state(text, hour, attribute=attribute, value=value)
        for hour, (text, attribute, value) in enumerate(statements)
    ]
    known = known_memories()
    for fact in facts:
        [outcome] = consolidate([fact], known, POLICY, forgotten_at={}, now=NOW)
        known = known.after(outcome)
    replayed = replay([], facts, forgotten_at={}, similarity=no_vectors, policy=POLICY, now=NOW)

    assert {m.id: replace(m, version=1) for m in known.memories.values()} == {m.id: m for m in replayed}


LISBON, PORTO = live_in("Lisbon", 1), live_in("Porto", 2)


def extraction_of(*facts: StatedFact) -> Extraction:
    return Extraction(
        importance=50,
        facts=tuple(
            Fact(
                text=fact.memory.text,
                kind=fact.memory.kind,
                weight=fact.memory.weight,
                start=fact.memory.spans[0].start,
                end=fact.memory.spans[0].end,
                attribute=fact.memory.attribute,
                value=fact.memory.value,
                negated=fact.negated,
            )
            for fact in facts
        ),
    )


def build(
    members: Sequence[Memory],
    sources: ReplaySources,
    *,
    new_facts: Sequence[StatedFact] = (),
    excluded: frozenset[str] = frozenset(),
) -> ReplaySet:
    return build_replay_set(
        members, new_facts, sources, excluded_messages=excluded, new_id=CountingIds().new, now=NOW
    )


SOURCES = ReplaySources(
    messages=[a_said_message(1), a_said_message(2)],
    extractions={"m1": extraction_of(LISBON), "m2": extraction_of(PORTO)},
    changes={},
)


def test_a_replay_set_has_the_facts_that_its_memories_were_learned_from() -> None:
    replay_set = build([PORTO.memory, LISBON.memory], SOURCES)

    assert replay_set == ReplaySet(
        members=(PORTO.memory, LISBON.memory),
        stated_facts=(
            replace(LISBON, memory=replace(LISBON.memory, id="id000001")),
            replace(PORTO, memory=replace(PORTO.memory, id="id000002")),
        ),
        derived_ids=frozenset({LISBON.memory.id, PORTO.memory.id}),
    )


def test_facts_of_excluded_messages_are_not_replayed() -> None:
    replay_set = build([PORTO.memory, LISBON.memory], SOURCES, excluded=frozenset({"m2"}))

    assert [fact.memory.text for fact in replay_set.stated_facts] == ["lives in Lisbon"]


def test_a_new_fact_takes_its_place_among_the_messages() -> None:
    late = live_in("Faro", 1)
    sources = replace(SOURCES, extractions={"m2": extraction_of(PORTO)})

    replay_set = build([PORTO.memory], sources, new_facts=[late])

    assert [fact.memory.text for fact in replay_set.stated_facts] == ["lives in Faro", "lives in Porto"]


@pytest.mark.parametrize(
    ("memory", "changes", "is_user_owned"),
    [
        (LISBON.memory, {}, False),
        (replace(LISBON.memory, origin=Origin.MANUAL), {}, True),
        (replace(LISBON.memory, origin=Origin.IMPORT), {}, True),
        (replace(LISBON.memory, pinned=True), {}, True),
        (LISBON.memory, {LISBON.memory.id: {ChangeKind.ADD, ChangeKind.UPDATE}}, True),
        (LISBON.memory, {LISBON.memory.id: {ChangeKind.ADD, ChangeKind.RESTORE}}, True),
        (LISBON.memory, {LISBON.memory.id: {ChangeKind.ADD, ChangeKind.REINFORCE}}, False),
    ],
)
def test_a_memory_that_the_user_changed_is_kept_and_not_recomputed(
    memory: Memory, changes: Mapping[str, set[ChangeKind]], is_user_owned: bool
) -> None:
    replay_set = build([memory], replace(SOURCES, changes=changes))

    assert (memory.id in replay_set.user_owned_ids, memory.id in replay_set.derived_ids) == (
        is_user_owned,
        not is_user_owned,
    )


def test_a_memory_from_a_message_without_a_stored_extraction_is_not_recomputed() -> None:
    replay_set = build([LISBON.memory], replace(SOURCES, extractions={}))

    assert (replay_set.derived_ids, replay_set.stated_facts) == (frozenset(), ())
    assert replay_set.without_messages(frozenset({"m2"})) == [LISBON.memory]
    assert replay_set.without_messages(frozenset({"m1"})) == []


@pytest.mark.parametrize(
    ("memory", "cosine", "is_neighbour"),
    [
        (a_memory("likes green tea", 1, kind=Kind.PREFERENCE), 0.95, True),
        (a_memory("likes green tea", 1, kind=Kind.PREFERENCE), None, False),
        (a_memory("likes green tea", 1, kind=Kind.PREFERENCE, status=MemoryStatus.SUPERSEDED), 0.95, True),
        (a_memory("likes green tea", 1, kind=Kind.PREFERENCE, status=MemoryStatus.ARCHIVED), 0.95, False),
        (a_memory("has a dog", 1), 0.2, False),
    ],
)
def test_memories_that_can_affect_a_fact_are_neighbours(
    memory: Memory, cosine: float | None, is_neighbour: bool
) -> None:
    fact = state("likes green tea with milk", 2, kind=Kind.PREFERENCE)

    members = neighbours([LISBON.memory], [(memory, fact.memory, cosine)], POLICY)

    assert members == [LISBON.memory, *([memory] if is_neighbour else [])]


def test_an_unchanged_memory_keeps_its_id_and_version() -> None:
    before = replace(LISBON.memory, id="old", version=3)

    assert diff_memories([before], [LISBON.memory]) == MemoryDiff(to_delete=(), to_update=(), to_add=())


def test_a_diff_maps_successors_to_the_ids_that_remain() -> None:
    lisbon = replace(LISBON.memory, id="old", version=2)
    superseded = replace(
        LISBON.memory, status=MemoryStatus.SUPERSEDED, superseded_by=PORTO.memory.id, valid_to=at_hour(2)
    )

    assert diff_memories([lisbon], [superseded, PORTO.memory]) == MemoryDiff(
        to_delete=(), to_update=(replace(superseded, id="old", version=2),), to_add=(PORTO.memory,)
    )


def test_deleting_the_later_message_restores_the_earlier_memory() -> None:
    known = known_memories(LISBON.memory)
    [outcome] = consolidate([PORTO], known, POLICY, forgotten_at={}, now=NOW)
    stored = list(known.after(outcome).memories.values())
    replay_set = build(stored, SOURCES, excluded=frozenset({"m2"}))

    after = replay(
        replay_set.without_messages(frozenset({"m2"})),
        replay_set.stated_facts,
        forgotten_at={},
        similarity=no_vectors,
        policy=POLICY,
        now=NOW,
    )
    diff = diff_memories(stored, after)

    assert diff == MemoryDiff(
        to_delete=(PORTO.memory,), to_update=(replace(LISBON.memory, version=2),), to_add=()
    )
    assert [memory.text for memory in changed_memories(outcome)] == ["lives in Lisbon", "lives in Porto"]
