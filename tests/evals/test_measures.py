import pytest
from evals.measures import average_by_group, average_metrics, ndcg, recall, recall_metrics, unique


def test_recall_is_the_share_of_relevant_items_among_the_first() -> None:
    assert recall(["a", "x", "b"], {"a", "b"}, 2) == 0.5
    assert recall(["a", "x", "b"], {"a", "b"}, 3) == 1.0


def test_ndcg_is_1_if_relevant_items_come_first_and_lower_otherwise() -> None:
    assert ndcg(["a", "b", "x"], {"a", "b"}, 3) == 1.0
    assert 0 < ndcg(["x", "a"], {"a"}, 3) < ndcg(["a", "x"], {"a"}, 3)


def test_duplicates_in_a_ranking_count_once() -> None:
    assert unique(["a", "a", "b"]) == ["a", "b"]
    assert recall_metrics("", ["a", "a", "b"], {"b"}, cutoffs=[2]) == {
        "recall@2": 1.0,
        "recall_any@2": 1.0,
        "recall_all@2": 1.0,
    }


def test_any_needs_one_relevant_item_and_all_needs_every_one() -> None:
    metrics = recall_metrics("turn_", ["a"], {"a", "b"}, cutoffs=[5], ndcg_cutoffs=[5])

    assert metrics == {
        "turn_recall@5": 0.5,
        "turn_recall_any@5": 1.0,
        "turn_recall_all@5": 0.0,
        "turn_ndcg@5": pytest.approx(0.613, abs=0.001),
    }


def test_figures_are_percentages_over_the_questions_that_have_them() -> None:
    assert average_metrics([{"a": 1.0, "b": 0.5}, {"a": 0.0}]) == {"a": 50.0, "b": 50.0, "n": 2}


def test_groups_are_nested_under_the_total() -> None:
    assert average_by_group([("x", {"a": 1.0}), ("y", {"a": 0.0})], "by_type") == {
        "a": 50.0,
        "n": 2,
        "by_type": {"x": {"a": 100.0, "n": 1}, "y": {"a": 0.0, "n": 1}},
    }
