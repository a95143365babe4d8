"""How near vectors are to what is sought, and what lying in the middle of all takes off."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.adapters.sqlite.shelf import FAR, Floats, Sought

SIDES = st.lists(st.integers(-127, 127), min_size=4, max_size=4).filter(any)


def unit(values: list[int]) -> Floats:
    vector = np.array(values, dtype=np.float32)
    scaled: Floats = vector / np.linalg.norm(vector)
    return scaled


@given(SIDES, st.lists(SIDES, min_size=2, max_size=9), st.floats(0, 1))
def test_the_middle_takes_off_its_share_and_gives_a_little_at_most(
    question: list[int], rows: list[list[int]], share: float
) -> None:
    matrix = np.array(rows, dtype=np.int8)
    scales = (1 / np.linalg.norm(matrix.astype(np.float32), axis=1)).astype(np.float32)
    vectors = matrix * scales[:, None]
    middle = vectors.mean(axis=0).astype(np.float32)
    near = Sought(question=unit(question), middle=middle, share=share).nearness(matrix, scales)
    taken = vectors @ unit(question) - near
    beyond = vectors @ middle - middle @ middle

    assert taken == pytest.approx(share * np.maximum(beyond, -FAR), abs=1e-4)
