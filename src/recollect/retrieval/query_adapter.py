"""
The query adapter: a low-rank linear map from the embedding of a question towards those of its answers.

"Where do I work?" and "I'm a paramedic in Leeds" are not close in a general embedding space. The adapter turns the
query's vector q into w = a·q + R(L·q) + b; the dot product of w with a passage's vector is the logit of a logistic
regression over pairs of a question and a statement. Only the query is mapped, so the stored vectors stay as they are.
O(dimension · rank), about a millisecond. The weights are in `query_adapter.json`, with a record of how they were
fitted; `evals/train_query_adapter.py` reproduces them.
"""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Any, NamedTuple


class AdaptedQuery(NamedTuple):
    """The logit that a passage answers the query is the dot product of both vectors plus `offset`."""

    vector: "array[float]"
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAdapter:
    embedder: str  #: the embeddings that the weights were fitted with
    scale: float  #: of the identity
    query_mean: Sequence[float]
    passage_mean: Sequence[float]
    left: Sequence[Sequence[float]]  #: one row per rank
    right: Sequence[Sequence[float]]  #: one row per dimension
    query_bias: Sequence[float]
    passage_bias: Sequence[float]
    bias: float

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "QueryAdapter":
        unit = raw["unit"]

        def scaled(row: Sequence[int]) -> tuple[float, ...]:
            return tuple([unit * number for number in row])

        return cls(
            embedder=raw["embedder"],
            scale=raw["scale"],
            query_mean=scaled(raw["query_mean"]),
            passage_mean=scaled(raw["passage_mean"]),
            left=[scaled(row) for row in raw["left"]],
            right=[scaled(row) for row in raw["right"]],
            query_bias=scaled(raw["query_bias"]),
            passage_bias=scaled(raw["passage_bias"]),
            bias=raw["bias"],
        )

    def adapt(self, vector: Sequence[float]) -> AdaptedQuery:
        """Return the vector and the offset whose scores of passages are their logits."""
        centered = [value - mean for value, mean in zip(vector, self.query_mean, strict=True)]
        inner = [sum(map(mul, row, centered)) for row in self.left]
        adapted = array(
            "f",
            [
                self.scale * value + sum(map(mul, row, inner)) + bias
                for value, row, bias in zip(centered, self.right, self.passage_bias, strict=True)
            ],
        )
        offset = (
            self.bias + sum(map(mul, self.query_bias, centered)) - sum(map(mul, adapted, self.passage_mean))
        )
        return AdaptedQuery(adapted, offset)


@cache
def load_query_adapter() -> QueryAdapter:
    return QueryAdapter.parse(
        json.loads(files("recollect.retrieval").joinpath("query_adapter.json").read_text("utf-8"))
    )
