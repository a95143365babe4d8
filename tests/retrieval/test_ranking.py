"""The order of candidates: exact by formula, stable, and never surprised by age or weight."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact, a_scored_candidate

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import ChunkKind
from recollect.domain.policy import RecallPolicy, load_preset
from recollect.retrieval import ranking
from recollect.testing.clock import MONDAY

NO_SOURCES: frozenset[Source] = frozenset()
NO_IDENTIFIED: frozenset[str] = frozenset()
DAY = timedelta(days=1)
BLEND_POLICY = RecallPolicy(ranker="blend")
LIMIT_REASON_PATTERN = re.compile(r"(?:ranked \d+(?:st|nd|rd|th); )?the limit is \d+(?: memories| messages)?")
SUM_POLICY = RecallPolicy(ranker="sum")
PRODUCT_POLICY = RecallPolicy(ranker="product")
COSINE_POLICY = RecallPolicy(ranker="cosine")
IMPORTANCE_POLICY = RecallPolicy(ranker="importance")
RANKER_POLICIES = [BLEND_POLICY, SUM_POLICY, PRODUCT_POLICY, COSINE_POLICY, IMPORTANCE_POLICY]
SCORE_PARTS = ("dense", "lexical", "identifier", "weight", "recency")

shares = st.floats(0, 1)
some_parts = st.fixed_dictionaries(dict.fromkeys(SCORE_PARTS, shares))
candidates = st.builds(
    lambda name, source, dense, lexical, weight, age: a_candidate(
        name, source=source, dense=dense, lexical=lexical, weight=weight
    )._replace(
        last_stated_at=MONDAY - age * DAY,
    ),
    name=st.text("abc", min_size=1, max_size=3),
    source=st.sampled_from([Source.MESSAGE, Source.MEMORY, Source.SUMMARY]),
    dense=st.none() | st.floats(-1, 1),
    lexical=st.none() | st.floats(0, 20),
    weight=shares,
    age=st.integers(0, 4000),
)
distinct_candidates = st.lists(candidates, unique_by=lambda c: c.key, max_size=8)


def rank(
    pool: Sequence[Candidate],
    policy: RecallPolicy = BLEND_POLICY,
    *,
    floor: float = 0.0,
    identified: frozenset[str] = NO_IDENTIFIED,
    now: datetime = MONDAY,
) -> list[ScoredCandidate]:
    return ranking.rank(pool, identifiers=identified, now=now, policy=policy, cosine_floor=floor)


def texts(scored_candidates: Sequence[ScoredCandidate]) -> list[str]:
    return [r.candidate.text for r in scored_candidates]


def reasons_by_text(dropped: Sequence[tuple[ScoredCandidate, str]]) -> dict[str, str]:
    return {r.candidate.text: reason for r, reason in dropped}


# The formulas


@pytest.mark.spec("K3", "C-11")
@pytest.mark.parametrize(
    ("dense", "lexical", "named", "score"),
    [
        (1.0, 1.0, True, 1.0),
        (0.5, 0.25, True, 0.6 * 0.5 + 0.3 * 0.25 + 0.1),
        (0.8, 0.0, False, 0.48),
        (0.0, 1.0, False, 0.3),
        (0.0, 0.0, True, 0.1),
    ],
)
def test_sum_is_six_tenths_dense_three_tenths_lexical_one_tenth_identifier(
    dense: float, lexical: float, named: bool, score: float
) -> None:
    parts = dict(zip(SCORE_PARTS, (dense, lexical, float(named), 0.2, 0.1), strict=True))

    assert ranking.score(parts, SUM_POLICY) == pytest.approx(score)


@pytest.mark.spec("K3")
def test_the_shares_are_settings() -> None:
    parts = dict.fromkeys(SCORE_PARTS, 0.5)

    assert ranking.score(parts, replace(SUM_POLICY, alpha=1.0, beta=0.0, gamma=0.0)) == pytest.approx(0.5)
    assert ranking.score(parts, replace(SUM_POLICY, alpha=0.2, beta=0.4, gamma=0.6)) == pytest.approx(0.6)


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
    assert ranking.score(parts, PRODUCT_POLICY) == pytest.approx(
        parts["dense"] * parts["weight"] * parts["recency"]
    )


@pytest.mark.spec("K8")
def test_the_companion_orders_ten_candidates_by_product_and_hands_on_five() -> None:
    policy = load_preset("companion").recall
    vegetarian = a_fact("vegetarian", dense=0.8, weight=1.0)
    faded = a_fact("was in a hurry", dense=0.9, weight=0.3)
    stale = a_fact("wants to run", dense=0.9, weight=1.0, last_stated_at=MONDAY - 360 * DAY)
    more = [a_fact(f"more {n}", dense=0.1 + n / 100) for n in range(7)]
    kept, dropped = ranking.limit_results(rank([*more, stale, faded, vegetarian], policy), policy)

    assert (policy.ranker, policy.candidates_per_channel, policy.limit) == ("product", 10, 5)
    assert texts(kept) == ["vegetarian", "was in a hurry", "wants to run", "more 6", "more 5"]
    assert len(dropped) == 5


@pytest.mark.spec("C-11")
@given(parts=some_parts)
def test_cosine_is_the_vector_alone(parts: dict[str, float]) -> None:
    assert ranking.score(parts, COSINE_POLICY) == parts["dense"]


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
    kept, _ = ranking.limit_results(rank(listed, policy), policy)

    assert texts(kept) == ["95", "90", "85", "80", "75", "70"]


@pytest.mark.spec("C-11", "TR-17")
@given(parts=some_parts)
def test_blend_is_the_sum_times_weight_and_recency_within_bounds(parts: dict[str, float]) -> None:
    base = ranking.score(parts, SUM_POLICY)
    boost = min(max(parts["weight"] * parts["recency"], 0.3), 1.5)

    assert ranking.score(parts, BLEND_POLICY) == pytest.approx(base * boost)


@pytest.mark.spec("TR-17")
@given(parts=some_parts, low=shares, high=st.floats(1, 3))
def test_age_and_weight_move_a_score_only_within_the_policys_bounds(
    parts: dict[str, float], low: float, high: float
) -> None:
    policy = replace(BLEND_POLICY, boost_min=low, boost_max=high)
    base = ranking.score(parts, SUM_POLICY)

    assert low * base - 1e-9 <= ranking.score(parts, policy) <= high * base + 1e-9


@pytest.mark.spec("TR-17", "C-11")
def test_an_exact_hit_does_not_vanish_however_old_and_light_it_is() -> None:
    ancient = a_fact("the key is under the mat", lexical=9.0, weight=0.05, last_stated_at=MONDAY - 9000 * DAY)
    fresh = a_fact("the weather", lexical=0.5)
    ranked = rank([fresh, ancient])

    assert texts(ranked) == ["the key is under the mat", "the weather"]
    assert ranked[0].score == pytest.approx(0.3 * 0.3)


@pytest.mark.parametrize("policy", RANKER_POLICIES, ids=lambda policy: policy.ranker)
@given(parts=some_parts, grown=st.sampled_from(SCORE_PARTS), by=shares)
def test_more_of_any_part_never_lowers_a_score(
    policy: RecallPolicy, parts: dict[str, float], grown: str, by: float
) -> None:
    more = {**parts, grown: min(parts[grown] + by, 1.0)}

    assert ranking.score(more, policy) >= ranking.score(parts, policy) - 1e-12


# The order


@pytest.mark.parametrize("policy", RANKER_POLICIES, ids=lambda policy: policy.ranker)
@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_the_order_does_not_depend_on_the_order_of_arrival(
    policy: RecallPolicy, listed: list[Candidate]
) -> None:
    ranked = rank(listed, policy)

    assert ranked == rank(listed[::-1], policy)
    assert all(one.score >= other.score for one, other in pairwise(ranked))


@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_nobody_is_lost_and_every_part_is_between_0_and_1(listed: list[Candidate]) -> None:
    ranked = rank(listed)

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

    assert ranking.recency(seen, MONDAY, 180.0) == pytest.approx(left)


@pytest.mark.spec("G6")
@given(ages=st.tuples(st.floats(0, 1e5), st.floats(0, 1e5)), half_life=st.floats(0.01, 36500))
def test_recency_never_grows_with_age(ages: tuple[float, float], half_life: float) -> None:
    younger, older = (a_candidate("seen", last_stated_at=MONDAY - age * DAY) for age in sorted(ages))
    fresh, stale = (ranking.recency(each, MONDAY, half_life) for each in (younger, older))

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
    assert ranking.calibrate_cosine(cosine, floor) == pytest.approx(part)


@given(cosines=st.tuples(st.floats(-1, 1), st.floats(-1, 1)), floor=st.floats(-1, 1))
def test_a_calibrated_cosine_is_between_0_and_1_and_keeps_the_order(
    cosines: tuple[float, float], floor: float
) -> None:
    low, high = (ranking.calibrate_cosine(cosine, floor) for cosine in sorted(cosines))

    assert 0 <= low <= high <= 1


# What is left out


@pytest.mark.spec("K10", "TR-20")
def test_what_only_its_vector_brought_is_dropped_below_the_floor_with_the_numbers_said() -> None:
    near, far = ranking.drop_unrelated(
        [
            a_scored_candidate(a_candidate("at", dense=0.5)),
            a_scored_candidate(a_candidate("below", dense=0.49)),
        ],
        0.5,
        exempt_sources=NO_SOURCES,
    )

    assert texts(near) == ["at"]
    assert reasons_by_text(far) == {"below": "cosine 0.49 is below 0.50"}


@pytest.mark.spec("K16")
@given(dense=st.none() | st.floats(-1, 1), lexical=st.floats(0, 30), floor=st.floats(-1, 1))
def test_what_shares_words_with_the_question_is_never_dropped_for_its_vector(
    dense: float | None, lexical: float, floor: float
) -> None:
    near, far = ranking.drop_unrelated(
        [a_scored_candidate(a_candidate("word", dense=dense, lexical=lexical))],
        floor,
        exempt_sources=NO_SOURCES,
    )

    assert (texts(near), far) == (["word"], [])


def test_spared_sources_are_not_held_against_the_floor() -> None:
    ranked = [
        a_scored_candidate(a_fact("fact", dense=0.1)),
        a_scored_candidate(a_candidate("said", dense=0.1)),
    ]
    near, far = ranking.drop_unrelated(ranked, 0.5, exempt_sources=frozenset({Source.MEMORY}))

    assert (texts(near), list(reasons_by_text(far))) == (["fact"], ["said"])


def test_what_scores_far_below_the_best_is_over_the_cliff() -> None:
    ranked = [
        a_scored_candidate(a_candidate("best"), 0.8),
        a_scored_candidate(a_candidate("near"), 0.2),
        a_scored_candidate(a_candidate("far"), 0.19),
    ]
    near, far = ranking.drop_below_cutoff(ranked, 0.25, exempt_sources=NO_SOURCES)

    assert texts(near) == ["best", "near"]
    assert reasons_by_text(far) == {"far": "below 25% of the best score"}


@given(scores=st.lists(shares, max_size=6), share=shares)
def test_the_best_is_never_over_the_cliff_and_nobody_is_lost(scores: list[float], share: float) -> None:
    ranked = [a_scored_candidate(a_candidate(str(place)), score) for place, score in enumerate(scores)]
    near, far = ranking.drop_below_cutoff(ranked, share, exempt_sources=NO_SOURCES)
    least = share * max(scores, default=0.0)

    assert [r for r in ranked if r.score >= least] == near
    assert len(near) + len(far) == len(ranked)
    assert bool(near) == bool(ranked)


def test_no_cliff_and_spared_sources_keep_all() -> None:
    ranked = [a_scored_candidate(a_candidate("best"), 0.8), a_scored_candidate(a_fact("far"), 0.0)]

    assert ranking.drop_below_cutoff(ranked, 0.0, exempt_sources=NO_SOURCES) == (ranked, [])
    assert ranking.drop_below_cutoff(ranked, 0.9, exempt_sources=frozenset({Source.MEMORY})) == (ranked, [])


@pytest.mark.spec("F5")
def test_a_chunk_stands_for_its_whole_message_even_if_it_ranks_below_it() -> None:
    whole = a_candidate("whole", id="m1")
    piece = a_candidate("piece", id="m1#2", source=Source.CHUNK, parent_id="m1", chunk_kind=ChunkKind.CODE)
    other = a_candidate("other", id="m2")
    kept, dropped = ranking.deduplicate(
        [a_scored_candidate(whole), a_scored_candidate(other), a_scored_candidate(piece)]
    )

    assert texts(kept) == ["other", "piece"]
    assert reasons_by_text(dropped) == {"whole": "covered by its chunk"}


@pytest.mark.spec("F5")
def test_a_memory_stands_for_the_message_with_the_same_words() -> None:
    said = a_candidate("I am  VEGETARIAN.")
    fact = a_fact("i am vegetarian")
    kept, dropped = ranking.deduplicate(
        [a_scored_candidate(said), a_scored_candidate(fact), a_scored_candidate(a_candidate("I am hungry"))]
    )

    assert texts(kept) == ["i am vegetarian", "I am hungry"]
    assert reasons_by_text(dropped) == {"I am  VEGETARIAN.": "a memory says the same"}


@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_collapsing_loses_nobody_and_never_a_memory(listed: list[Candidate]) -> None:
    ranked = rank(listed)
    kept, dropped = ranking.deduplicate(ranked)

    assert sorted(r.candidate.key for r in [*kept, *(r for r, _ in dropped)]) == sorted(c.key for c in listed)
    assert all(r.candidate.source is not Source.MEMORY for r, _ in dropped)
    assert kept == [r for r in ranked if r in kept]


@pytest.mark.spec("K13")
def test_three_facts_and_two_messages_are_handed_on_whatever_else_ranks_higher() -> None:
    policy = load_preset("agent").recall
    ranked = [a_scored_candidate(a_fact(f"fact {n}")) for n in range(5)] + [
        a_scored_candidate(a_candidate(f"said {n}")) for n in range(4)
    ]
    kept, dropped = ranking.limit_results(ranked, policy)

    assert texts(kept) == ["fact 0", "fact 1", "fact 2", "said 0", "said 1"]
    assert reasons_by_text(dropped) == {
        "fact 3": "the limit is 3 memories",
        "fact 4": "the limit is 3 memories",
        "said 2": "ranked 8th; the limit is 5",
        "said 3": "ranked 9th; the limit is 5",
    }


@given(
    mix=st.lists(st.booleans(), max_size=12),
    limit=st.integers(1, 8),
    facts=st.integers(0, 5),
    history=st.integers(0, 5),
)
def test_the_cut_keeps_the_best_within_its_caps_and_says_why_of_everybody_else(
    mix: list[bool], limit: int, facts: int, history: int
) -> None:
    ranked = [
        a_scored_candidate((a_fact if fact else a_candidate)(str(place))) for place, fact in enumerate(mix)
    ]
    kept, dropped = ranking.limit_results(
        ranked, replace(BLEND_POLICY, limit=limit, max_memories=facts, max_messages=history)
    )
    known = [r for r in kept if r.candidate.kind]

    assert len(kept) <= limit
    assert len(known) <= (facts or limit)
    assert len(kept) - len(known) <= (history or limit)
    assert kept == [r for r in ranked if r in kept]
    assert sorted([*kept, *(r for r, _ in dropped)], key=ranked.index) == ranked
    assert all(LIMIT_REASON_PATTERN.fullmatch(reason) for _, reason in dropped)
