"""The query adapter: a linear map of a question's embedding towards those of its answers."""

from array import array
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate

from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.retrieval.candidates import CandidateSet
from recollect.retrieval.query_adapter import QueryAdapter, load_query_adapter

coordinates = st.floats(-1, 1, width=32)


def an_adapter() -> QueryAdapter:
    """Rank 1 in two dimensions: the second coordinate of a question points to the first one of an answer."""
    return QueryAdapter.parse(
        {
            "embedder": "test",
            "unit": 0.5,
            "scale": 1.0,
            "bias": -1.0,
            "query_mean": [1, 0],
            "passage_mean": [2, 0],
            "query_bias": [0, 2],
            "passage_bias": [0, 0],
            "left": [[0, 2]],
            "right": [[4], [0]],
        }
    )


def test_the_adapted_query_is_near_to_what_the_low_rank_part_maps_it_to() -> None:
    vector, offset = an_adapter().adapt([0.5, 1.0])

    assert list(vector) == [2.0, 1.0]
    assert offset == pytest.approx(-1.0 + 1.0 - 2.0)


@given(st.tuples(coordinates, coordinates), st.tuples(coordinates, coordinates))
def test_the_logit_is_the_bilinear_form_of_both_centered_vectors(
    query: tuple[float, float], passage: tuple[float, float]
) -> None:
    vector, offset = an_adapter().adapt(query)

    first, second = query[0] - 0.5, query[1]
    expected = (first + 2 * second) * (passage[0] - 1) + second * passage[1] + second - 1
    assert sum(map(mul, vector, passage)) + offset == pytest.approx(expected, abs=1e-5)


def test_candidates_without_a_vector_have_no_logit() -> None:
    with_vector = a_candidate("I'm a paramedic")._replace(passage_id=4)
    without = a_candidate("ok")._replace(passage_id=8)
    candidates = CandidateSet().add([with_vector, without])

    rated = candidates.with_answer_logits({4: 0.5}, -2.0)

    assert [each.answer_logit for each in rated.candidates] == [-1.5, None]


def test_the_shipped_adapter_prefers_the_answer_to_a_statement_in_the_words_of_the_question() -> None:
    embedder, adapter = OnnxEmbedder(), load_query_adapter()
    vector, offset = adapter.adapt(embedder.embed_query("Where do I work?"))
    answer, other = embedder.embed(["I'm a paramedic in Leeds", "the boiler doesn't work, it's where I said"])

    assert adapter.embedder == embedder.model_id
    assert sum(map(mul, vector, answer)) + offset > sum(map(mul, vector, other)) + offset


def test_adapting_gives_a_vector_that_stores_accept() -> None:
    vector, _ = load_query_adapter().adapt(array("f", [0.0] * 384))

    assert vector.typecode == "f"
    assert len(vector) == 384
