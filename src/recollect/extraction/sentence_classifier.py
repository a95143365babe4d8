"""
Decide per sentence whether it is worth keeping, and of which kind: logistic regression over readable features.

The weights are data (`sentence_weights.json`), trained by `python -m evals.train_sentences`. A feature counts with its shared
weight plus the weight of its language ("pt:question"), so that both languages learn from each other's examples.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from recollect.domain.memory import Kind
from recollect.extraction.sentence_features import SentenceFeatures

_WEIGHTS_FILE = "sentence_weights.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceModel:
    keep_weights: Mapping[str, float]
    kind_weights: Mapping[Kind, Mapping[str, float]]
    thresholds: Mapping[str, float]  #: minimum probability to keep a sentence, by language

    def keep_probability(self, features: SentenceFeatures, language: str) -> float:
        return 1 / (1 + math.exp(-max(min(_total(self.keep_weights, features, language), 30), -30)))

    def kind(self, features: SentenceFeatures, language: str) -> Kind:
        return max(
            self.kind_weights, key=lambda kind: _total(self.kind_weights[kind], features, language)
        )

    def contributions(self, features: SentenceFeatures, language: str) -> list[tuple[str, float]]:
        """Return the weight that each feature added, the largest first."""
        weights = [
            (name, value * (self.keep_weights.get(name, 0.0) + self.keep_weights.get(f"{language}:{name}", 0.0)))
            for name, value in features.values.items()
        ]
        return sorted(weights, key=lambda item: (-abs(item[1]), item[0]))


def named_values(features: SentenceFeatures, language: str) -> Iterator[tuple[str, float]]:
    """Yield all features that weights may refer to: the bias, the shared and the language's own."""
    yield "bias", 1.0
    yield f"{language}:bias", 1.0
    for name, value in features.values.items():
        yield name, value
        yield f"{language}:{name}", value


def _total(weights: Mapping[str, float], features: SentenceFeatures, language: str) -> float:
    return sum(value * weights.get(name, 0.0) for name, value in named_values(features, language))


@cache
def load_model() -> SentenceModel:
    """Return the model that is installed with the package."""
    data = json.loads(files("recollect.extraction").joinpath(_WEIGHTS_FILE).read_text("utf-8"))
    return SentenceModel(
        keep_weights=data["keep"],
        kind_weights={Kind(name): weights for name, weights in data["kinds"].items()},
        thresholds=data["thresholds"],
    )
