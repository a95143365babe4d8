"""
Decide per sentence whether it is worth keeping, and of which kind: two stages of logistic regression.

The first stage reads the features of each sentence alone. A feature counts with its shared weight plus the weight of
its language ("pt:question"), so that both languages learn from each other's examples. Words that no word list contains
count too: each has a score, the product of its embedding and weights trained on embeddings, so that "severance" counts
although only "redundancy" was in an example. A second score counts for the other sentences of the message: it tells a
story or a draft from what the user says about themselves. The embeddings are not needed here. The second stage adds how
likely the sentences before and after it and the likeliest other one are: facts come together ("I got the job. It is 25
hours a week."), and most messages without facts have not one likely sentence.

The weights and scores are data (`sentence_weights.json`, `word_scores.json`), trained by
`python -m evals.train_sentences`.
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
_WORD_SCORES_FILE = "word_scores.json"

#: Larger scores of the first stage count as this.
_MAX_SCORE = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourWeights:
    """The weights of the second stage."""

    bias: float
    own: float  #: of the sentence's own score
    previous: float  #: of the probability of the sentence before it
    following: float  #: of the probability of the sentence after it
    likeliest: float  #: of the largest probability of the other sentences of the message

    def probabilities(self, scores: Sequence[float]) -> list[float]:
        """Return the probability of each sentence of a message from the scores of the first stage."""
        return [
            logistic(sum(weight * value for weight, value in zip(self.values, inputs, strict=True)))
            for inputs in neighbour_inputs(scores)
        ]

    @property
    def values(self) -> tuple[float, float, float, float, float]:
        return (self.bias, self.own, self.previous, self.following, self.likeliest)


def neighbour_inputs(scores: Sequence[float]) -> list[tuple[float, float, float, float, float]]:
    """Return the inputs of the second stage for each sentence, in the order of its weights."""
    alone = [0.0, *map(logistic, scores), 0.0]
    first, second = [*sorted(alone, reverse=True), 0.0][:2]
    return [
        (
            1.0,
            max(min(score, _MAX_SCORE), -_MAX_SCORE),
            alone[index],
            alone[index + 2],
            second if alone[index + 1] == first else first,
        )
        for index, score in enumerate(scores)
    ]


def logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(min(score, 30), -30)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """The scores of the known words, by their folded form."""

    sentence: Mapping[str, float]  #: for the sentence that contains the word
    message: Mapping[str, float]  #: for the other sentences of the message

    def totals(self, sentences: Sequence[Sequence[str]]) -> list[float]:
        """Return what the words of a message add to the score of each of its sentences."""
        message_totals = [sum(self.message.get(word, 0.0) for word in words) for words in sentences]
        message_total, message_words = sum(message_totals), sum(map(len, sentences))
        return [
            word_share(len(words)) * sum(self.sentence.get(word, 0.0) for word in words)
            + word_share(message_words - len(words)) * (message_total - own_total)
            for words, own_total in zip(sentences, message_totals, strict=True)
        ]


def word_share(count: int) -> float:
    """Return the factor of a word's score among so many: a long text says more, but not in proportion to its length."""
    return 1 / math.sqrt(max(count, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWeights:
    """The weights for one language: the shared weight plus the language's own, by feature."""

    keep: Mapping[str, float]
    kinds: Mapping[Kind, Mapping[str, float]]
    words: WordScores
    neighbours: NeighbourWeights
    threshold: float  #: minimum probability to keep a sentence

    def keep_probabilities(self, sentences: Sequence[SentenceFeatures]) -> list[float]:
        """Return the probability of each sentence of a message that it is worth keeping."""
        word_totals = self.words.totals([features.words for features in sentences])
        return self.neighbours.probabilities(
            [
                _total(self.keep, features) + word_total
                for features, word_total in zip(sentences, word_totals, strict=True)
            ]
        )

    def kind(self, features: SentenceFeatures) -> Kind:
        return max(self.kinds, key=lambda kind: _total(self.kinds[kind], features))

    def contributions(self, features: SentenceFeatures) -> list[tuple[str, float]]:
        """Return the weight that each feature and word of a sentence added, the largest first."""
        weights = [
            (name, round(value * self.keep.get(name, 0.0), 3)) for name, value in features.values.items()
        ]
        share = word_share(len(features.words))
        weights += [
            (f"word={word}", round(share * self.words.sentence[word], 3))
            for word in dict.fromkeys(features.words)
            if word in self.words.sentence
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
    folder = files("recollect.extraction")
    data = json.loads(folder.joinpath(_WEIGHTS_FILE).read_text("utf-8"))
    scores = json.loads(folder.joinpath(_WORD_SCORES_FILE).read_text("utf-8"))
    return parse_weights(data, parse_word_scores(scores), language)


def parse_word_scores(words_by_scores: Mapping[str, str]) -> WordScores:
    """Return the scores from the content of their file: the words of each pair of scores, "0.8 -0.4"."""
    sentence: dict[str, float] = {}
    message: dict[str, float] = {}
    for scores, words in words_by_scores.items():
        own, others = map(float, scores.split())
        sentence.update(dict.fromkeys(words.split(), own))
        message.update(dict.fromkeys(words.split(), others))
    return WordScores(sentence=sentence, message=message)


def parse_weights(data: Mapping[str, Any], words: WordScores, language: str) -> LanguageWeights:
    """Return the weights of one language from the content of a weights file."""
    return LanguageWeights(
        words=words,
        keep=_language_weights(data["keep"], language),
        kinds={Kind(name): _language_weights(weights, language) for name, weights in data["kinds"].items()},
        neighbours=NeighbourWeights(**data["neighbours"]),
        threshold=data["thresholds"][language],
    )


def _language_weights(weights: Mapping[str, float], language: str) -> dict[str, float]:
    own = f"{language}:"
    names = {name.removeprefix(own) for name in weights if ":" not in name or name.startswith(own)}
    return {name: weights.get(name, 0.0) + weights.get(own + name, 0.0) for name in names}
