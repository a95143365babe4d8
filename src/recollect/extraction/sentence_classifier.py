"""
Decide per sentence whether it is worth keeping, and of which kind: logistic regression over readable features.

The weights are data (`sentence_weights.json`), trained by `python -m evals.train_sentences`. A feature counts with
its shared
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
class LanguageWeights:
    """The weights for one language: the shared weight plus the language's own, by feature."""

    keep: Mapping[str, float]
    kinds: Mapping[Kind, Mapping[str, float]]
    threshold: float  #: minimum probability to keep a sentence

    def keep_probability(self, features: SentenceFeatures) -> float:
        return 1 / (1 + math.exp(-max(min(_total(self.keep, features), 30), -30)))

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
    return LanguageWeights(
        keep=_language_weights(data["keep"], language),
        kinds={Kind(name): _language_weights(weights, language) for name, weights in data["kinds"].items()},
        threshold=data["thresholds"][language],
    )


def _language_weights(weights: Mapping[str, float], language: str) -> dict[str, float]:
    own = f"{language}:"
    names = {name.removeprefix(own) for name in weights if ":" not in name or name.startswith(own)}
    return {name: weights.get(name, 0.0) + weights.get(own + name, 0.0) for name in names}
