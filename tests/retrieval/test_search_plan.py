"""In which order a question is looked up where, as the policy says."""

import pytest

from recollect.domain.candidate import Source
from recollect.domain.policy import Policy, Recall
from recollect.domain.scope import Scope
from recollect.retrieval.search_plan import FACTS, SUMMARIES, WORDS, Look, if_too_little, in_any_case

EVERYWHERE = Scope("ana")
HERE = Scope("ana", "kitchen")


def recall(**values: str) -> Recall:
    return Policy().with_values({f"recall.{name}": value for name, value in values.items()}).recall


def looks(scope: Scope, *, across: bool = False, **values: str) -> list[tuple[str, frozenset[Source]]]:
    found = in_any_case(scope, recall(**values), across=across)
    return [(look.where, look.sources) for look in found]


@pytest.mark.spec("K6")
def test_outside_of_a_chat_everything_is_one_look() -> None:
    assert looks(EVERYWHERE) == [("global", FACTS | WORDS)]
    assert looks(EVERYWHERE, across=True) == [("global", FACTS | WORDS | SUMMARIES)]
    assert looks(EVERYWHERE, reach="never") == [("global", FACTS | WORDS)]


@pytest.mark.spec("K6")
@pytest.mark.parametrize("reach", ["fallback", "never"])
def test_in_a_chat_its_words_come_first_and_facts_from_everywhere(reach: str) -> None:
    assert looks(HERE, reach=reach) == [("conversation", WORDS | SUMMARIES), ("global", FACTS)]


def test_if_everything_is_always_searched_the_chat_adds_what_it_came_to() -> None:
    assert looks(HERE, reach="always") == [("global", FACTS | WORDS), ("conversation", SUMMARIES)]
    assert looks(HERE, reach="always", across=True) == [("global", FACTS | WORDS | SUMMARIES)]


@pytest.mark.parametrize("reach", ["always", "fallback", "never"])
def test_who_wants_memories_alone_is_shown_no_summary(reach: str) -> None:
    assert looks(HERE, reach=reach, sources="memories", across=True) == [("global", FACTS)]


def test_nothing_is_looked_up_where_nothing_may_be_found() -> None:
    assert looks(HERE, sources="messages") == [("conversation", WORDS | SUMMARIES)]


@pytest.mark.spec("K6")
@pytest.mark.parametrize(("across", "sources"), [(False, WORDS), (True, WORDS | SUMMARIES)])
def test_a_chat_that_gave_too_little_is_helped_out_by_the_words_of_others(
    *, across: bool, sources: frozenset[Source]
) -> None:
    assert if_too_little(HERE, Recall(), across=across) == [Look(scope=EVERYWHERE, sources=sources)]


def test_it_is_not_where_that_is_not_wanted_or_would_find_nothing() -> None:
    assert if_too_little(EVERYWHERE, Recall(), across=True) == []
    assert if_too_little(HERE, recall(reach="never"), across=True) == []
    assert if_too_little(HERE, recall(reach="always"), across=True) == []
    assert if_too_little(HERE, recall(sources="memories"), across=True) == []
