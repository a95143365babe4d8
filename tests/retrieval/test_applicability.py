"""Lasting instructions and constraints apply to tasks of their topic."""

from recollect.retrieval.relevance_model import (
    MIN_APPLICABILITY,
    applicability,
    load_relevance_model,
    relevance_probability,
)

FEATURES = dict.fromkeys(load_relevance_model().weights, 0.0)


def features(*, task: float, standing_topic: float, assistant: float = 0.0) -> dict[str, float]:
    return {**FEATURES, "task": task, "standing·topic": standing_topic, "assistant": assistant}


def test_a_constraint_applies_to_a_task_of_its_topic() -> None:
    diet = features(task=0.9, standing_topic=0.9)

    assert relevance_probability(diet, load_relevance_model()) >= MIN_APPLICABILITY


def test_a_constraint_does_not_apply_to_another_topic_or_to_a_lookup() -> None:
    assert applicability(features(task=0.9, standing_topic=0.1)) < MIN_APPLICABILITY
    assert applicability(features(task=0.1, standing_topic=0.9)) < MIN_APPLICABILITY


def test_what_is_no_constraint_and_what_the_assistant_says_never_applies() -> None:
    assert applicability(features(task=1.0, standing_topic=0.0)) == 0.0
    assert applicability(features(task=1.0, standing_topic=1.0, assistant=1.0)) == 0.0
