"""How far the middle of everything is taken off what is near to it."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ports.vectors import unit
from recollect.steps.recall.middle import off_the_middle

VECTORS = st.lists(st.floats(-1, 1, width=16), min_size=4, max_size=4).filter(any).map(unit)


def product(one: "array[float]", other: "array[float]") -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def mean(vectors: "list[array[float]]") -> "array[float]":
    return array("f", [sum(column) / len(vectors) for column in zip(*vectors, strict=True)])


@given(VECTORS, st.lists(VECTORS, min_size=1, max_size=9), st.floats(0, 1))
def test_on_average_passages_are_as_near_as_before(
    question: "array[float]", passages: "list[array[float]]", share: float
) -> None:
    moved, offset = off_the_middle(question, mean(passages), share)
    before = [product(passage, question) for passage in passages]
    after = [product(passage, moved) + offset for passage in passages]

    assert sum(after) / len(after) == pytest.approx(sum(before) / len(before), abs=1e-5)


@given(VECTORS, st.lists(VECTORS, min_size=1, max_size=9))
def test_of_two_that_are_equally_near_the_one_further_from_the_middle_comes_first(
    question: "array[float]", passages: "list[array[float]]"
) -> None:
    middle = mean(passages)
    moved, offset = off_the_middle(question, middle, 0.5)
    for passage in passages:
        lost = product(passage, question) - product(passage, moved) - offset

        assert lost == pytest.approx(0.5 * (product(passage, middle) - product(middle, middle)), abs=1e-5)
