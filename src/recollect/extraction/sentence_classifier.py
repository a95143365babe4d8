"""
Decide per sentence whether it is worth keeping, and of which kind: two stages of logistic regression.

The first stage reads the features of each sentence alone. A feature counts with its shared weight plus the weight of
its language ("pt:question"), so that both languages learn from each other's examples. The second stage adds how likely
the sentences before and after it are: facts come together ("I got the job. It is 25 hours a week.").

The weights are data (`sentence_weights.json`), trained by `python -m evals.train_sentences`.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from recollect.domain.memory import Kind
from recollect.extraction.sentence_features import SentenceFeatures

_WEIGHTS_FILE = "sentence_weights.json"


#: Larger scores of the first stage count as this.
_MAX_SCORE = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourWeights:
    """The weights of the second stage."""

    bias: float
    own: float  #: of the sentence's own score
    previous: float  #: of the probability of the sentence before it
    following: float  #: of the probability of the sentence after it

    def probabilities(self, scores: Sequence[float]) -> list[float]:
        """Return the probability of each sentence of a message from the scores of the first stage."""
        return [
            logistic(sum(weight * value for weight, value in zip(self.values, inputs, strict=True)))
            for inputs in neighbour_inputs(scores)
        ]

    @property
    def values(self) -> tuple[float, float, float, float]:
        return (self.bias, self.own, self.previous, self.following)


def neighbour_inputs(scores: Sequence[float]) -> list[tuple[float, float, float, float]]:
    """Return the inputs of the second stage for each sentence, in the order of its weights."""
    alone = [0.0, *map(logistic, scores), 0.0]
    return [
        (1.0, max(min(score, _MAX_SCORE), -_MAX_SCORE), alone[index], alone[index + 2])
        for index, score in enumerate(scores)
    ]


def logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(min(score, 30), -30)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWeights:
    """The weights for one language: the shared weight plus the language's own, by feature."""

    keep: Mapping[str, float]
    kinds: Mapping[Kind, Mapping[str, float]]
    neighbours: NeighbourWeights
    threshold: float  #: minimum probability to keep a sentence

    def keep_probabilities(self, sentences: Sequence[SentenceFeatures]) -> list[float]:
        """Return the probability of each sentence of a message that it is worth keeping."""
        return self.neighbours.probabilities([_total(self.keep, features) for features in sentences])

    def kind(self, features: SentenceFeatures) -> Kind:
        return max(self.kinds, key=lambda kind: _total(self.kinds[kind], features))

    def contributions(self, features: SentenceFeatures) -> list[tuple[str, float]]:
        """Return the weight that each feature added, the largest first."""
        weights = [
            (name, round(value * self.keep.get(name, 0.0), 3)) for name, value in features.values.items()
        ]
        return sorted(weights, key=lambda item: (-abs(item[1]), item[0]))


def named_values(features: SentenceFeatures, language: str) -> Iterator[tuple[str, float]]:
    """Yield all features that weights may refer to: the bias, the shared and the language's own."""
    yield "bias", 1.0
    yield f"{language}:bias", 1.0
    for name, value in features.values.items():
        yield name, value
        yield f"{language}:{name}", value


def _total(weights: Mapping[str, float], features: SentenceFeatures) -> float:
    total = weights.get("bias", 0.0)
    for name, value in features.values.items():
        total += value * weights.get(name, 0.0)
    return total


@cache
def load_weights(language: str) -> LanguageWeights:
    """Return the weights that are installed with the package."""
    data = json.loads(files("recollect.extraction").joinpath(_WEIGHTS_FILE).read_text("utf-8"))
    return parse_weights(data, language)


def parse_weights(data: Mapping[str, Any], language: str) -> LanguageWeights:
    """Return the weights of one language from the content of a weights file."""
    return LanguageWeights(
        keep=_language_weights(data["keep"], language),
        kinds={Kind(name): _language_weights(weights, language) for name, weights in data["kinds"].items()},
        neighbours=NeighbourWeights(**data["neighbours"]),
        threshold=data["thresholds"][language],
    )


def _language_weights(weights: Mapping[str, float], language: str) -> dict[str, float]:
    own = f"{language}:"
    names = {name.removeprefix(own) for name in weights if ":" not in name or name.startswith(own)}
    return {name: weights.get(name, 0.0) + weights.get(own + name, 0.0) for name in names}
