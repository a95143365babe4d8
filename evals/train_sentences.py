"""`python -m evals.train_sentences`: train the sentence classifier and write its weights.

Trains on `evals/sets/extraction/{train,train-chats,dev,authors,people}-*.jsonl` and on the labelled short lines;
`--extra FILE` adds messages of the same format, such as the corrections that `recollect review export` writes. Prints
the figures of a cross-validation by author: each message is decided with weights that have seen nothing of its author,
and without the scores of words that only this author uses.

A word's score is the product of its embedding and weights that are trained together with those of the features.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.embeddings import CachedEmbedder, default_cache_folder
from evals.extraction.__main__ import OWN_LINES_FILE
from evals.extraction.messages import LongMessage, MessageScore, long_message, score_facts, score_figures
from recollect.bootstrap import make_embedder
from recollect.domain.memory import Kind
from recollect.extraction.local_extractor import read_with_rules
from recollect.extraction.sentence_classifier import (
    WordScores,
    named_values,
    neighbour_inputs,
    parse_weights,
    word_share,
)
from recollect.extraction.sentence_extraction import SentenceDecision, decide_sentences
from recollect.extraction.sentence_units import SentenceUnit
from recollect.settings import load_settings

SETS_FOLDER = Path(__file__).with_name("sets") / "extraction"
#: Words that get a score besides those of the examples: common words of both languages.
VOCABULARY_FILE = SETS_FOLDER / "vocabulary.txt"
WEIGHTS_FOLDER = Path(__file__).parents[1] / "src/recollect/extraction"
WEIGHTS_FILE = WEIGHTS_FOLDER / "sentence_weights.json"
WORD_SCORES_FILE = WEIGHTS_FOLDER / "word_scores.json"
LANGUAGES = ("en", "pt")
#: Minimum probability to keep a sentence, by the figures of the cross-validation.
THRESHOLDS = {"en": 0.75, "pt": 0.85}
_SETS = ("train", "train-chats", "dev", "authors", "people")
#: Sets whose messages are decided by the cross-validation; the others only train.
_REPORTED_SETS = ("dev", "authors", "people")
_TIME = datetime(2026, 3, 14, 10, tzinfo=UTC)
#: Short lines are many and easy; long messages are what the classifier is for.
_LINE_WEIGHT = 0.3
_FOLDS = 8
_MIN_FEATURE_COUNT = 3
_NEIGHBOUR_RIDGE = 0.1
_NEIGHBOUR_INPUTS = ("bias", "own", "previous", "following", "likeliest")
#: The weights of one language are penalized more than the shared ones, which have twice the examples.
_LANGUAGE_PENALTY = 4.0
#: Embeddings are scaled by this, so that one penalty suits them and the features.
_VECTOR_SCALE = 4.0
#: The weights of a word for other sentences are penalized more than for its own.
_CONTEXT_PENALTY = 4.0
#: Scores are rounded to multiples of this; a word whose scores both become 0 is left out.
_SCORE_STEP = 0.4
_EMBEDDER = "onnx"
_MAX_ITERATIONS = 200
#: Steps of L-BFGS that are remembered.
_HISTORY = 8

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    message_id: str
    author: str
    language: str
    text: str
    values: Mapping[str, float]
    words: tuple[str, ...]
    is_kept: bool
    kind: Kind | None  #: None if the label has none
    weight: float = 1.0
    is_excluded: bool = False  #: a gate or a cue keeps it out, whatever its probability


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledMessage:
    set_name: str
    author: str
    language: str
    message: LongMessage


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def author_of(row: Mapping[str, Any]) -> str:
    """Return who wrote a message; of messages by unknown authors each has its own."""
    return str(row.get("author") or row["id"].rpartition("-m")[0] or row["id"])


def label_sentences(row: Mapping[str, Any], language: str) -> Iterator[LabelledSentence]:
    """Yield the sentences of a message; one is positive if it contains half of a fact's quote, or is half of one."""
    text = row["content"]
    quotes = [
        (text.index(fact["quote"]), len(fact["quote"]), fact["kind"] and Kind(fact["kind"]))
        for fact in row["facts"]
    ]
    unclear = row.get("unclear", ())
    message, _ = read_with_rules(text, sent_at=_TIME, language=language)
    for sentence in message.sentences:
        if sentence.unit.text in unclear:
            continue
        is_kept, kind = _label(sentence.unit, quotes)
        yield LabelledSentence(
            message_id=row["id"],
            author=author_of(row),
            language=language,
            text=sentence.unit.text,
            values=dict(named_values(sentence.features, language)),
            words=sentence.features.words,
            is_kept=is_kept,
            kind=kind,
            is_excluded=sentence.exclusion is not None,
        )


def _label(unit: SentenceUnit, quotes: Sequence[tuple[int, int, Kind | None]]) -> tuple[bool, Kind | None]:
    overlaps = [
        (min(unit.end, start + length) - max(unit.start, start), length, kind)
        for start, length, kind in quotes
    ]
    matches = [
        (overlap, kind)
        for overlap, length, kind in overlaps
        if 2 * overlap >= min(length, unit.end - unit.start)
    ]
    return (True, max(matches, key=lambda item: item[0])[1]) if matches else (False, None)


def label_lines(path: Path) -> Iterator[LabelledSentence]:
    for row in read_rows(path):
        if row.get("split") != "dev":
            continue
        language = row["lang"]
        message, _ = read_with_rules(row["text"], sent_at=_TIME, language=language)
        for sentence in message.sentences:
            if len(message.sentences) == 1 or not row["keep"]:
                yield LabelledSentence(
                    message_id=row["id"],
                    author=row["id"],
                    language=language,
                    text=sentence.unit.text,
                    values=dict(named_values(sentence.features, language)),
                    words=sentence.features.words,
                    is_kept=bool(row["facts"]),
                    kind=Kind(row["facts"][0]["kind"]) if row["facts"] else None,
                    weight=_LINE_WEIGHT,
                )


def load_sets(extra: Sequence[Path] = ()) -> tuple[list[LabelledSentence], list[LabelledMessage]]:
    """Return all labelled sentences, and the messages that the cross-validation decides."""
    examples: list[LabelledSentence] = []
    messages: list[LabelledMessage] = []
    for language in LANGUAGES:
        for name in _SETS:
            for row in read_rows(SETS_FOLDER / f"{name}-{language}.jsonl"):
                examples += label_sentences(row, language)
                if name in _REPORTED_SETS:
                    messages.append(
                        LabelledMessage(
                            set_name=name,
                            author=author_of(row),
                            language=language,
                            message=long_message(row),
                        )
                    )
    for path in extra:
        for row in read_rows(path):
            examples += label_sentences(row, row["lang"])
    return [*examples, *label_lines(OWN_LINES_FILE)], messages


def matrix(examples: Sequence[LabelledSentence], names: Sequence[str]) -> Matrix:
    column = {name: index for index, name in enumerate(names)}
    values = np.zeros((len(examples), len(names)))
    for row, example in enumerate(examples):
        for name, value in example.values.items():
            if name in column:
                values[row, column[name]] = value
    return values


def feature_names(examples: Iterable[LabelledSentence]) -> list[str]:
    counts: dict[str, int] = {}
    for example in examples:
        for name in example.values:
            counts[name] = counts.get(name, 0) + 1
    return sorted(name for name, count in counts.items() if count >= _MIN_FEATURE_COUNT)


def train(values: Matrix, labels: Matrix, sample_weights: Matrix, penalties: Matrix) -> Matrix:
    """Return the weights of a logistic regression with a ridge penalty, by L-BFGS."""
    # The same weights in single precision, in half of the time.
    values = values.astype(np.float32)
    weights = np.zeros(values.shape[1])
    steps: list[tuple[Matrix, Matrix]] = []
    loss, gradient = _loss(weights, values, labels, sample_weights, penalties)
    for _ in range(_MAX_ITERATIONS):
        direction = -_inverse_curvature_product(steps, gradient)
        size = 1.0
        while True:
            next_weights = weights + size * direction
            next_loss, next_gradient = _loss(next_weights, values, labels, sample_weights, penalties)
            if next_loss <= loss + 1e-4 * size * (gradient @ direction) or size < 1e-8:
                break
            size /= 2
        step, change = next_weights - weights, next_gradient - gradient
        if step @ change > 1e-12:
            steps = [*steps[1 - _HISTORY :], (step, change)]
        is_converged = abs(loss - next_loss) < 1e-6 * abs(loss)
        weights, loss, gradient = next_weights, next_loss, next_gradient
        if is_converged:
            break
    return weights


def _loss(
    weights: Matrix, values: Matrix, labels: Matrix, sample_weights: Matrix, penalties: Matrix
) -> tuple[float, Matrix]:
    """Return the penalized negative log-likelihood and its gradient."""
    scores = np.clip((values @ weights.astype(np.float32)).astype(np.float64), -30, 30)
    residuals = sample_weights * (1 / (1 + np.exp(-scores)) - labels)
    loss = (sample_weights * (np.logaddexp(0, scores) - labels * scores)).sum()
    penalty = penalties * weights
    gradient = (values.T @ residuals.astype(np.float32)).astype(np.float64) + penalty
    return float(loss + 0.5 * penalty @ weights), gradient


def _inverse_curvature_product(steps: Sequence[tuple[Matrix, Matrix]], gradient: Matrix) -> Matrix:
    """Return the gradient times the inverse curvature that the last steps imply (two-loop recursion)."""
    if not steps:
        return gradient / max(float(np.linalg.norm(gradient)), 1e-12)
    product = gradient.copy()
    factors = []
    for step, change in reversed(steps):
        factors.append((step @ product) / (step @ change))
        product -= factors[-1] * change
    step, change = steps[-1]
    product *= (step @ change) / (change @ change)
    for (step, change), factor in zip(steps, reversed(factors), strict=True):
        product += step * (factor - (change @ product) / (step @ change))
    return product


def penalties_of(names: Sequence[str], ridge: float) -> Matrix:
    """Return the penalty of each feature: none for the bias, a larger one for the languages' own weights."""
    return np.array(
        [
            0.01 if name.endswith("bias") else ridge * (_LANGUAGE_PENALTY if name[2:3] == ":" else 1.0)
            for name in names
        ]
    )


class WordVectors:
    """The embeddings of all words that may get a score, as deviations from their mean."""

    def __init__(self, words: Sequence[str], embedder: CachedEmbedder) -> None:
        self.words = words
        vectors = np.array(embedder.embed(words), dtype=np.float64)
        self.vectors = _VECTOR_SCALE * (vectors - vectors.mean(axis=0))
        self._index = {word: index for index, word in enumerate(words)}

    def sums(self, messages: Iterable[Sequence[int]], examples: Sequence[LabelledSentence]) -> Matrix:
        """Return for each sentence the vectors that the weights turn into the scores of its words and context."""
        size = self.vectors.shape[1]
        sums = np.zeros((len(examples), 2 * size))
        for rows in messages:
            own = np.array([self._sum(examples[row].words) for row in rows])
            counts = [len(examples[row].words) for row in rows]
            others = own.sum(axis=0) - own
            for place, row in enumerate(rows):
                sums[row, :size] = word_share(counts[place]) * own[place]
                sums[row, size:] = word_share(sum(counts) - counts[place]) * others[place]
        return sums

    def _sum(self, words: Sequence[str]) -> Matrix:
        vectors: Matrix = self.vectors[[self._index[word] for word in words if word in self._index]]
        return vectors.sum(axis=0)

    def scores(self, weights: Matrix, known: AbstractSet[str]) -> WordScores:
        """Return the rounded scores of the known words."""
        size = self.vectors.shape[1]
        return WordScores(
            sentence=self._rounded_scores(weights[:size], known),
            message=self._rounded_scores(weights[size:], known),
        )

    def _rounded_scores(self, weights: Matrix, known: AbstractSet[str]) -> dict[str, float]:
        steps = np.rint(self.vectors @ weights / _SCORE_STEP)
        return {
            word: round(float(step) * _SCORE_STEP, 1)
            for word, step in zip(self.words, steps, strict=True)
            if step and word in known
        }


def read_vocabulary() -> list[str]:
    return VOCABULARY_FILE.read_text("utf-8").split()


def is_scored(word: str) -> bool:
    """Return whether a word may have a score; numbers and identifiers have none."""
    return not any(map(str.isdecimal, word))


class Trainer:
    """The labelled sentences as arrays, from which weights are trained for any part of them."""

    def __init__(self, examples: Sequence[LabelledSentence], ridge: float, embedder: CachedEmbedder) -> None:
        self.examples = examples
        self.names = feature_names(examples)
        self.embedding_model = embedder.model_id
        self.vocabulary = frozenset(read_vocabulary())
        own_words = {word for example in examples for word in example.words if is_scored(word)}
        self.vectors = WordVectors(sorted(self.vocabulary | own_words), embedder)
        self.values = np.hstack([matrix(examples, self.names), self.vectors.sums(self._messages(), examples)])
        size = self.vectors.vectors.shape[1]
        self.penalties = np.concatenate(
            [
                penalties_of(self.names, ridge),
                np.full(size, ridge),
                np.full(size, _CONTEXT_PENALTY * ridge),
            ]
        )
        self.labels = np.array([float(example.is_kept) for example in examples])
        self.weights = np.array([example.weight for example in examples])
        authors = sorted({example.author for example in examples})
        fold_by_author = {author: index % _FOLDS for index, author in enumerate(authors)}
        self.folds = np.array([fold_by_author[example.author] for example in examples])

    def train_keep(self, rows: Matrix) -> Matrix:
        return train(self.values[rows], self.labels[rows], self.weights[rows], self.penalties)

    def cross_validate(self) -> tuple[list[Matrix], Matrix]:
        """Return the weights without each fold, and the score of each sentence from weights without its author."""
        weights_by_fold = [self.train_keep(self.folds != fold) for fold in range(_FOLDS)]
        scores = np.zeros(len(self.examples))
        for fold, weights in enumerate(weights_by_fold):
            scores[self.folds == fold] = self.values[self.folds == fold] @ weights
        return weights_by_fold, scores

    def keep_weights(self, weights: Matrix) -> dict[str, float]:
        """Return the weights of the features among the trained weights."""
        return _rounded(self.names, weights[: len(self.names)])

    def word_scores(self, weights: Matrix, known: AbstractSet[str]) -> WordScores:
        return self.vectors.scores(weights[len(self.names) :], known)

    def words_without(self, fold: int) -> frozenset[str]:
        """Return the words that are known without the examples of a fold."""
        return self.vocabulary.union(
            *(example.words for example, its in zip(self.examples, self.folds, strict=True) if its != fold)
        )

    def train_neighbours(self, scores: Matrix, rows: Matrix) -> dict[str, float]:
        """Train the second stage on the scores of sentences whose author the first stage has not seen."""
        inputs = np.zeros((len(self.examples), len(_NEIGHBOUR_INPUTS)))
        for indices in self._messages():
            inputs[indices] = neighbour_inputs([float(scores[index]) for index in indices])
        trained = rows & np.array([not example.is_excluded for example in self.examples])
        weights = train(
            inputs[trained],
            self.labels[trained],
            self.weights[trained],
            np.full(inputs.shape[1], _NEIGHBOUR_RIDGE),
        )
        return {
            name: round(float(weight), 3) for name, weight in zip(_NEIGHBOUR_INPUTS, weights, strict=True)
        }

    def train_kinds(self) -> dict[str, dict[str, float]]:
        rows = np.array([example.kind is not None for example in self.examples])
        shared = [index for index, name in enumerate(self.names) if name[2:3] != ":"]
        kinds = [example.kind for example in self.examples if example.kind is not None]
        return {
            kind.value: _rounded(
                [self.names[index] for index in shared],
                train(
                    self.values[rows][:, shared],
                    np.array([float(each is kind) for each in kinds]),
                    self.weights[rows],
                    self.penalties[shared],
                ),
            )
            for kind in Kind
        }

    def _messages(self) -> Iterator[list[int]]:
        indices: dict[str, list[int]] = {}
        for index, example in enumerate(self.examples):
            indices.setdefault(example.message_id, []).append(index)
        yield from indices.values()


def report(
    messages: Sequence[LabelledMessage],
    weights_without: Callable[[str], tuple[dict[str, Any], WordScores]],
    thresholds: Sequence[float],
    *,
    with_decisions: bool,
) -> None:
    """Print the figures of whole messages, each decided with weights that have seen nothing of its author."""
    read_messages = [
        read_with_rules(each.message.content, sent_at=each.message.sent_at, language=each.language)
        for each in messages
    ]
    for name in (*_REPORTED_SETS, "all"):
        for language in LANGUAGES:
            chosen = [
                (each, read)
                for each, read in zip(messages, read_messages, strict=True)
                if each.language == language and name in {"all", each.set_name}
            ]
            for threshold in thresholds:
                scores = []
                for each, (read, rule_facts) in chosen:
                    data, words = weights_without(each.author)
                    message = each.message
                    decisions = decide_sentences(
                        read,
                        rule_facts,
                        parse_weights({**data, "thresholds": {language: threshold}}, words, language),
                        sent_at=message.sent_at,
                    )
                    facts = tuple(fact for decision in decisions for fact in decision.facts)
                    scores.append(score_facts(message, facts))
                    if with_decisions and name != "all":
                        print_wrong_decisions(scores[-1], decisions)
                figures = score_figures(scores)
                print(
                    f"{name:8} {language} threshold {threshold:.2f}: kept {figures['kept']:5} % of "
                    f"{figures['facts']}, precision {figures['precision']:5} %, false keeps per 100 messages "
                    f"{figures['false_keeps_per_100']}"
                )


def print_wrong_decisions(score: MessageScore, decisions: Sequence[SentenceDecision]) -> None:
    """Print each fact that is wrong and each sentence with a missed fact, with the reason of its decision."""
    for decision in decisions:
        for fact in decision.facts:
            if fact in score.wrong_facts:
                print(f"WRONG {score.message.id} {decision.probability:.2f} {decision.reason}: {fact.text}")
        missed = [
            score.message.content[start:end]
            for start, end in score.missed_quotes
            if decision.start <= start < decision.end
        ]
        for quote in missed:
            print(f"MISSED {score.message.id} {decision.probability:.2f} {decision.reason}: {quote}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.train_sentences", description=__doc__)
    parser.add_argument("--extra", type=Path, action="append", default=[], help="labelled messages to add")
    parser.add_argument("--ridge", type=float, default=6.0, help="strength of the penalty")
    parser.add_argument(
        "--threshold",
        type=float,
        nargs="+",
        default=sorted(set(THRESHOLDS.values())),
        help="minimum probabilities to keep a sentence that are reported",
    )
    parser.add_argument("--decisions", action="store_true", help="print each wrong decision")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    examples, messages = load_sets(options.extra)
    embedder = make_embedder(load_settings(arguments={"embedder": _EMBEDDER}).resolve().machine)
    if embedder is None:
        parser.error(f"the embedder {_EMBEDDER} is not installed")
    with CachedEmbedder(embedder, default_cache_folder()) as cached:
        trainer = Trainer(examples, options.ridge, cached)
    keep_by_fold, scores = trainer.cross_validate()
    fold_by_author = {
        example.author: int(fold) for example, fold in zip(examples, trainer.folds, strict=True)
    }
    data_by_fold = []
    for fold, weights in enumerate(keep_by_fold):
        data = {
            "keep": trainer.keep_weights(weights),
            "kinds": {Kind.NOTE.value: {}},
            "neighbours": trainer.train_neighbours(scores, trainer.folds != fold),
        }
        data_by_fold.append((data, trainer.word_scores(weights, trainer.words_without(fold))))
    report(
        messages,
        lambda author: data_by_fold[fold_by_author.get(author, 0)],
        options.threshold,
        with_decisions=options.decisions,
    )
    if options.write:
        write_weights(trainer, scores, options)


def write_weights(trainer: Trainer, scores: Matrix, options: argparse.Namespace) -> None:
    everything = np.ones(len(trainer.examples), dtype=bool)
    weights = trainer.train_keep(everything)
    data = {
        "record": {
            "command": f"python -m evals.train_sentences --ridge {options.ridge} --write",
            "sentences": len(trainer.examples),
            "positive": int(trainer.labels.sum()),
            "messages": len({example.message_id for example in trainer.examples}),
            "authors": len({example.author for example in trainer.examples}),
            "ridge": options.ridge,
            "embeddings": trainer.embedding_model,
        },
        "thresholds": THRESHOLDS,
        "keep": trainer.keep_weights(weights),
        "neighbours": trainer.train_neighbours(scores, everything),
        "kinds": trainer.train_kinds(),
    }
    WEIGHTS_FILE.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")
    word_scores = trainer.word_scores(weights, frozenset(trainer.vectors.words))
    WORD_SCORES_FILE.write_text(
        json.dumps(_words_by_scores(word_scores), indent=0, ensure_ascii=False) + "\n", "utf-8"
    )


def _words_by_scores(scores: WordScores) -> dict[str, str]:
    words: defaultdict[tuple[float, float], list[str]] = defaultdict(list)
    for word in sorted(scores.sentence.keys() | scores.message.keys()):
        words[scores.sentence.get(word, 0.0), scores.message.get(word, 0.0)].append(word)
    return {f"{own:.1f} {others:.1f}": " ".join(words[own, others]) for own, others in sorted(words)}


def _rounded(names: Sequence[str], weights: Matrix) -> dict[str, float]:
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= 0.005
    }


if __name__ == "__main__":
    main()
