"""`python -m evals.train_sentences`: train the sentence classifier and write its weights.

Trains on `evals/sets/extraction/{train,train-chats,dev,authors}-*.jsonl` and on the labelled short lines; `--extra
FILE` adds messages of the same format, such as the corrections that `recollect review export` writes. Prints the
figures of a cross-validation by author: each message is decided with weights that have seen nothing of its author.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.extraction.__main__ import OWN_LINES_FILE
from evals.extraction.messages import LongMessage, MessageScore, long_message, score_facts, score_figures
from recollect.domain.memory import Kind
from recollect.extraction.local_extractor import read_with_rules
from recollect.extraction.sentence_classifier import named_values, neighbour_inputs, parse_weights
from recollect.extraction.sentence_extraction import SentenceDecision, decide_sentences
from recollect.extraction.sentence_units import SentenceUnit

SETS_FOLDER = Path(__file__).with_name("sets") / "extraction"
WEIGHTS_FILE = Path(__file__).parents[1] / "src/recollect/extraction/sentence_weights.json"
LANGUAGES = ("en", "pt")
_SETS = ("train", "train-chats", "dev", "authors")
#: Sets whose messages are decided by the cross-validation; the others only train.
_REPORTED_SETS = ("dev", "authors")
_TIME = datetime(2026, 3, 14, 10, tzinfo=UTC)
#: Short lines are many and easy; long messages are what the classifier is for.
_LINE_WEIGHT = 0.3
_FOLDS = 8
_MIN_FEATURE_COUNT = 3
_NEIGHBOUR_RIDGE = 0.1
#: The weights of one language are penalized more than the shared ones, which have twice the examples.
_LANGUAGE_PENALTY = 4.0

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    message_id: str
    author: str
    language: str
    text: str
    values: Mapping[str, float]
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
    """Return the weights of a logistic regression with a ridge penalty (iteratively reweighted least squares)."""
    weights = np.zeros(values.shape[1])
    for _ in range(30):
        probabilities = 1 / (1 + np.exp(-np.clip(values @ weights, -30, 30)))
        gradient = values.T @ (sample_weights * (labels - probabilities)) - penalties * weights
        curvature = (values.T * (sample_weights * probabilities * (1 - probabilities))) @ values
        step = np.linalg.solve(curvature + np.diag(penalties + 1e-6), gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def penalties_of(names: Sequence[str], ridge: float) -> Matrix:
    """Return the penalty of each feature: none for the bias, a larger one for the languages' own weights."""
    return np.array(
        [
            0.01 if name.endswith("bias") else ridge * (_LANGUAGE_PENALTY if name[2:3] == ":" else 1.0)
            for name in names
        ]
    )


class Trainer:
    """The labelled sentences as arrays, from which weights are trained for any part of them."""

    def __init__(self, examples: Sequence[LabelledSentence], ridge: float) -> None:
        self.examples = examples
        self.names = feature_names(examples)
        self.values = matrix(examples, self.names)
        self.penalties = penalties_of(self.names, ridge)
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

    def train_neighbours(self, scores: Matrix, rows: Matrix) -> dict[str, float]:
        """Train the second stage on the scores of sentences whose author the first stage has not seen."""
        inputs = np.zeros((len(self.examples), 4))
        for indices in self._messages():
            inputs[indices] = neighbour_inputs([float(scores[index]) for index in indices])
        trained = rows & np.array([not example.is_excluded for example in self.examples])
        weights = train(
            inputs[trained], self.labels[trained], self.weights[trained], np.full(4, _NEIGHBOUR_RIDGE)
        )
        names = ("bias", "own", "previous", "following")
        return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}

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
    weights_without: Callable[[str], dict[str, Any]],
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
                    data = {**weights_without(each.author), "thresholds": {language: threshold}}
                    message = each.message
                    decisions = decide_sentences(
                        read, rule_facts, parse_weights(data, language), sent_at=message.sent_at
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
        "--threshold", type=float, nargs="+", default=[0.85], help="minimum probability to keep a sentence"
    )
    parser.add_argument("--decisions", action="store_true", help="print each wrong decision")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    examples, messages = load_sets(options.extra)
    trainer = Trainer(examples, options.ridge)
    keep_by_fold, scores = trainer.cross_validate()
    fold_by_author = {
        example.author: int(fold) for example, fold in zip(examples, trainer.folds, strict=True)
    }
    data_by_fold = [
        {
            "keep": _rounded(trainer.names, keep),
            "kinds": {Kind.NOTE.value: {}},
            "neighbours": trainer.train_neighbours(scores, trainer.folds != fold),
        }
        for fold, keep in enumerate(keep_by_fold)
    ]
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
    threshold = options.threshold[0]
    data = {
        "record": {
            "command": f"python -m evals.train_sentences --ridge {options.ridge} --threshold {threshold} --write",
            "sentences": len(trainer.examples),
            "positive": int(trainer.labels.sum()),
            "messages": len({example.message_id for example in trainer.examples}),
            "authors": len({example.author for example in trainer.examples}),
            "ridge": options.ridge,
        },
        "thresholds": dict.fromkeys(LANGUAGES, threshold),
        "keep": _rounded(trainer.names, trainer.train_keep(everything)),
        "neighbours": trainer.train_neighbours(scores, everything),
        "kinds": trainer.train_kinds(),
    }
    WEIGHTS_FILE.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")


def _rounded(names: Sequence[str], weights: Matrix) -> dict[str, float]:
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= 0.005
    }


if __name__ == "__main__":
    main()
