from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import ProviderError
from recollect.ports.vector_math import cosine, estimate_cosine_floor, unit_vector
from recollect.testing.embedders import LetterEmbedder


def test_numbers_are_scaled_to_unit_length() -> None:
    assert unit_vector([3, 4]) == array("f", [0.6, 0.8])


@given(st.lists(st.floats(-1e300, 1e300), min_size=1).filter(lambda numbers: any(map(abs, numbers))))
def test_however_large_or_small_the_numbers_are_the_length_is_one(numbers: list[float]) -> None:
    vector = unit_vector(numbers)

    assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("numbers", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_an_invalid_vector_is_rejected(numbers: list[float]) -> None:
    with pytest.raises(ProviderError, match="empty, zero or not finite"):
        unit_vector(numbers)


def test_a_vector_of_another_size_is_refused() -> None:
    with pytest.raises(ProviderError, match="2 dimensions instead of 3"):
        unit_vector([3, 4], dimension=3)


@pytest.mark.spec("TR-20")
def test_the_floor_of_an_unknown_space_is_the_best_cosine_of_sentences_that_have_nothing_in_common() -> None:
    assert estimate_cosine_floor(LetterEmbedder().embed) == pytest.approx(0.87, abs=0.01)
