"""One fact, one item: what is folded, and what only looks alike."""

import pytest
from tests.retrieval.examples import a_candidate, a_fact, a_scored_candidate
from tests.retrieval.test_provenance import a_memory

from recollect.domain.candidate import ChatPosition, ScoredCandidate
from recollect.domain.message import Role
from recollect.domain.reason import ReasonCode
from recollect.retrieval.repeats import fold_repeats
from recollect.retrieval.selection import SelectedCandidates


def a_message(text: str, place: int, *, by: Role = Role.USER, relevance: float = 0.5) -> ScoredCandidate:
    candidate = a_candidate(text, id=f"m{place}", role=by, position=ChatPosition(place, place - 1, place + 1))
    return ScoredCandidate(candidate=candidate, score=0.5, parts={"relevance": relevance})


def fold(*candidates: ScoredCandidate, sources: dict[str, str] | None = None) -> dict[str, str]:
    """Return what each item is folded into, by its text."""
    memories = [
        a_memory(text, message=message, is_superseded=False) for text, message in (sources or {}).items()
    ]
    folded = fold_repeats(SelectedCandidates(candidates=candidates), memories)
    assert len(folded.candidates) + len(folded.rejections) == len(candidates)
    for each in folded.rejections:
        assert each.reason.code is ReasonCode.SAYS_THE_SAME
    return {each.scored.candidate.text: str(each.reason.params["id"]) for each in folded.rejections}


def test_a_memory_that_covers_its_message_replaces_it() -> None:
    message = a_message("Agreed. I love slow Scandinavian novels.", 1)
    memory = a_scored_candidate(a_fact("loves slow Scandinavian novels"))

    assert fold(message, memory, sources={"loves slow Scandinavian novels": "m1"}) == {
        "Agreed. I love slow Scandinavian novels.": "loves slow Scandinavian novels"
    }


def test_a_message_that_says_more_keeps_its_memories_inside() -> None:
    text = "I'm vegetarian, I hate cilantro, and I only have an air fryer and a kettle."
    message = a_message(text, 1, relevance=0.9)
    memory = a_scored_candidate(a_fact("is vegetarian"))

    assert fold(message, memory, sources={"is vegetarian": "m1"}) == {"is vegetarian": "m1"}


def test_a_memory_as_relevant_as_its_long_message_carries_the_answer() -> None:
    text = "It's quiet and near the river. I have a cat called Bolota, who still hides under the bed."
    memory = ScoredCandidate(
        candidate=a_fact("has a cat called Bolota"), score=0.5, parts={"relevance": 0.95}
    )

    assert fold(a_message(text, 1, relevance=0.7), memory, sources={"has a cat called Bolota": "m1"}) == {
        text: "has a cat called Bolota"
    }


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Let's always stop the worker before a migration.", "Agreed: worker first, then migrate."),
        ("Sem emoji nas mensagens para pacientes.", "Combinado: mensagens para pacientes sem emoji."),
    ],
)
def test_an_answer_that_confirms_is_folded_into_what_it_confirms(said: str, answer: str) -> None:
    assert fold(a_message(answer, 2, by=Role.ASSISTANT), a_message(said, 1)) == {answer: "m1"}


def test_an_answer_with_content_of_its_own_is_kept() -> None:
    question = a_message("I need something to listen to in the car.", 1)
    answer = a_message('Try "The Bicycle Clerk of Maun", set in Botswana.', 2, by=Role.ASSISTANT)

    assert fold(question, answer) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mother lives in Lisboa", "mãe mora em Lisboa"),
        ("My son Sipho plays football on Sundays", "son Sipho plays football on Sundays"),
        ("moved to a flat in Porto in May", "Moved in May to a flat in Porto"),
    ],
)
def test_near_duplicates_are_one_item(one: str, other: str) -> None:
    assert len(fold(a_scored_candidate(a_fact(one)), a_scored_candidate(a_fact(other)))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My son Sipho plays football on Sundays", "My son Themba plays football on Sundays"),
        ("My sister works as a nurse in Leeds", "My brother works as a nurse in Leeds"),
        ("takes metformin 500 twice a day", "takes metformin 850 twice a day"),
        ("eats cheese and bread every day", "does not eat cheese and bread every day"),
    ],
)
def test_facts_that_differ_in_a_name_a_number_a_relation_or_a_negation_are_two(one: str, other: str) -> None:
    assert fold(a_scored_candidate(a_fact(one)), a_scored_candidate(a_fact(other))) == {}
