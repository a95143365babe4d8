"""In which order a question is looked up where, as the policy says."""

import pytest

from recollect.domain.candidate import Source
from recollect.domain.policy import PRESETS, Policy, load_preset
from recollect.domain.scope import Scope
from recollect.retrieval.query import analyze
from recollect.retrieval.scoring.table import SCORERS
from recollect.retrieval.search_plan import (
    MEMORY_SOURCES,
    MESSAGE_SOURCES,
    SUMMARY_SOURCES,
    SearchPlan,
    fallback_sources,
    plan_search,
    primary_sources,
)
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope("ana")
CHAT_SCOPE = Scope("ana", "kitchen")


def make_policy(*, shares_summaries: bool = False, **values: str | int) -> Policy:
    policy = Policy().with_values({f"recall.{name}": value for name, value in values.items()})
    return policy.with_values({"summaries.scope": "global"}) if shares_summaries else policy


def plan_passes(
    scope: Scope, *, include_other_chats: bool = False, **values: str | int
) -> list[tuple[str, frozenset[Source]]]:
    passes = primary_sources(scope, make_policy(shares_summaries=include_other_chats, **values))
    return [("global" if each.chat is None else "conversation", sources) for each, sources in passes]


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


@pytest.mark.spec("K13")
def test_memories_and_messages_with_limits_of_their_own_are_searched_apart() -> None:
    assert plan_passes(USER_SCOPE, max_memories=3, max_messages=2) == [
        ("global", MEMORY_SOURCES),
        ("global", MESSAGE_SOURCES),
    ]


def test_chunks_are_not_searched_while_chunking_is_off() -> None:
    policy = Policy().with_values({"chunking.enabled": False})

    assert primary_sources(USER_SCOPE, policy) == [(USER_SCOPE, MEMORY_SOURCES | {Source.MESSAGE})]


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
    assert fallback_sources(CHAT_SCOPE, make_policy(shares_summaries=across)) == [(USER_SCOPE, sources)]


def test_it_is_not_where_that_is_not_wanted_or_would_find_nothing() -> None:
    assert fallback_sources(USER_SCOPE, make_policy(shares_summaries=True)) == []
    assert fallback_sources(CHAT_SCOPE, make_policy(other_chats="never", shares_summaries=True)) == []
    assert fallback_sources(CHAT_SCOPE, make_policy(other_chats="always", shares_summaries=True)) == []
    assert fallback_sources(CHAT_SCOPE, make_policy(sources="memories", shares_summaries=True)) == []


def plan(query: str, policy: Policy, scope: Scope = CHAT_SCOPE) -> SearchPlan:
    return plan_search(analyze(query, now=MONDAY, policy=policy.recall), scope, policy)


@pytest.mark.parametrize("preset", PRESETS)
def test_only_scorers_that_use_surroundings_fetch_them_and_correct_for_the_centroid(preset: str) -> None:
    policy = load_preset(preset)
    made = plan("what did we say on 2026-02-03?", policy)
    uses_surroundings = SCORERS[policy.recall.ranker].uses_surroundings

    assert bool(made.dated) == uses_surroundings
    assert bool(made.neighbour_limit) == made.includes_neighbours == uses_surroundings
    assert bool(made.centroid_penalty) == uses_surroundings


def test_a_scorer_that_ignores_the_query_plans_no_search() -> None:
    made = plan("anything", load_preset("smart"))

    assert (made.primary, made.fallback) == ((), ())
    assert made.important is not None


def test_a_topic_restricts_the_kinds_and_the_wider_plan_does_not() -> None:
    made = plan("what should I cook for dinner?", load_preset("companion"))

    assert made.restricts_kinds
    assert not made.for_all_kinds().restricts_kinds
