"""Statements that end a state or give it another value; names, numbers and the kind of statement tell facts apart."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.consolidation.facts import NOW, known_memories, state

from recollect.consolidation.consolidator import consolidate
from recollect.consolidation.similarity.state_changes import changes_value, ends, says_more
from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.domain.outcomes import changed_memories
from recollect.domain.policy import ConsolidationPolicy

POLICY = ConsolidationPolicy()


def a_memory(text: str, kind: Kind = Kind.DECISION, **changes: str) -> Memory:
    return state(text, 1, kind=kind, **changes).memory  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "statement", "is_ended"),
    [
        ("uses GraphQL for the API", "We're dropping GraphQL and going back to REST.", True),
        ("We run Jenkins on two machines.", "We moved off Jenkins last week.", True),
        ("usa GraphQL no projeto", "Abandonamos o GraphQL e voltamos para REST.", True),
        ("Tomo sertralina de manhã.", "Parei de tomar sertralina em maio.", True),
        ("drives a Clio", "I sold the Clio in March.", True),
        ("uses REST for the API", "We're dropping GraphQL and going back to REST.", False),
        ("Rui taught me GraphQL at school.", "We're dropping GraphQL.", False),
        ("uses GraphQL for the API", "GraphQL is slow today.", False),
        ("We dropped GraphQL.", "We dropped GraphQL.", False),
    ],
)
def test_a_statement_ends_the_state_whose_object_it_names(
    known: str, statement: str, *, is_ended: bool
) -> None:
    assert ends(a_memory(known), a_memory(statement)) is is_ended


@pytest.mark.parametrize(
    "statement", ["Rex died last week.", "We lost our dog Rex on Sunday.", "O Rex morreu ontem."]
)
def test_a_death_ends_the_pet_of_that_name_only(statement: str) -> None:
    rex = a_memory("dog: Rex", Kind.BIOGRAPHY, attribute="dog.name", value="Rex")
    tom = a_memory("cat: Tom", Kind.BIOGRAPHY, attribute="cat.name", value="Tom")
    died = a_memory(statement, Kind.EVENT)

    assert (ends(rex, died), ends(tom, died)) == (True, False)


@pytest.mark.parametrize(
    ("known", "statement", "is_changed"),
    [
        ("exam is on Friday (2026-11-20)", "exam is on Saturday (2026-11-21)", True),
        ("My rent is 890 euros.", "My rent is 950 euros now.", True),
        ("A reunião é na sexta.", "A reunião é no sábado.", True),
        ("exam is on Friday (2026-11-20)", "concert is on Saturday (2026-11-21)", False),
        ("met Ana on Friday", "met Ana on Saturday", False),
        ("My rent is 890 euros.", "My rent is too high.", False),
        ("Theo is nine years and 4 months.", "Felix is nine years and 6 months.", False),
    ],
)
def test_only_numbers_and_days_of_one_statement_may_differ(
    known: str, statement: str, *, is_changed: bool
) -> None:
    assert changes_value(a_memory(known), a_memory(statement)) is is_changed


@pytest.mark.parametrize(
    ("retraction", "retracted", "says"),
    [
        ("I'm not vegetarian any more, I eat fish.", "is vegetarian", True),
        ("Não sou mais vegetariana, agora como peixe.", "é vegetariana", True),
        ("is not vegetarian any more", "is vegetarian", False),
        ("I don't live in Lisbon any more.", "lives in Lisbon", False),
    ],
)
def test_a_retraction_may_state_something_else(retraction: str, retracted: str, *, says: bool) -> None:
    assert says_more(retraction, retracted) is says


def test_the_old_diet_ends_and_the_new_statement_stays() -> None:
    old = state("is vegetarian", 1, kind=Kind.PREFERENCE, attribute="diet", value="vegetarian")
    new = state(
        "I'm not vegetarian any more, I eat fish.",
        2,
        kind=Kind.PREFERENCE,
        attribute="diet",
        value="vegetarian",
        negated=True,
    )

    outcomes = consolidate([old, new], known_memories(), POLICY, forgotten_at={}, now=NOW)

    by_text = {memory.text: memory for outcome in outcomes for memory in changed_memories(outcome)}
    assert by_text["is vegetarian"].status is MemoryStatus.SUPERSEDED
    assert by_text["is vegetarian"].valid_to == new.memory.last_stated_at
    assert by_text[new.memory.text].status is MemoryStatus.ACTIVE


def test_a_cat_called_and_a_cat_named_tom_are_one_memory() -> None:
    facts = [state(f"has a cat {word} Tom", hour) for hour, word in ((1, "called"), (2, "named"))]

    outcomes = consolidate(facts, known_memories(), POLICY, forgotten_at={}, now=NOW)

    assert len({memory.id for outcome in outcomes for memory in changed_memories(outcome)}) == 1


CHANGES = (
    ("uses GraphQL for the API", "We're dropping GraphQL."),
    ("exam is on Friday", "exam is on Saturday"),
    ("My rent is 890 euros.", "My rent is 950 euros."),
    ("usa Jenkins no projeto", "Abandonamos o Jenkins."),
)


@given(change=st.sampled_from(CHANGES), order=st.sampled_from(list(permutations((0, 1)))))
def test_the_state_that_ended_is_history_in_whatever_order_it_is_learned(
    change: tuple[str, str], order: tuple[int, int]
) -> None:
    facts = [state(text, hour, kind=Kind.DECISION) for hour, text in enumerate(change, start=1)]

    outcomes = consolidate(
        [facts[index] for index in order], known_memories(), POLICY, forgotten_at={}, now=NOW
    )

    statuses = {memory.text: memory.status for outcome in outcomes for memory in changed_memories(outcome)}
    assert statuses == {change[0]: MemoryStatus.SUPERSEDED, change[1]: MemoryStatus.ACTIVE}


@given(st.tuples(*(st.sampled_from(("Tom", "Tim", "Ana", "Rui")) for _ in range(2))))
def test_names_tell_facts_apart(names: tuple[str, str]) -> None:
    facts = [state(f"has a cat called {name}", hour) for hour, name in enumerate(names, start=1)]

    outcomes = consolidate(facts, known_memories(), POLICY, forgotten_at={}, now=NOW)

    assert len({m.id for outcome in outcomes for m in changed_memories(outcome)}) == len(set(names))
