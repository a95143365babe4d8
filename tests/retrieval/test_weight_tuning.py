"""Better numbers are found where there are any, and a gain that would not last is seen for what it is."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact

from recollect.domain.candidate import Candidate, ScoredCandidate
from recollect.domain.feedback import RelevanceLabel
from recollect.domain.policy import Policy, RecallPolicy
from recollect.retrieval.query_features import extract_query_features
from recollect.retrieval.scoring.scorer import ScoringContext, score_candidates
from recollect.retrieval.scoring.table import SCORERS, scorer_of
from recollect.retrieval.selection import deduplicate
from recollect.retrieval.weight_tuning import (
    NDCG_DEPTH,
    alpha_share,
    coordinate_ascent,
    label_candidates,
    ndcg,
    query_ndcg,
    split_folds,
    trial_values,
    tune_weights,
    with_half_life,
    with_weights,
)
from recollect.settings import list_specs
from recollect.testing.clock import MONDAY

GAIN_LISTS = st.lists(st.floats(0, 10), max_size=12)
START_WEIGHTS = {"alpha": 0.6, "beta": 0.3, "gamma": 0.1, "relative_cutoff": 0.25}


def rank(*candidates: Candidate, policy: RecallPolicy) -> list[ScoredCandidate]:
    context = ScoringContext(
        query=extract_query_features("", MONDAY), policy=policy, now=MONDAY, cosine_floor=0.0
    )
    return score_candidates(candidates, scorer_of(policy), context)


@pytest.mark.parametrize(
    ("gains", "ideal", "expected"),
    [
        ([1], [1], 1.0),
        ([0, 1], [1], 0.6309),
        ([0, 0, 0, 0, 0, 1], [1], 0.0),
        ([1, 0], [1, 1], 0.6131),
        ([1, 3], [3, 1], 0.7967),
        ([], [1], 0.0),
        ([1], [], 0.0),
    ],
)
@pytest.mark.spec("K5")
def test_what_is_relevant_counts_less_the_later_it_comes(
    gains: list[float], ideal: list[float], expected: float
) -> None:
    assert ndcg(gains, ideal) == pytest.approx(expected, abs=1e-4)


@given(GAIN_LISTS)
def test_no_order_is_better_than_the_best_first(gains: list[float]) -> None:
    best = ndcg(sorted(gains, reverse=True), gains)

    assert 0 <= ndcg(gains, gains) <= best
    assert best == (pytest.approx(1.0) if any(gains) else 0.0)


@given(st.lists(st.text(max_size=8), max_size=60), st.integers(1, 8))
def test_folds_are_even_and_hold_everything_once(names: list[str], number: int) -> None:
    dealt = split_folds(names, number)
    sizes = {len(fold) for fold in dealt}

    assert sorted(place for fold in dealt for place in fold) == list(range(len(names)))
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.text(max_size=8), max_size=40, unique=True))
def test_folds_are_the_same_whatever_order_the_questions_come_in(names: list[str]) -> None:
    turned = names[::-1]
    one = [{names[place] for place in fold} for fold in split_folds(names)]

    assert [{turned[place] for place in fold} for fold in split_folds(turned)] == one


@pytest.mark.parametrize("ranker", SCORERS)
def test_every_number_that_is_tried_is_one_the_settings_take(ranker: str) -> None:
    rows = {row.name: row for row in list_specs()}

    for name in SCORERS[ranker].tuned_weights:
        for value in (getattr(RecallPolicy(), name), 0.0, 1.0):
            assert all(rows[f"recall.{name}"].parse(each) is not None for each in trial_values(name, value))


def test_every_ranker_that_weighs_can_be_tuned_by_numbers_there_are() -> None:
    numbers = {field.name for field in fields(RecallPolicy) if field.type is float}

    assert set().union(*(scorer.tuned_weights for scorer in SCORERS.values())) == numbers - {
        "min_cosine",
        "relevance",
        "rerank_weight",
    }


def test_the_best_mixture_is_found_and_then_each_number_by_itself() -> None:
    def worth(numbers: Mapping[str, float]) -> list[float]:
        return [-abs(numbers["alpha"] - 0.9), -abs(numbers["relative_cutoff"] - 0.0)]

    assert coordinate_ascent(START_WEIGHTS, worth) == {
        **START_WEIGHTS,
        "alpha": 0.9,
        "beta": 0.1,
        "gamma": 0.0,
        "relative_cutoff": 0.0,
    }


def test_what_is_not_better_changes_nothing() -> None:
    assert coordinate_ascent(START_WEIGHTS, lambda _: [0.5, 0.5]) == START_WEIGHTS


def test_one_question_that_gains_much_does_not_outvote_two_that_lose_a_little() -> None:
    def worth(numbers: Mapping[str, float]) -> list[float]:
        return [1.0, 0.1, 0.1] if numbers["alpha"] > 0.6 else [0.0, 0.2, 0.2]

    assert coordinate_ascent(START_WEIGHTS, worth) == START_WEIGHTS


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_search_never_ends_below_where_it_began(targets: list[float]) -> None:
    def worth(numbers: Mapping[str, float]) -> list[float]:
        return [1 - abs(numbers["beta"] - target) for target in targets]

    assert sum(worth(coordinate_ascent(START_WEIGHTS, worth))) >= sum(worth(START_WEIGHTS))


@pytest.mark.spec("K5")
def test_a_gain_that_all_questions_share_lasts() -> None:
    questions = [f"question {number}" for number in range(20)]
    found = tune_weights(START_WEIGHTS, lambda numbers: [numbers["beta"]] * 20, questions)

    assert (found.training_ndcg.before, found.held_out_ndcg.before) == pytest.approx((0.3, 0.3))
    assert found.training_ndcg.after == found.held_out_ndcg.after == pytest.approx(1.0)
    assert (found.improved_count, found.worsened_count, found.is_improvement) == (20, 0, True)
    assert found.changed_values["beta"] == 1.0


@pytest.mark.spec("K5")
def test_a_gain_by_luck_is_seen_for_what_it_is() -> None:
    questions = [f"question {number}" for number in range(10)]
    fold_of = {place: number for number, fold in enumerate(split_folds(questions)) for place in fold}

    def worth(numbers: Mapping[str, float]) -> Sequence[float]:
        # Every mixture is good for some questions and spoils those that it was chosen without.
        spoiled = round(numbers["alpha"] * 10) % 5
        return [
            0.5 if numbers["alpha"] == 0.6 else 0.0 if fold_of[place] == spoiled else 0.7
            for place in range(10)
        ]

    found = tune_weights(START_WEIGHTS, worth, questions)

    assert found.training_ndcg.after > found.training_ndcg.before
    assert found.held_out_ndcg.after < found.held_out_ndcg.before
    assert not found.is_improvement


def test_the_same_numbers_are_tried_once() -> None:
    queries = []

    def worth(numbers: Mapping[str, float]) -> list[float]:
        queries.append(tuple(numbers.values()))
        return [numbers["alpha"]] * 10

    found = tune_weights(START_WEIGHTS, worth, [str(number) for number in range(10)])

    assert len(queries) == len(set(queries)) == found.trial_count


@pytest.mark.parametrize(
    "wanted", ["m1", "the soup needs SAFFRON.", "needs saffron"], ids=["id", "words", "some of the words"]
)
def test_what_is_wanted_is_named_by_id_or_by_words(wanted: str) -> None:
    policy = RecallPolicy(ranker="sum")
    found = rank(
        a_candidate("The soup needs saffron", id="m1", dense=0.9),
        a_candidate("Rain", dense=0.1),
        policy=policy,
    )

    assert (
        query_ndcg(label_candidates(found, RelevanceLabel(query="soup?", gains={wanted: 1.0})), policy) == 1.0
    )


def test_a_chunk_stands_for_its_message() -> None:
    policy = RecallPolicy(ranker="sum")
    found = rank(a_candidate("a piece", id="m1#0", parent_id="m1", dense=0.9), policy=policy)

    assert query_ndcg(label_candidates(found, RelevanceLabel(query="?", gains={"m1": 1.0})), policy) == 1.0


def test_what_is_wanted_counts_once_and_what_is_beyond_the_cliff_not_at_all() -> None:
    policy = RecallPolicy(ranker="sum", beta=0.0, relative_cutoff=0.5)
    found = rank(
        a_candidate("the saffron, twice", dense=0.9),
        a_candidate("again the saffron", dense=0.8),
        a_candidate("far", dense=0.3),
        policy=policy,
    )
    page = label_candidates(found, RelevanceLabel(query="?", gains={"the saffron": 1.0, "far": 1.0}))

    assert query_ndcg(page, policy) == pytest.approx(ndcg([1, 0], [1, 1]))
    assert query_ndcg(page, with_weights(policy, {"relative_cutoff": 0.0})) == pytest.approx(
        ndcg([1, 0, 1], [1, 1])
    )


CANDIDATE_STRATEGY = st.lists(
    st.builds(
        a_fact,
        st.text("abcdef", min_size=1, max_size=6),
        dense=st.none() | st.floats(0, 1),
        lexical=st.none() | st.floats(0, 20),
        weight=st.floats(0, 1),
    ),
    max_size=15,
    unique_by=lambda candidate: candidate.id,
)


@given(CANDIDATE_STRATEGY, st.sampled_from(["sum", "blend", "product"]), st.floats(0, 1), st.floats(1, 400))
def test_a_sheet_is_ranked_as_the_ranker_would(
    candidates: list[Candidate], ranker: str, alpha: float, half_life: float
) -> None:
    numbers = {"alpha": alpha, "half_life_days": half_life}
    start = Policy().with_values({"recall.ranker": ranker, "recall.relative_cutoff": 0.0}).recall
    then = with_weights(start, numbers)
    page = with_half_life(
        label_candidates(rank(*candidates, policy=start), RelevanceLabel(query="?", gains={"a": 1.0})),
        MONDAY,
        half_life,
    )
    single, _ = deduplicate(rank(*candidates, policy=then))

    assert alpha_share({"alpha": alpha, "beta": 0.3}, SCORERS[ranker]) == 0.0
    assert [r.candidate.id for r in single[:NDCG_DEPTH]] == _order_texts(page.candidates, page.parts, then)[
        :NDCG_DEPTH
    ]


def _order_texts(
    scored_candidates: Sequence[ScoredCandidate], parts: Sequence[Mapping[str, float]], policy: RecallPolicy
) -> list[str]:
    scores = [scorer_of(policy).formula(policy)(part) for part in parts]
    places = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    return [scored_candidates[place].candidate.id for place in places]
