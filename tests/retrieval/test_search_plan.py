"""In which order a question is looked up where, as the policy says."""

import pytest

from recollect.domain.candidate import Source
from recollect.domain.policy import Policy, RecallPolicy
from recollect.domain.scope import Scope
from recollect.retrieval.search_plan import (
    MEMORY_SOURCES,
    MESSAGE_SOURCES,
    SUMMARY_SOURCES,
    SearchPass,
    fallback_passes,
    primary_passes,
)

USER_SCOPE = Scope("ana")
CHAT_SCOPE = Scope("ana", "kitchen")


def make_policy(**values: str) -> RecallPolicy:
    return Policy().with_values({f"recall.{name}": value for name, value in values.items()}).recall


def plan_passes(
    scope: Scope, *, include_other_chats: bool = False, **values: str
) -> list[tuple[str, frozenset[Source]]]:
    found = primary_passes(scope, make_policy(**values), include_other_chats=include_other_chats)
    return [(look.scope_label, look.sources) for look in found]


@pytest.mark.spec("K6")
def test_outside_of_a_chat_everything_is_one_look() -> None:
    assert plan_passes(USER_SCOPE) == [("global", MEMORY_SOURCES | MESSAGE_SOURCES)]
    assert plan_passes(USER_SCOPE, include_other_chats=True) == [
        ("global", MEMORY_SOURCES | MESSAGE_SOURCES | SUMMARY_SOURCES)
    ]
    assert plan_passes(USER_SCOPE, other_chats="never") == [("global", MEMORY_SOURCES | MESSAGE_SOURCES)]


@pytest.mark.spec("K6")
@pytest.mark.parametrize("reach", ["fallback", "never"])
def test_in_a_chat_its_words_come_first_and_facts_from_everywhere(reach: str) -> None:
    assert plan_passes(CHAT_SCOPE, other_chats=reach) == [
        ("conversation", MESSAGE_SOURCES | SUMMARY_SOURCES),
        ("global", MEMORY_SOURCES),
    ]


def test_if_everything_is_always_searched_the_chat_adds_what_it_came_to() -> None:
    assert plan_passes(CHAT_SCOPE, other_chats="always") == [
        ("global", MEMORY_SOURCES | MESSAGE_SOURCES),
        ("conversation", SUMMARY_SOURCES),
    ]
    assert plan_passes(CHAT_SCOPE, other_chats="always", include_other_chats=True) == [
        ("global", MEMORY_SOURCES | MESSAGE_SOURCES | SUMMARY_SOURCES)
    ]


@pytest.mark.parametrize("reach", ["always", "fallback", "never"])
def test_who_wants_memories_alone_is_shown_no_summary(reach: str) -> None:
    assert plan_passes(CHAT_SCOPE, other_chats=reach, sources="memories", include_other_chats=True) == [
        ("global", MEMORY_SOURCES)
    ]


def test_nothing_is_looked_up_where_nothing_may_be_found() -> None:
    assert plan_passes(CHAT_SCOPE, sources="messages") == [
        ("conversation", MESSAGE_SOURCES | SUMMARY_SOURCES)
    ]


@pytest.mark.spec("K6")
@pytest.mark.parametrize(
    ("across", "sources"), [(False, MESSAGE_SOURCES), (True, MESSAGE_SOURCES | SUMMARY_SOURCES)]
)
def test_a_chat_that_gave_too_little_is_helped_out_by_the_words_of_others(
    *, across: bool, sources: frozenset[Source]
) -> None:
    assert fallback_passes(CHAT_SCOPE, RecallPolicy(), include_other_chats=across) == [
        SearchPass(scope=USER_SCOPE, sources=sources)
    ]


def test_it_is_not_where_that_is_not_wanted_or_would_find_nothing() -> None:
    assert fallback_passes(USER_SCOPE, RecallPolicy(), include_other_chats=True) == []
    assert fallback_passes(CHAT_SCOPE, make_policy(other_chats="never"), include_other_chats=True) == []
    assert fallback_passes(CHAT_SCOPE, make_policy(other_chats="always"), include_other_chats=True) == []
    assert fallback_passes(CHAT_SCOPE, make_policy(sources="memories"), include_other_chats=True) == []
