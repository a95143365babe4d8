"""`python -m evals.train_sentences`: train the sentence classifier and write its weights.

Trains on `evals/sets/extraction/{train,dev}-*.jsonl` and on the labelled short lines; `--extra FILE` adds messages
of the same
format, such as exported corrections from the review queue. Prints the figures of a cross-validation by message.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.extraction.__main__ import OWN_LINES_FILE
from recollect.domain.memory import Kind
from recollect.extraction.local_extractor import read_with_rules
from recollect.extraction.sentence_classifier import named_values
from recollect.extraction.sentence_units import SentenceUnit

SETS_FOLDER = Path(__file__).with_name("sets") / "extraction"
WEIGHTS_FILE = Path(__file__).parents[1] / "src/recollect/extraction/sentence_weights.json"
_TIME = datetime(2026, 3, 14, 10, tzinfo=UTC)
#: Short lines are many and easy; long messages are what the classifier is for.
_LINE_WEIGHT = 0.3
_FOLDS = 10
_MIN_FEATURE_COUNT = 3

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    message_id: str
    language: str
    text: str
    values: Mapping[str, float]
    is_kept: bool
    kind: Kind | None  #: None if the label has none
    weight: float = 1.0
    is_closed: bool = False  #: a gate keeps the whole message out


def read_messages(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def label_sentences(row: Mapping[str, Any], language: str) -> Iterator[LabelledSentence]:
    """Yield the sentences of a message; a sentence is positive if it contains half of a fact's quote, "
    "or is half of one."""
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
            language=language,
            text=sentence.unit.text,
            values=dict(named_values(sentence.features, language)),
            is_kept=is_kept,
            kind=kind,
            is_closed=sentence.exclusion is not None,
        )


def _label(unit: SentenceUnit, quotes: Sequence[tuple[int, int, Kind | None]]) -> tuple[bool, Kind | None]:
    overlaps = [
        (min(unit.end, start + length) - max(unit.start, start), length, kind)
        for start, length, kind in quotes
    ]
    kept = [
        (overlap, kind)
        for overlap, length, kind in overlaps
        if 2 * overlap >= min(length, unit.end - unit.start)
    ]
    return (True, max(kept, key=lambda item: item[0])[1]) if kept else (False, None)


def label_lines(path: Path) -> Iterator[LabelledSentence]:
    for row in read_messages(path):
        if row.get("split") != "dev":
            continue
        language = row["lang"]
        message, _ = read_with_rules(row["text"], sent_at=_TIME, language=language)
        for sentence in message.sentences:
            if len(message.sentences) == 1 or not row["keep"]:
                yield LabelledSentence(
                    message_id=row["id"],
                    language=language,
                    text=sentence.unit.text,
                    values=dict(named_values(sentence.features, language)),
                    is_kept=bool(row["facts"]),
                    kind=Kind(row["facts"][0]["kind"]) if row["facts"] else None,
                    weight=_LINE_WEIGHT,
                )


def load_examples(extra: Sequence[Path] = ()) -> list[LabelledSentence]:
    examples: list[LabelledSentence] = []
    for language in ("en", "pt"):
        for name in ("train", "train-chats", "dev"):
            for row in read_messages(SETS_FOLDER / f"{name}-{language}.jsonl"):
                examples += label_sentences(row, language)
    for path in extra:
        for row in read_messages(path):
            examples += label_sentences(row, row["lang"])
    return [*examples, *label_lines(OWN_LINES_FILE)]


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
        if np.abs(step).max() < 1e-5:
            break
    return weights


def penalties_of(names: Sequence[str], ridge: float) -> Matrix:
    """Return the penalty of each feature: none for the bias, a larger one for the languages' own weights."""
    return np.array(
        [0.01 if name.endswith("bias") else ridge * (2.0 if name[2:3] == ":" else 1.0) for name in names]
    )


def cross_validate(examples: Sequence[LabelledSentence], ridge: float) -> Matrix:
    """Return the probability of each sentence from a model that has not seen its message."""
    messages = sorted({example.message_id for example in examples})
    fold_of = {message: index % _FOLDS for index, message in enumerate(messages)}
    probabilities = np.zeros(len(examples))
    names = feature_names(examples)
    values, penalties = matrix(examples, names), penalties_of(names, ridge)
    labels = np.array([float(example.is_kept) for example in examples])
    sample_weights = np.array([example.weight for example in examples])
    folds = np.array([fold_of[example.message_id] for example in examples])
    for fold in range(_FOLDS):
        seen, unseen = folds != fold, folds == fold
        weights = train(values[seen], labels[seen], sample_weights[seen], penalties)
        probabilities[unseen] = 1 / (1 + np.exp(-np.clip(values[unseen] @ weights, -30, 30)))
    return probabilities


def report(examples: Sequence[LabelledSentence], probabilities: Matrix, prefix: str, language: str) -> None:
    chosen = [
        (probability, example.is_kept)
        for probability, example in zip(probabilities, examples, strict=True)
        if example.message_id.startswith(prefix) and example.language == language and not example.is_closed
    ]
    total = sum(
        example.is_kept
        for example in examples
        if example.message_id.startswith(prefix) and example.language == language
    )
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        kept = [label for probability, label in chosen if probability >= threshold]
        recall = 100 * sum(kept) / max(total, 1)
        precision = 100 * sum(kept) / max(len(kept), 1)
        print(
            f"{prefix}-{language} {threshold}: recall {recall:5.1f} precision {precision:5.1f} kept {len(kept)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.train_sentences", description=__doc__)
    parser.add_argument("--extra", type=Path, action="append", default=[], help="labelled messages to add")
    parser.add_argument("--ridge", type=float, default=6.0, help="strength of the penalty")
    parser.add_argument("--threshold", type=float, default=0.8, help="minimum probability to keep a sentence")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args()
    examples = load_examples(options.extra)
    probabilities = cross_validate(examples, options.ridge)
    for prefix in ("long", "train"):
        for language in ("en", "pt"):
            report(examples, probabilities, prefix, language)
    if options.write:
        write_weights(examples, options)


def write_weights(examples: Sequence[LabelledSentence], options: argparse.Namespace) -> None:
    names = feature_names(examples)
    values, penalties = matrix(examples, names), penalties_of(names, options.ridge)
    sample_weights = np.array([example.weight for example in examples])
    labels = np.array([float(example.is_kept) for example in examples])
    keep = train(values, labels, sample_weights, penalties)
    has_kind = np.array([example.kind is not None for example in examples])
    shared = [index for index, name in enumerate(names) if name[2:3] != ":"]
    kinds = {
        kind.value: train(
            values[has_kind][:, shared],
            np.array([float(example.kind is kind) for example in examples if example.kind is not None]),
            sample_weights[has_kind],
            penalties[shared],
        )
        for kind in Kind
    }
    data = {
        "record": {
            "command": f"python -m evals.train_sentences --ridge {options.ridge} --threshold "
            "{options.threshold} --write",
            "sentences": len(examples),
            "positive": int(labels.sum()),
            "messages": len({example.message_id for example in examples}),
            "ridge": options.ridge,
        },
        "thresholds": {"en": options.threshold, "pt": options.threshold},
        "keep": _rounded(names, keep),
        "kinds": {kind: _rounded([names[i] for i in shared], weights) for kind, weights in kinds.items()},
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
