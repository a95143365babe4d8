"""
Fine-tune the bundled cross-encoder to say whether an excerpt is relevant to a question about the user.

The bundled model was trained on questions to a search engine and does not know that "I'm a paramedic" answers "where do
I work?". First the labelled pairs of `evals/sets/relevance/pairs-*.jsonl` teach it: low-rank changes (LoRA) of the
weights of all but the first layers, and new biases and norms; one person in ten is left out, for the reported figures.
Then it sees the excerpts that the search finds for the questions of `dev` and `train`, mixed with pairs.

Two more models, each without half of these people, score what they have not seen. With these scores a regression
over two numbers, the logit of the features and that of the cross-encoder, gives the final probability.
`python -m evals.train_cross_encoder` runs after `evals.train_relevance`. It writes the adapter that
`recollect.adapters.onnx.weight_adapter` reads, and the weights of the regression into `relevance.json`. It takes about
two hours on one core and needs two more packages: `pip install torch onnx`.
"""

import argparse
import copy
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from evals.embeddings import default_cache_folder
from evals.measures import area_under_roc
from evals.progress import progress
from evals.relevance import PEOPLE_FOLDER
from evals.sets import read_rows
from evals.train_relevance import (
    Example,
    collect_all_examples,
    fit_weights,
    predict_unseen,
    write_reading,
)
from recollect.adapters.onnx.model_files import MINILM_RERANKER, find_in_wheel
from recollect.adapters.onnx.reranker import RELEVANCE_ADAPTER
from recollect.bootstrap import make_embedder
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.relevance_model import logit
from recollect.settings import load_settings
from recollect.text.portuguese_gloss import gloss_in_english

LAYERS, HEADS, WIDTH = 12, 12, 384
MATRICES_PER_LAYER = 6
#: Layers below keep their weights: they know words, not questions.
FIRST_TRAINED_LAYER = 3
RANK = 8
MAX_TOKENS = 96
BATCH_SIZE = 32
EPOCHS = 4
DROPOUT = 0.05
LOW_RANK_RATE, BIAS_RATE = 1.2e-3, 2e-4
WARM_UP_STEPS = 100
#: The second stage, on excerpts of people, and the number of labelled pairs for each excerpt.
PEOPLE_EPOCHS, PEOPLE_RATE, PAIRS_PER_EXCERPT = 2, 0.4, 0.6
PEOPLE_FOLDS = 2
#: Irrelevant excerpts of a question: the most probable ones, and some of those after them.
PROBABLE_NEGATIVES, OTHER_NEGATIVES, NEGATIVE_RANKS = 6, 2, 20
#: Of each question's irrelevant statements, so many with the highest cosine are used, and one other.
HARD_NEGATIVES = 4
#: Every so manieth person is not trained with.
HELD_OUT_STRIDE, HELD_OUT_REMAINDER = 10, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    question: str
    statement: str
    is_relevant: bool
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    person: int
    pairs: list[Pair]


class AdaptedLinear(nn.Module):
    def __init__(self, name: str, weight: np.ndarray, bias: np.ndarray, rank: int) -> None:
        super().__init__()
        self.name = name
        self.weight = nn.Parameter(torch.tensor(weight), requires_grad=False)
        self.bias = nn.Parameter(torch.tensor(bias), requires_grad=rank > 0)
        self.left = nn.Parameter(torch.randn(weight.shape[0], rank) / math.sqrt(weight.shape[0]))
        self.right = nn.Parameter(torch.zeros(rank, weight.shape[1]))

    def forward(self, inputs: Tensor) -> Tensor:
        outputs = inputs @ self.weight + self.bias
        return outputs + inputs @ self.left @ self.right if self.left.shape[1] else outputs


class Norm(nn.Module):
    def __init__(self, weight: np.ndarray, bias: np.ndarray, *, is_trained: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(weight), requires_grad=is_trained)
        self.bias = nn.Parameter(torch.tensor(bias), requires_grad=is_trained)

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.layer_norm(inputs, (WIDTH,), self.weight, self.bias, 1e-12)


class Layer(nn.Module):
    def __init__(self, network: "BundledNetwork", number: int) -> None:
        super().__init__()
        rank = RANK if number >= FIRST_TRAINED_LAYER else 0
        prefix = f"bert.encoder.layer.{number}."
        names = network.matrix_names[MATRICES_PER_LAYER * number :][:MATRICES_PER_LAYER]
        parts = (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        )
        self.query, self.key, self.value, self.merge, self.widen, self.narrow = (
            AdaptedLinear(name, network.matrix(name), network.array(f"{prefix}{part}.bias"), rank)
            for name, part in zip(names, parts, strict=True)
        )
        self.attention_norm, self.output_norm = (
            Norm(
                network.array(f"{prefix}{part}.LayerNorm.weight"),
                network.array(f"{prefix}{part}.LayerNorm.bias"),
                is_trained=rank > 0,
            )
            for part in ("attention.output", "output")
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        def split(projected: Tensor) -> Tensor:
            return projected.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)

        attended = functional.scaled_dot_product_attention(
            split(self.query(inputs)), split(self.key(inputs)), split(self.value(inputs)), attn_mask=mask
        )
        merged = self.dropout(self.merge(attended.transpose(1, 2).flatten(-2)))
        hidden = self.attention_norm(inputs + merged)
        return self.output_norm(hidden + self.dropout(self.narrow(functional.gelu(self.widen(hidden)))))


class BundledNetwork:
    """The weights of the bundled ONNX file; matrices are int8 with one scale."""

    def __init__(self, path: Path) -> None:
        graph = onnx.load(str(path)).graph
        self._content = path.read_bytes()
        self._arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        products = (node.input[1] for node in graph.node if node.op_type == "MatMulInteger")
        self.matrix_names = [
            name.removesuffix("_quantized") for name in products if name.endswith("_quantized")
        ]

    def array(self, name: str) -> np.ndarray:
        return self._arrays[name].copy()

    def scale(self, name: str) -> float:
        return float(self._arrays[f"{name}_scale"])

    def matrix(self, name: str) -> np.ndarray:
        quantized = self._arrays[f"{name}_quantized"].astype(np.float32)
        return (quantized - float(self._arrays[f"{name}_zero_point"])) * self.scale(name)

    def offset(self, name: str) -> int:
        """Return where a matrix begins in the file."""
        return self._content.index(self._arrays[f"{name}_quantized"].tobytes())


class CrossEncoder(nn.Module):
    def __init__(self, network: BundledNetwork) -> None:
        super().__init__()
        self.words, self.types, self.positions = (
            nn.Parameter(torch.tensor(network.matrix(f"bert.embeddings.{kind}_embeddings.weight")), False)
            for kind in ("word", "token_type", "position")
        )
        self.norm = Norm(
            network.array("bert.embeddings.LayerNorm.weight"),
            network.array("bert.embeddings.LayerNorm.bias"),
            is_trained=False,
        )
        self.layers = nn.ModuleList(Layer(network, number) for number in range(LAYERS))
        pooler, classifier = network.matrix_names[LAYERS * MATRICES_PER_LAYER :]
        self.pooler = AdaptedLinear(
            pooler, network.matrix(pooler), network.array("bert.pooler.dense.bias"), RANK
        )
        self.classifier = AdaptedLinear(
            classifier, network.matrix(classifier), network.array("classifier.bias"), 1
        )

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        embedded = functional.embedding(ids, self.words) + functional.embedding(types, self.types)
        hidden = self.norm(embedded + self.positions[: ids.shape[1]])
        for layer in self.layers:
            hidden = layer(hidden, mask[:, None, None, :].bool())
        return self.classifier(torch.tanh(self.pooler(hidden[:, 0])))[:, 0]


def read_questions() -> list[LabelledQuestion]:
    embedder = make_embedder(load_settings(arguments={"embedder": "onnx"}).resolve().machine)
    assert embedder is not None
    people = [person for path in sorted(PEOPLE_FOLDER.glob("pairs-*.jsonl")) for person in read_rows(path)]
    questions = []
    for number, person in enumerate(progress(people, "people")):
        texts = [statement["text"] for statement in person["statements"]]
        vectors = np.array([embedder.embed_query(text) for text in texts])
        for question in person["questions"]:
            cosines = vectors @ np.array(embedder.embed_query(question["text"]))
            pairs = [
                Pair(
                    question=gloss_in_english(question["text"]),
                    statement=f"{statement['by']}: {gloss_in_english(statement['text'])}",
                    is_relevant=place in question["relevant"],
                    cosine=float(cosines[place]),
                )
                for place, statement in enumerate(person["statements"])
            ]
            questions.append(LabelledQuestion(person=number, pairs=pairs))
    return questions


def choose_pairs(questions: Sequence[LabelledQuestion], shuffler: random.Random) -> list[Pair]:
    """Return the pairs of one epoch: relevant ones, the most similar irrelevant ones, and some of other people."""
    everybody = [pair for question in questions for pair in question.pairs]
    chosen = []
    for question in questions:
        irrelevant = sorted(
            (pair for pair in question.pairs if not pair.is_relevant), key=lambda pair: -pair.cosine
        )
        others = irrelevant[HARD_NEGATIVES:]
        chosen += [pair for pair in question.pairs if pair.is_relevant] + irrelevant[:HARD_NEGATIVES]
        chosen += shuffler.sample(others, min(1, len(others)))
        if shuffler.random() < 1 / 2:
            statement = shuffler.choice(everybody).statement
            text = question.pairs[0].question
            chosen.append(Pair(question=text, statement=statement, is_relevant=False, cosine=0.0))
    shuffler.shuffle(chosen)
    return chosen


def batches(
    pairs: Sequence[Pair], tokenizer: Tokenizer, shuffler: random.Random
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Yield batches of pairs of similar length, in random order."""
    size = 40 * BATCH_SIZE
    for start in range(0, len(pairs), size):
        encoded = [
            (tokenizer.encode(pair.question, pair.statement), pair.is_relevant)
            for pair in pairs[start : start + size]
        ]
        encoded.sort(key=lambda each: len(each[0].ids))
        groups = [encoded[place : place + BATCH_SIZE] for place in range(0, len(encoded), BATCH_SIZE)]
        shuffler.shuffle(groups)
        for group in groups:
            labels = torch.tensor([float(is_relevant) for _, is_relevant in group])
            yield *pad([encoding for encoding, _ in group]), labels


def pad(encodings: Sequence[Encoding]) -> tuple[Tensor, Tensor, Tensor]:
    width = max(len(each.ids) for each in encodings)

    def padded(rows: Iterator[Sequence[int]]) -> Tensor:
        return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])

    return (
        padded(each.ids for each in encodings),
        padded(each.type_ids for each in encodings),
        padded(each.attention_mask for each in encodings),
    )


def choose_excerpts(
    examples: Sequence[Example],
    probabilities: np.ndarray,
    questions: Sequence[LabelledQuestion],
    shuffler: random.Random,
) -> list[Pair]:
    """Return the pairs of an epoch of the second stage: excerpts of people, and labelled pairs."""
    by_question: dict[tuple[str, int], list[tuple[float, Example]]] = {}
    for probability, each in zip(probabilities, examples, strict=True):
        if not each.distractors:
            by_question.setdefault((each.person, each.question), []).append((probability, each))
    chosen = []
    for judged in by_question.values():
        ranked = [each for _, each in sorted(judged, key=lambda each: -each[0])]
        irrelevant = [each for each in ranked if not each.is_relevant]
        others = irrelevant[PROBABLE_NEGATIVES:NEGATIVE_RANKS]
        chosen += [each for each in ranked if each.is_relevant] + irrelevant[:PROBABLE_NEGATIVES]
        chosen += shuffler.sample(others, min(OTHER_NEGATIVES, len(others)))
    pairs = [example_pair(each) for each in chosen]
    mixed = [*pairs, *choose_pairs(questions, shuffler)[: int(PAIRS_PER_EXCERPT * len(pairs))]]
    shuffler.shuffle(mixed)
    return mixed


def example_pair(example: Example) -> Pair:
    return Pair(
        question=gloss_in_english(example.query),
        statement=gloss_in_english(example.text),
        is_relevant=example.is_relevant,
        cosine=0.0,
    )


def train(
    model: CrossEncoder,
    choose: Callable[[random.Random], list[Pair]],
    tokenizer: Tokenizer,
    *,
    epochs: int,
    rate: float = 1.0,
) -> None:
    """Train a model in place with the pairs that `choose` returns for each epoch."""
    shuffler = random.Random(2)
    trained = {name: each for name, each in model.named_parameters() if each.requires_grad}
    low_rank = [each for name, each in trained.items() if name.endswith((".left", ".right"))]
    others = [each for name, each in trained.items() if not name.endswith((".left", ".right"))]
    optimizer = torch.optim.AdamW(
        [
            {"params": low_rank, "lr": rate * LOW_RANK_RATE},
            {"params": others, "lr": rate * BIAS_RATE},
        ],
        weight_decay=0.01,
    )
    total = max(1, epochs) * math.ceil(len(choose(random.Random(2))) / BATCH_SIZE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: (
            min(1, step / WARM_UP_STEPS) * max(0.02, (1 + math.cos(math.pi * min(1, step / total))) / 2)
        ),
    )
    model.train()
    for epoch in range(epochs):
        pairs = choose(shuffler)
        for ids, types, mask, labels in progress(
            list(batches(pairs, tokenizer, shuffler)), f"epoch {epoch + 1}"
        ):
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(ids, types, mask).float()
            loss = functional.binary_cross_entropy_with_logits(
                logits, labels * 0.97 + 0.01, pos_weight=torch.tensor(2.0)
            )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*low_rank, *others], 1.0)
            optimizer.step()
            schedule.step()


def score(model: CrossEncoder, pairs: Sequence[Pair], tokenizer: Tokenizer) -> np.ndarray:
    """Return the logit of each pair."""
    logits: list[float] = []
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(pairs), BATCH_SIZE):
            group = pairs[start : start + BATCH_SIZE]
            encodings = [tokenizer.encode(pair.question, pair.statement) for pair in group]
            logits += model(*pad(encodings)).float().tolist()
    return np.array(logits)


def measure(model: CrossEncoder, questions: Sequence[LabelledQuestion], tokenizer: Tokenizer) -> float:
    """Return the area under the ROC curve over all pairs of the questions."""
    pairs = [pair for question in questions for pair in question.pairs]
    return area_under_roc(score(model, pairs, tokenizer), np.array([pair.is_relevant for pair in pairs]))


def places_to_read(examples: Sequence[Example], probabilities: np.ndarray) -> list[int]:
    """Return the places of the most probable excerpts of each question: those that are read at run time."""
    by_question: dict[tuple[str, int, int], list[int]] = {}
    for place, each in enumerate(examples):
        by_question.setdefault((each.person, each.distractors, each.question), []).append(place)
    count = RecallPolicy().relevance_reads
    return [
        place
        for places in by_question.values()
        for place in sorted(places, key=lambda place: -probabilities[place])[:count]
    ]


def fit_reading(
    examples: Sequence[Example], probabilities: np.ndarray, places: Sequence[int], logits: np.ndarray
) -> dict[str, float]:
    """Fit the weights of both logits with people that neither model has seen."""
    readings = [
        replace(
            examples[place],
            features={"features": logit(float(probabilities[place])), "cross-encoder": float(value)},
        )
        for place, value in zip(places, logits, strict=True)
    ]
    return fit_weights(readings, ("features", "cross-encoder"))


def write_adapter(
    model: CrossEncoder, network: BundledNetwork, record: dict[str, object], path: Path
) -> None:
    """Write the changes: low-rank factors as int8, biases and norms as half-precision numbers."""
    arrays: dict[str, np.ndarray] = {}
    matrices: dict[str, object] = {}
    for module in model.modules():
        if not isinstance(module, AdaptedLinear) or not module.left.shape[1]:
            continue
        left, left_scale = _quantize(module.left)
        right, right_scale = _quantize(module.right)
        arrays |= {f"{module.name}.left": left, f"{module.name}.right": right}
        matrices[module.name] = {
            "shape": tuple(module.weight.shape),
            "offset": network.offset(module.name),
            "scale": network.scale(module.name),
            "left_scale": left_scale,
            "right_scale": right_scale,
        }
    replaced = {
        _initializer_name(name): each.detach().numpy().astype(np.float16)
        for name, each in model.named_parameters()
        if each.requires_grad and not name.endswith((".left", ".right"))
    }
    index = {"record": record, "matrices": matrices, "replaced": sorted(replaced)}
    np.savez_compressed(path, index=np.array(json.dumps(index)), **arrays, **replaced)


def _quantize(values: Tensor) -> tuple[np.ndarray, float]:
    array = values.detach().numpy()
    scale = float(np.abs(array).max()) / 127
    return np.rint(array / scale).astype(np.int8), scale


def _initializer_name(parameter: str) -> str:
    """Return the name in the ONNX file of a bias or norm of the model."""
    names = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "merge": "attention.output.dense",
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "attention_norm": "attention.output.LayerNorm",
        "output_norm": "output.LayerNorm",
    }
    match parameter.split("."):
        case ["layers", number, part, kind]:
            return f"bert.encoder.layer.{number}.{names[part]}.{kind}"
        case ["pooler", kind]:
            return f"bert.pooler.dense.{kind}"
        case _:
            return parameter


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.train_cross_encoder", description=__doc__)
    parser.add_argument("--data", type=Path, help="LoCoMo, whose turns are added as other people's messages")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--people-epochs", type=int, default=PEOPLE_EPOCHS)
    parser.add_argument(
        "--cache", type=Path, default=default_cache_folder(), help="the folder of cached embeddings"
    )
    parser.add_argument("--output", type=Path, help="the adapter's file; the one in the package by default")
    options = parser.parse_args()
    torch.manual_seed(1)
    bundled = find_in_wheel(MINILM_RERANKER)
    tokenizer = Tokenizer.from_file(str(bundled.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    network = BundledNetwork(bundled.network)
    model = CrossEncoder(network)
    questions = read_questions()
    held_out = [each for each in questions if each.person % HELD_OUT_STRIDE == HELD_OUT_REMAINDER]
    fitted = [each for each in questions if each.person % HELD_OUT_STRIDE != HELD_OUT_REMAINDER]
    record: dict[str, object] = {
        "model": MINILM_RERANKER.model_id,
        "people": len({each.person for each in fitted}),
        "questions": len(fitted),
        "epochs": options.epochs,
        "AUC before": round(measure(model, held_out, tokenizer), 3),
    }
    train(model, lambda shuffler: choose_pairs(fitted, shuffler), tokenizer, epochs=options.epochs)
    record["AUC, other people"] = round(measure(model, held_out, tokenizer), 3)

    examples = collect_all_examples(options.cache, options.data)
    probabilities = predict_unseen(examples, sorted({name for each in examples for name in each.features}))
    places = places_to_read(examples, probabilities)
    pairs = [example_pair(examples[place]) for place in places]
    logits = np.zeros(len(places))
    people = sorted({each.person for each in examples})
    for fold in (*range(PEOPLE_FOLDS), None):
        unseen = set() if fold is None else set(people[fold::PEOPLE_FOLDS])
        kept = [place for place, each in enumerate(examples) if each.person not in unseen]
        adapted = copy.deepcopy(model)
        train(
            adapted,
            lambda shuffler, kept=kept: choose_excerpts(
                [examples[place] for place in kept], probabilities[kept], fitted, shuffler
            ),
            tokenizer,
            epochs=options.people_epochs,
            rate=PEOPLE_RATE,
        )
        mine = [number for number, place in enumerate(places) if examples[place].person in unseen]
        if mine:
            logits[mine] = score(adapted, [pairs[number] for number in mine], tokenizer)
    labels = np.array([pair.is_relevant for pair in pairs])
    record |= {
        "people of excerpts": len(people),
        "epochs of excerpts": options.people_epochs,
        "AUC of read excerpts, other people": round(area_under_roc(logits, labels), 3),
    }
    print(json.dumps(record))
    default = Path(str(files("recollect.adapters.onnx").joinpath(RELEVANCE_ADAPTER)))
    write_adapter(adapted, network, record, options.output or default)
    reading = fit_reading(examples, probabilities, places, logits)
    print(json.dumps(reading))
    if options.output is None:
        write_reading(reading)


if __name__ == "__main__":
    main()
