"""The formulas of the scorers: exact, stable in order, and never surprised by age or weight."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact, candidates, distinct_candidates, shares

from recollect.domain.candidate import Candidate, ScoredCandidate
from recollect.domain.policy import RecallPolicy, load_preset
from recollect.retrieval.query_features import extract_query_features
from recollect.retrieval.scoring.scorer import ScoringContext, recency, score_candidates
from recollect.retrieval.scoring.table import SCORERS, scorer_of
from recollect.retrieval.selection import limit_results
from recollect.testing.clock import MONDAY

NO_IDENTIFIERS: frozenset[str] = frozenset()
DAY = timedelta(days=1)
BLEND_POLICY = RecallPolicy(ranker="blend")
SUM_POLICY = RecallPolicy(ranker="sum")
PRODUCT_POLICY = RecallPolicy(ranker="product")
COSINE_POLICY = RecallPolicy(ranker="cosine")
IMPORTANCE_POLICY = RecallPolicy(ranker="importance")
SIMPLE_POLICIES = [BLEND_POLICY, SUM_POLICY, PRODUCT_POLICY, COSINE_POLICY, IMPORTANCE_POLICY]
ALL_POLICIES = [*SIMPLE_POLICIES, RecallPolicy()]
SCORE_PARTS = ("dense", "lexical", "identifier", "weight", "recency")

some_parts = st.fixed_dictionaries(dict.fromkeys(SCORE_PARTS, shares))


def rank(
    pool: Sequence[Candidate],
    policy: RecallPolicy = BLEND_POLICY,
    *,
    floor: float = 0.0,
    identified: frozenset[str] = NO_IDENTIFIERS,
    now: datetime = MONDAY,
) -> list[ScoredCandidate]:
    features = replace(extract_query_features("", now), identifiers=identified)
    context = ScoringContext(query=features, policy=policy, now=now, cosine_floor=floor)
    return score_candidates(pool, scorer_of(policy), context)


def score(parts: Mapping[str, float], policy: RecallPolicy) -> float:
    return scorer_of(policy).formula(policy)(parts)


def dense_part(cosine: float | None, floor: float) -> float:
    """The cosine as the scorer `blend` counts it."""
    [scored] = rank([a_candidate("one", dense=cosine)], BLEND_POLICY, floor=floor)
    return scored.parts["dense"]


def texts(scored_candidates: Sequence[ScoredCandidate]) -> list[str]:
    return [r.candidate.text for r in scored_candidates]


def test_there_is_a_scorer_for_each_ranker_of_the_policy() -> None:
    [choices] = [f.metadata["choices"] for f in fields(RecallPolicy) if f.name == "ranker"]

    assert set(SCORERS) == set(choices)


@pytest.mark.parametrize(
    ("ranker", "total"),
    [
        ("sum", 0.6 * 0.8 + 0.3 * 0.5 + 0.1),
        ("blend", (0.6 * 0.8 + 0.3 * 0.5 + 0.1) * 0.45),
        ("product", 0.8 * 0.9 * 0.5),
        ("cosine", 0.8),
        ("importance", 0.9 + 0.5 / 1000),
        ("evidence", 0.6 * 0.8 + 0.3 * 0.5 + 0.1 + 0.05 * 0.9 * 0.5),
    ],
)
def test_each_formula_of_the_same_features(ranker: str, total: float) -> None:
    parts = {"dense": 0.8, "lexical": 0.5, "identifier": 1.0, "weight": 0.9, "recency": 0.5}
    policy = RecallPolicy()

    assert SCORERS[ranker].formula(policy)(parts) == pytest.approx(total)


# The formulas


@pytest.mark.spec("K3", "C-11")
@pytest.mark.parametrize(
    ("dense", "lexical", "named", "total"),
    [
        (1.0, 1.0, True, 1.0),
        (0.5, 0.25, True, 0.6 * 0.5 + 0.3 * 0.25 + 0.1),
        (0.8, 0.0, False, 0.48),
        (0.0, 1.0, False, 0.3),
        (0.0, 0.0, True, 0.1),
    ],
)
def test_sum_is_six_tenths_dense_three_tenths_lexical_one_tenth_identifier(
    dense: float, lexical: float, named: bool, total: float
) -> None:
    parts = dict(zip(SCORE_PARTS, (dense, lexical, float(named), 0.2, 0.1), strict=True))

    assert score(parts, SUM_POLICY) == pytest.approx(total)


@pytest.mark.spec("K3")
def test_the_shares_are_settings() -> None:
    parts = dict.fromkeys(SCORE_PARTS, 0.5)

    assert score(parts, replace(SUM_POLICY, alpha=1.0, beta=0.0, gamma=0.0)) == pytest.approx(0.5)
    assert score(parts, replace(SUM_POLICY, alpha=0.2, beta=0.4, gamma=0.6)) == pytest.approx(0.6)


@pytest.mark.spec("K3")
def test_the_word_match_is_a_share_of_the_strongest_and_the_cosine_is_taken_as_it_is() -> None:
    strong = a_candidate("strong", dense=0.4, lexical=8.0)
    weak = a_candidate("weak", dense=0.9, lexical=2.0)
    opposite = a_candidate("opposite", dense=-0.5)
    ranked = rank([opposite, strong, weak], SUM_POLICY, floor=0.3)

    assert [(r.candidate.text, r.parts["dense"], r.parts["lexical"]) for r in ranked] == [
        ("weak", 0.9, 0.25),
        ("strong", 0.4, 1.0),
        ("opposite", 0.0, 0.0),
    ]
    assert ranked[0].score == pytest.approx(0.6 * 0.9 + 0.3 * 0.25)


@pytest.mark.spec("K4")
def test_an_identifier_of_the_question_counts_in_any_case_and_nowhere_else() -> None:
    with_it = a_candidate("function CALCULATETOTAL(items)", lexical=1.0)
    without = a_candidate("the total is calculated", lexical=1.0)
    ranked = rank([without, with_it], SUM_POLICY, identified=frozenset({"calculatetotal"}))

    assert [(r.candidate, r.parts["identifier"]) for r in ranked] == [(with_it, 1.0), (without, 0.0)]


@pytest.mark.spec("K8", "C-11")
@given(parts=some_parts)
def test_product_is_vector_times_weight_times_recency(parts: dict[str, float]) -> None:
    assert score(parts, PRODUCT_POLICY) == pytest.approx(parts["dense"] * parts["weight"] * parts["recency"])


@pytest.mark.spec("K8")
def test_the_companion_orders_ten_candidates_by_product_and_hands_on_five() -> None:
    policy = load_preset("companion").recall
    vegetarian = a_fact("vegetarian", dense=0.8, weight=1.0)
    faded = a_fact("was in a hurry", dense=0.9, weight=0.3)
    stale = a_fact("wants to run", dense=0.9, weight=1.0, last_stated_at=MONDAY - 360 * DAY)
    more = [a_fact(f"more {n}", dense=0.1 + n / 100) for n in range(7)]
    kept, dropped = limit_results(rank([*more, stale, faded, vegetarian], policy), policy)

    assert (policy.ranker, policy.candidates_per_channel, policy.limit) == ("product", 10, 5)
    assert texts(kept) == ["vegetarian", "was in a hurry", "wants to run", "more 6", "more 5"]
    assert len(dropped) == 5


@pytest.mark.spec("C-11")
@given(parts=some_parts)
def test_cosine_is_the_vector_alone(parts: dict[str, float]) -> None:
    assert score(parts, COSINE_POLICY) == parts["dense"]


@pytest.mark.spec("K9", "C-11")
def test_importance_puts_what_weighs_most_first_and_of_equals_the_newest() -> None:
    critical = a_candidate("critical", importance=95, last_stated_at=MONDAY - 900 * DAY)
    old = a_candidate("old", importance=60, last_stated_at=MONDAY - 9 * DAY)
    new = a_candidate("new", importance=60)
    light = a_candidate("light", importance=59)

    assert texts(rank([light, old, new, critical], IMPORTANCE_POLICY)) == ["critical", "new", "old", "light"]


@pytest.mark.spec("K9")
def test_the_smart_preset_takes_the_six_most_important() -> None:
    policy = load_preset("smart").recall
    listed = [a_candidate(f"{importance}", importance=importance) for importance in range(40, 100, 5)]
    kept, _ = limit_results(rank(listed, policy), policy)

    assert texts(kept) == ["95", "90", "85", "80", "75", "70"]


@pytest.mark.spec("C-11", "TR-17")
@given(parts=some_parts)
def test_blend_is_the_sum_times_weight_and_recency_within_bounds(parts: dict[str, float]) -> None:
    base = score(parts, SUM_POLICY)
    boost = min(max(parts["weight"] * parts["recency"], 0.3), 1.5)

    assert score(parts, BLEND_POLICY) == pytest.approx(base * boost)


@pytest.mark.spec("TR-17")
@given(parts=some_parts, low=shares, high=st.floats(1, 3))
def test_age_and_weight_move_a_score_only_within_the_policys_bounds(
    parts: dict[str, float], low: float, high: float
) -> None:
    policy = replace(BLEND_POLICY, boost_min=low, boost_max=high)
    base = score(parts, SUM_POLICY)

    assert low * base - 1e-9 <= score(parts, policy) <= high * base + 1e-9


@pytest.mark.spec("TR-17", "C-11")
def test_an_exact_hit_does_not_vanish_however_old_and_light_it_is() -> None:
    ancient = a_fact("the key is under the mat", lexical=9.0, weight=0.05, last_stated_at=MONDAY - 9000 * DAY)
    fresh = a_fact("the weather", lexical=0.5)
    ranked = rank([fresh, ancient])

    assert texts(ranked) == ["the key is under the mat", "the weather"]
    assert ranked[0].score == pytest.approx(0.3 * 0.3)


@pytest.mark.parametrize("policy", SIMPLE_POLICIES, ids=lambda policy: policy.ranker)
@given(parts=some_parts, grown=st.sampled_from(SCORE_PARTS), by=shares)
def test_more_of_any_part_never_lowers_a_score(
    policy: RecallPolicy, parts: dict[str, float], grown: str, by: float
) -> None:
    more = {**parts, grown: min(parts[grown] + by, 1.0)}

    assert score(more, policy) >= score(parts, policy) - 1e-12


# The order


@pytest.mark.parametrize("policy", ALL_POLICIES, ids=lambda policy: policy.ranker)
@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_the_order_does_not_depend_on_the_order_of_arrival(
    policy: RecallPolicy, listed: list[Candidate]
) -> None:
    ranked = rank(listed, policy)

    assert ranked == rank(listed[::-1], policy)
    assert all(one.score >= other.score for one, other in pairwise(ranked))


@pytest.mark.parametrize("policy", ALL_POLICIES, ids=lambda policy: policy.ranker)
@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_nobody_is_lost_and_every_part_is_between_0_and_1(
    policy: RecallPolicy, listed: list[Candidate]
) -> None:
    ranked = rank(listed, policy)

    assert sorted(r.candidate.key for r in ranked) == sorted(c.key for c in listed)
    assert all(0 <= part <= 1 for r in ranked for part in r.parts.values())


@settings(max_examples=40)
@given(
    listed=st.lists(candidates, unique_by=lambda c: c.key, min_size=1, max_size=8), age=st.integers(1, 2000)
)
def test_growing_older_never_helps_a_candidate(listed: list[Candidate], age: int) -> None:
    before = {r.candidate.key: r.score for r in rank(listed)}
    aged = {r.candidate.key: r.score for r in rank(listed, now=MONDAY + age * DAY)}

    assert all(aged[key] <= before[key] + 1e-12 for key in before)


def test_an_older_memory_ranks_below_an_equal_younger_one() -> None:
    young = a_fact("young", dense=0.8)
    old = a_fact("old", dense=0.8, last_stated_at=MONDAY - 30 * DAY)

    assert texts(rank([old, young])) == ["young", "old"]


def test_a_lighter_memory_ranks_below_an_equal_heavier_one() -> None:
    heavy = a_fact("heavy", dense=0.8, weight=1.0)
    light = a_fact("light", dense=0.8, weight=0.5)

    assert texts(rank([light, heavy])) == ["heavy", "light"]


def test_equals_stand_in_the_order_of_source_and_id() -> None:
    listed = [a_candidate("b", dense=0.5), a_fact("c", dense=0.5), a_candidate("a", dense=0.5)]

    assert texts(rank(listed)) == ["c", "a", "b"]


# The parts


@pytest.mark.spec("G6")
@pytest.mark.parametrize(("age", "left"), [(0, 1.0), (180, 0.5), (360, 0.25), (-5, 1.0)])
def test_recency_halves_with_every_half_life_and_the_future_is_now(age: int, left: float) -> None:
    seen = a_candidate("seen", last_stated_at=MONDAY - age * DAY)

    assert recency(seen, MONDAY, 180.0) == pytest.approx(left)


@pytest.mark.spec("G6")
@given(ages=st.tuples(st.floats(0, 1e5), st.floats(0, 1e5)), half_life=st.floats(0.01, 36500))
def test_recency_never_grows_with_age(ages: tuple[float, float], half_life: float) -> None:
    younger, older = (a_candidate("seen", last_stated_at=MONDAY - age * DAY) for age in sorted(ages))
    fresh, stale = (recency(each, MONDAY, half_life) for each in (younger, older))

    assert 0 <= stale <= fresh <= 1


@pytest.mark.parametrize(
    ("cosine", "floor", "part"),
    [
        (1.0, 0.45, 1.0),
        (0.45, 0.45, 0.0),
        (0.2, 0.45, 0.0),
        (0.725, 0.45, 0.5),
        (None, 0.0, 0.0),
        (1.0, 1.0, 0.0),
    ],
)
def test_a_cosine_is_stretched_from_the_embedders_floor(
    cosine: float | None, floor: float, part: float
) -> None:
    assert dense_part(cosine, floor) == pytest.approx(part)


@given(cosines=st.tuples(st.floats(-1, 1), st.floats(-1, 1)), floor=st.floats(-1, 1))
def test_a_calibrated_cosine_is_between_0_and_1_and_keeps_the_order(
    cosines: tuple[float, float], floor: float
) -> None:
    low, high = (dense_part(cosine, floor) for cosine in sorted(cosines))

    assert 0 <= low <= high <= 1
