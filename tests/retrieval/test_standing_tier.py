"""Lasting instructions and constraints apply to tasks of their topic, though no word matches."""

import pytest
from tests.retrieval.examples import a_candidate, a_fact, a_scored_candidate

from recollect.domain.candidate import Candidate, Rejection
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.applicability import applicability, may_apply, select_standing
from recollect.retrieval.relevance_model import INTENTS, TOPIC_NAMES, QueryProfile
from recollect.retrieval.selection import SelectedCandidates


def a_query(*, task: float = 0.0, **topics: float) -> QueryProfile:
    """A query with the probabilities of its intent and topics; it has no words."""
    return QueryProfile(
        words=(),
        idf=(),
        relations=frozenset(),
        intents={**dict.fromkeys(INTENTS, 0.0), "task": task},
        topics={**dict.fromkeys(TOPIC_NAMES, 0.0), **topics},
        facets=frozenset(),
        subjects=(),
        is_personal=False,
        asks_assistant=False,
        asks_history=False,
        asks_number=False,
        asks_time=False,
        asks_person=False,
        asks_place=False,
    )


DINNER = a_query(task=0.9, food=0.9)
SCRIPT = a_query(task=0.9, code=0.9)
EMAIL = a_query(task=0.9, writing=0.9)


@pytest.mark.parametrize(
    ("statement", "query"),
    [
        ("I'm lactose intolerant", DINNER),
        ("is allergic to peanuts", DINNER),
        ("sou vegetariana", DINNER),
        ("não posso comer glúten", DINNER),
        ("always use type hints in Python, never third-party libraries", SCRIPT),
        ("nunca usa biblioteca de terceiros no código", SCRIPT),
        ("from now on write my emails in British spelling", EMAIL),
        ("nos textos, sem emoji e sem exclamação", EMAIL),
    ],
)
def test_a_lasting_statement_applies_to_a_task_of_its_topic(statement: str, query: QueryProfile) -> None:
    assert applicability(a_fact(statement), query) > 0.5


@pytest.mark.parametrize(
    ("statement", "query"),
    [
        ("I'm lactose intolerant", SCRIPT),
        ("always use type hints in Python", DINNER),
        ("I'm lactose intolerant", a_query(task=0.05, food=0.9)),
        ("had dinner at the new restaurant", DINNER),
        ("the shop is always shut on Tuesdays", a_query(task=0.9, schedule=0.9)),
    ],
)
def test_it_does_not_apply_to_other_queries(statement: str, query: QueryProfile) -> None:
    assert applicability(a_fact(statement), query) < 0.5


def test_what_the_assistant_said_or_what_has_ended_applies_to_nothing() -> None:
    advice = a_candidate("You are allergic to peanuts, so avoid satay.", role=Role.ASSISTANT)
    ended = a_candidate("I'm vegetarian", role=Role.USER)._replace(outdated=True)

    assert [applicability(each, DINNER) for each in (advice, ended)] == [0.0, 0.0]


def test_arithmetic_and_small_talk_look_nothing_up() -> None:
    assert not may_apply(a_query(task=0.1, food=0.2))
    assert may_apply(DINNER)


def select(
    *found: Candidate, more: tuple[Candidate, ...] = (), max_tokens: int = 100
) -> list[tuple[str, bool]]:
    selection = SelectedCandidates(candidates=tuple(map(a_scored_candidate, found)))
    selected = select_standing(selection, map(a_scored_candidate, more), DINNER, max_tokens=max_tokens)
    return [(each.candidate.text, each.candidate.is_standing) for each in selected.candidates]


def test_what_applies_comes_first_whether_the_search_found_it_or_not() -> None:
    assert select(
        a_fact("cooked risotto on Sunday"), a_fact("is vegetarian"), more=(a_fact("is allergic to nuts"),)
    ) == [
        ("is vegetarian", True),
        ("is allergic to nuts", True),
        ("cooked risotto on Sunday", False),
    ]


def test_beyond_the_cap_a_found_statement_stays_an_ordinary_passage() -> None:
    tokens = a_fact("is allergic to nuts").tokens

    assert select(
        a_fact("is vegetarian"),
        a_fact("is allergic to nuts"),
        more=(a_fact("hates olives"),),
        max_tokens=tokens,
    ) == [("is vegetarian", True), ("is allergic to nuts", False)]


def test_a_statement_folded_into_another_is_not_added_again() -> None:
    folded = a_scored_candidate(a_fact("is vegetarian"))
    reason = Reason(ReasonCode.SAYS_THE_SAME, {"source": "message", "id": "m1"})
    selection = SelectedCandidates(rejections=(Rejection(scored=folded, reason=reason),))

    assert select_standing(selection, [folded], DINNER, max_tokens=100).candidates == ()
