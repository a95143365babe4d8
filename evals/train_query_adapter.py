"""
Fit the query adapter on labelled pairs of a question and a statement.

Each row of `evals/sets/relevance/pairs-*.jsonl` is an invented person with about a dozen statements, and questions with
the statements that are relevant to each. Every pair is an example: the model is a logistic regression over the
bilinear form of both embeddings, with a matrix of low rank beside the identity. It is fitted by Adam on all rows but
every eighth, whose area under the ROC curve is reported, and then on all of them.
`python -m evals.train_query_adapter` writes the weights and the record into the package.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.embeddings import CachedEmbedder, default_cache_folder
from evals.measures import area_under_roc
from evals.relevance import PEOPLE_FOLDER
from evals.sets import read_rows
from recollect.bootstrap import make_embedder
from recollect.settings import load_settings

MODEL_FILE = "query_adapter.json"
RANK = 32
EPOCHS = 8
BATCH = 512
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-3
DROPOUT = 0.2
#: The low-rank part learns at the pace of the other weights with this factor.
LOW_RANK_SCALE = 5.0
#: One of so many rows is held out for the reported figure.
VALIDATION_STRIDE = 8
#: Weights are stored as whole multiples of this.
UNIT = 0.0005
SEED = 17

Matrix = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Pairs of a question and a statement, as rows of the vectors of both."""

    questions: Matrix
    statements: Matrix
    question: Places
    statement: Places
    row: Places
    labels: Matrix

    def select(self, places: Places) -> "Pairs":
        return replace(
            self,
            question=self.question[places],
            statement=self.statement[places],
            row=self.row[places],
            labels=self.labels[places],
        )


@dataclass(slots=True, kw_only=True)
class Weights:
    scale: Matrix
    left: Matrix
    right: Matrix
    query_bias: Matrix
    passage_bias: Matrix
    bias: Matrix

    @classmethod
    def initial(cls, dimension: int, random: np.random.Generator) -> "Weights":
        def small() -> Matrix:
            return (0.05 * random.standard_normal((dimension, RANK))).astype(np.float32)

        zeros = np.zeros(dimension, np.float32)
        return cls(
            scale=np.array(10.0, np.float32),
            left=small(),
            right=small(),
            query_bias=zeros,
            passage_bias=zeros.copy(),
            bias=np.array(-4.0, np.float32),
        )

    def logits(self, questions: Matrix, statements: Matrix) -> Matrix:
        low_rank = ((questions @ self.left) * (statements @ self.right)).sum(1)
        logits: Matrix = (
            self.scale * (questions * statements).sum(1)
            + LOW_RANK_SCALE * low_rank
            + questions @ self.query_bias
            + statements @ self.passage_bias
            + self.bias
        )
        return logits

    def gradients(self, questions: Matrix, statements: Matrix, errors: Matrix) -> "Weights":
        error = errors[:, None]
        return Weights(
            scale=(errors * (questions * statements).sum(1)).sum(),
            left=LOW_RANK_SCALE * questions.T @ (error * (statements @ self.right)),
            right=LOW_RANK_SCALE * statements.T @ (error * (questions @ self.left)),
            query_bias=questions.T @ errors,
            passage_bias=statements.T @ errors,
            bias=errors.sum(),
        )


def read_pairs(embedder: CachedEmbedder) -> tuple[Pairs, int]:
    """Return every pair of a question and a statement of the same person, and the number of people."""
    people = [row for path in sorted(PEOPLE_FOLDER.glob("pairs-*.jsonl")) for row in read_rows(path)]
    questions = sorted({each["text"] for person in people for each in person["questions"]})
    statements = sorted({each["text"] for person in people for each in person["statements"]})
    question_places = {text: place for place, text in enumerate(questions)}
    statement_places = {text: place for place, text in enumerate(statements)}
    examples = [
        (
            question_places[question["text"]],
            statement_places[statement["text"]],
            number,
            place in question["relevant"],
        )
        for number, person in enumerate(people)
        for question in person["questions"]
        for place, statement in enumerate(person["statements"])
    ]
    question, statement, row, labels = zip(*examples, strict=True)
    return Pairs(
        questions=np.array([list(embedder.embed_query(text)) for text in questions], np.float32),
        statements=np.array([list(vector) for vector in embedder.embed(statements)], np.float32),
        question=np.array(question),
        statement=np.array(statement),
        row=np.array(row),
        labels=np.array(labels, np.float32),
    ), len(people)


def fit(pairs: Pairs) -> Weights:
    """Return the weights that minimize the logistic loss, by Adam with weight decay and dropout of the inputs."""
    random = np.random.default_rng(SEED)
    weights = Weights.initial(pairs.questions.shape[1], random)
    names = [field.name for field in fields(Weights)]
    momentum = {name: np.zeros_like(getattr(weights, name)) for name in names}
    variance = {name: np.zeros_like(getattr(weights, name)) for name in names}
    step = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(pairs.labels))
        for start in range(0, len(order), BATCH):
            batch = pairs.select(order[start : start + BATCH])
            questions, statements = (
                vectors[places] * (random.random((len(places), vectors.shape[1])) >= DROPOUT) / (1 - DROPOUT)
                for vectors, places in (
                    (pairs.questions, batch.question),
                    (pairs.statements, batch.statement),
                )
            )
            predicted = 1 / (1 + np.exp(-weights.logits(questions, statements)))
            gradients = weights.gradients(
                questions, statements, (predicted - batch.labels) / len(batch.labels)
            )
            step += 1
            for name in names:
                value, gradient = getattr(weights, name), getattr(gradients, name)
                momentum[name] = 0.9 * momentum[name] + 0.1 * gradient
                variance[name] = 0.999 * variance[name] + 0.001 * gradient**2
                pace = (momentum[name] / (1 - 0.9**step)) / (
                    np.sqrt(variance[name] / (1 - 0.999**step)) + 1e-8
                )
                setattr(weights, name, value - LEARNING_RATE * (pace + WEIGHT_DECAY * value))
    return weights


def measure(weights: Weights, pairs: Pairs) -> float:
    logits = weights.logits(pairs.questions[pairs.question], pairs.statements[pairs.statement])
    return area_under_roc(logits, pairs.labels > 0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.train_query_adapter", description=__doc__)
    parser.add_argument(
        "--cache", type=Path, default=default_cache_folder(), help="the folder of cached embeddings"
    )
    parser.add_argument("--output", type=Path, help="the data file; the one in the package by default")
    options = parser.parse_args()
    output = options.output or Path(str(files("recollect.retrieval").joinpath(MODEL_FILE)))
    inner = make_embedder(load_settings(arguments={"embedder": "onnx"}).resolve().machine)
    assert inner is not None
    with CachedEmbedder(inner, options.cache) as embedder:
        pairs, people_count = read_pairs(embedder)
    query_mean, passage_mean = pairs.questions.mean(0), pairs.statements.mean(0)
    pairs = replace(pairs, questions=pairs.questions - query_mean, statements=pairs.statements - passage_mean)
    is_held = pairs.row % VALIDATION_STRIDE == 0
    held, fitted = pairs.select(np.flatnonzero(is_held)), pairs.select(np.flatnonzero(~is_held))
    cosines = (held.questions[held.question] * held.statements[held.statement]).sum(1)
    record = {
        "people": people_count,
        "questions": len(pairs.questions),
        "pairs": len(pairs.labels),
        "relevant": int(pairs.labels.sum()),
        "AUC, other people": round(measure(fit(fitted), held), 3),
        "AUC of the cosine": round(area_under_roc(cosines, held.labels > 0), 3),
    }
    print(json.dumps(record))
    output.write_text(_format(record, inner.model_id, fit(pairs), query_mean, passage_mean), "utf-8")


def _format(
    record: Mapping[str, object], model_id: str, weights: Weights, query_mean: Matrix, passage_mean: Matrix
) -> str:
    rows: dict[str, object] = {
        "record": record,
        "embedder": model_id,
        "unit": UNIT,
        "scale": round(float(weights.scale), 3),
        "bias": round(float(weights.bias), 3),
        "query_mean": _whole(query_mean),
        "passage_mean": _whole(passage_mean),
        "query_bias": _whole(weights.query_bias),
        "passage_bias": _whole(weights.passage_bias),
    }
    lines = [f' "{name}": {json.dumps(value)}' for name, value in rows.items()]
    for name, matrix in (("left", weights.left.T), ("right", LOW_RANK_SCALE * weights.right)):
        lines.append(
            f' "{name}": [\n' + ",\n".join(f"  {json.dumps(_whole(row))}" for row in matrix) + "\n ]"
        )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _whole(values: Sequence[float] | Matrix) -> list[int]:
    return [round(float(value) / UNIT) for value in values]


if __name__ == "__main__":
    main()
