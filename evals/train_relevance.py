"""
Fit the relevance model on the labelled people of the splits `dev` and `train`.

Each person's store gets messages of other people, and the candidates of each question are judged excerpt by excerpt
against the labels. A logistic regression is fitted once with all people, and six times without three of them, to report
figures on people that it has not seen: the area under the ROC curve, and by threshold the share of answered questions,
the share of relevant excerpts and how often nothing is injected where nothing is needed.
`python -m evals.train_relevance --data locomo-dev5.json` writes the weights, the heads over query embeddings, the word
frequencies and a record of the training into the package. `evals.train_cross_encoder` then has to fit what follows.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.embeddings import CachedEmbedder, default_cache_folder
from evals.harness import USER_ID, open_harness
from evals.measures import area_under_roc
from evals.progress import progress
from evals.relevance import PEOPLE_FOLDER, Item, Person, PersonStore, Question, read_distractors, read_people
from evals.sets import DISTRACTORS_FILE, SETS_FOLDER, read_rows
from recollect.bootstrap import make_embedder
from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.policy import TriagePolicy
from recollect.domain.recall import RecallRequest
from recollect.domain.scope import Scope
from recollect.retrieval.excerpts import Excerpt, content_words
from recollect.retrieval.relevance import (
    MIN_SHARE_OF_BEST,
    attribute_text,
    describe_excerpts,
)
from recollect.retrieval.relevance_model import (
    INTENTS,
    TOPIC_NAMES,
    RelevanceModel,
    focus_text,
    load_relevance_model,
    profile_query,
)
from recollect.settings import load_settings
from recollect.text.triviality import triviality_reason

QUERIES_FILE = SETS_FOLDER / "queries.jsonl"
MODEL_FILE = "relevance.json"
DISTRACTOR_COUNTS = (0, 250)
HEAD_PENALTY = 0.03
WEIGHT_PENALTY = 10.0
#: One of so many irrelevant excerpts is used, with their weight: nearly all excerpts are irrelevant.
IRRELEVANT_STRIDE = 4
#: Words in at least so many messages have a frequency of their own; all others count as rare.
MIN_WORD_COUNT = 5
FOLDS = 6
#: Splits of people that the weights are fitted with, and the weight of their examples: short direct
#: questions, as in `train`, are more frequent than the intricate ones of `dev`.
SPLIT_WEIGHTS = {"dev": 1.0, "train": 3.0}
#: What the questions of the labelled pairs are for, by their kind.
INTENT_OF_KIND = {
    "single": "lookup",
    "several": "lookup",
    "superseded": "lookup",
    "assistant": "lookup",
    "none-unstated": "lookup",
    "preference": "task",
    "none-general": "general",
    "none-chitchat": "chat",
    "none-followup": "followup",
}
#: Passages that a prompt gets at most, by default.
MAX_ITEMS = 8
#: Thresholds of the reported curve.
THRESHOLDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    person: str
    split: str
    distractors: int
    question: int
    query: str
    text: str  #: with its speaker, as the cross-encoder reads it
    needs_memory: bool
    features: Mapping[str, float]
    is_relevant: bool
    is_needed: bool


def fit_logistic(features: Matrix, labels: Matrix, penalty: float, weights: Matrix | None = None) -> Matrix:
    """Return the weights and the bias of an L2-regularized logistic regression, by Newton's method."""
    inputs = np.hstack([features, np.ones((len(features), 1))])
    sample_weights = np.ones(len(labels)) if weights is None else weights
    beta, regularization = np.zeros(inputs.shape[1]), np.full(inputs.shape[1], penalty)
    regularization[-1] = 1e-6
    for _ in range(12):
        predicted = 1 / (1 + np.exp(-np.clip(inputs @ beta, -30, 30)))
        gradient = inputs.T @ (sample_weights * (predicted - labels)) + regularization * beta
        curvature = sample_weights * predicted * (1 - predicted)
        step = np.linalg.solve((inputs * curvature[:, None]).T @ inputs + np.diag(regularization), gradient)
        beta -= step
        if np.abs(step).max() < 1e-5:
            break
    return beta


def fit_heads(embedder: CachedEmbedder) -> dict[str, list[float]]:
    """Return the weights of each intent and topic of a query, over its embedding."""
    rows = list(read_rows(QUERIES_FILE))
    pair_questions = [
        (question["text"], INTENT_OF_KIND[question["kind"]])
        for path in sorted(PEOPLE_FOLDER.glob("pairs-*.jsonl"))
        for person in read_rows(path)
        for question in person["questions"]
        if question["kind"] in INTENT_OF_KIND
    ]
    vectors = np.array(
        [
            list(embedder.embed_query(text))
            for text in (*(row["text"] for row in rows), *(text for text, _ in pair_questions))
        ]
    )
    heads = {}
    for name in INTENTS:
        labels = [row["intent"] == name for row in rows] + [intent == name for _, intent in pair_questions]
        # A request to which nothing stored applies may be a task, too.
        used = [True] * len(rows) + [
            not (name == "task" and intent == "general") for _, intent in pair_questions
        ]
        heads[name] = fit_logistic(vectors[used], np.array(labels, float)[used], HEAD_PENALTY)
    for name in TOPIC_NAMES:
        labels = [name in row["topics"] for row in rows]
        heads[name] = fit_logistic(vectors[: len(rows)], np.array(labels, float), HEAD_PENALTY)
    return {name: [round(float(weight), 2) for weight in weights] for name, weights in heads.items()}


def measure_idf(people: Sequence[Person]) -> dict[str, float]:
    """Return the inverse document frequency of common words, by stem, as a share of that of a rare word."""
    texts = [turn.text for person in people for turns in person.chats.values() for turn in turns.values()]
    texts += [row["text"] for path in (QUERIES_FILE, DISTRACTORS_FILE) for row in read_rows(path)]
    counts = Counter(
        stem for text in texts for stem in {min(word.stems, key=len) for word in content_words(text)}
    )
    rarest = log(len(texts) / 1.5)
    return {
        stem: round(log(len(texts) / count) / rarest, 2)
        for stem, count in sorted(counts.items())
        if count >= MIN_WORD_COUNT
    }


def collect_examples(
    person: Person, model: RelevanceModel, embedder: CachedEmbedder, distractor_count: int, data: Path | None
) -> Iterator[Example]:
    with open_harness(embedder, {}, extract=True) as harness:
        store = PersonStore(harness=harness, person=person)
        store.load(read_distractors(person, distractor_count, data))
        for number, question in enumerate(person.questions):
            scored = _find_candidates(store, question)
            query = profile_query(question.text, embedder.embed_query(question.text), model)
            needed = [quote for group in question.needed for quote in group]
            for each in describe_excerpts(scored, query, is_trivial=_is_trivial):
                candidate = scored[each.position].candidate
                item = _item(store, candidate, each.excerpt)
                is_needed = any(store.matches(item, quote) for quote in needed)
                yield Example(
                    person=person.name,
                    split=person.split,
                    distractors=distractor_count,
                    question=number,
                    query=focus_text(question.text),
                    text=attribute_text(candidate, each.excerpt.text),
                    needs_memory=bool(question.needed),
                    features=each.features,
                    is_relevant=is_needed or any(store.matches(item, quote) for quote in question.also),
                    is_needed=is_needed,
                )


def _find_candidates(store: PersonStore, question: Question) -> list[ScoredCandidate]:
    """Return all candidates of a question as they are scored, before any is dropped."""
    harness = store.harness
    harness.clock.current = question.at
    recall = harness.memory.application.services.recall
    scope = Scope(USER_ID, question.chat)
    policy = harness.memory.application.policy(USER_ID, {}, chat=question.chat)
    return list(recall.scored_candidates(RecallRequest(scope=scope, query=question.text, policy=policy)))


def _is_trivial(candidate: Candidate) -> bool:
    return (
        candidate.source is Source.MESSAGE
        and candidate.role is not None
        and triviality_reason(candidate.text, candidate.role, TriagePolicy()) is not None
    )


def _item(store: PersonStore, candidate: Candidate, excerpt: Excerpt) -> Item:
    return store.locate(
        id_=candidate.id, text=excerpt.text, role=candidate.role, source=candidate.source.value
    )


def fit_weights(examples: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    used = [each for place, each in enumerate(examples) if each.is_relevant or place % IRRELEVANT_STRIDE == 0]
    inputs, labels = _matrix(used, names), np.array([each.is_relevant for each in used], float)
    mean, deviation = inputs.mean(0), inputs.std(0) + 1e-6
    sample_weights = np.where(labels > 0, 1.0, float(IRRELEVANT_STRIDE))
    sample_weights *= [SPLIT_WEIGHTS[each.split] for each in used]
    beta = fit_logistic((inputs - mean) / deviation, labels, WEIGHT_PENALTY, sample_weights)
    weights = beta[:-1] / deviation
    bias = float(beta[-1] - (weights * mean).sum())
    return {
        **{name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)},
        "bias": round(bias, 3),
    }


def predict_unseen(examples: Sequence[Example], names: Sequence[str]) -> Matrix:
    """Return the probability of each example, by weights that were fitted without the example's person."""
    people = sorted({each.person for each in examples})
    probabilities = np.zeros(len(examples))
    for fold in range(FOLDS):
        unseen = set(people[fold::FOLDS])
        places = [place for place, each in enumerate(examples) if each.person in unseen]
        weights = fit_weights([each for each in examples if each.person not in unseen], names)
        inputs = _matrix([examples[place] for place in places], names)
        logits = inputs @ np.array([weights[name] for name in names]) + weights["bias"]
        probabilities[places] = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return probabilities


def measure_thresholds(examples: Sequence[Example], probabilities: Matrix) -> Iterator[dict[str, float]]:
    """Yield for each threshold what it injects, by excerpt and without folding repeats, in percent."""
    queries: dict[tuple[str, int, int], list[tuple[float, Example]]] = {}
    for probability, each in zip(probabilities, examples, strict=True):
        queries.setdefault((each.person, each.distractors, each.question), []).append((probability, each))
    for threshold in THRESHOLDS:
        selections = [_select(judged, threshold) for judged in queries.values()]
        needs = [judged[0][1].needs_memory for judged in queries.values()]
        injected = [each for selection in selections for each in selection]
        yield {
            "threshold": threshold,
            "answered": _percent(
                any(each.is_needed for each in s) for s, need in zip(selections, needs, strict=True) if need
            ),
            "precision": _percent(each.is_relevant for each in injected),
            "empty where right": _percent(
                all(each.is_relevant for each in s)
                for s, need in zip(selections, needs, strict=True)
                if not need
            ),
            "items": round(len(injected) / len(queries), 2),
        }


def _select(judged: Sequence[tuple[float, Example]], threshold: float) -> list[Example]:
    ranked = sorted(judged, key=lambda each: -each[0])
    lowest = max(threshold, MIN_SHARE_OF_BEST * ranked[0][0])
    return [example for probability, example in ranked[:MAX_ITEMS] if probability >= lowest]


def _percent(values: Iterable[bool]) -> float:
    listed = list(values)
    return round(100 * sum(listed) / len(listed), 1) if listed else 0.0


def _matrix(examples: Sequence[Example], names: Sequence[str]) -> Matrix:
    return np.array([[each.features.get(name, 0.0) for name in names] for each in examples])


def open_embedder(cache: Path) -> CachedEmbedder:
    inner = make_embedder(load_settings(arguments={"embedder": "onnx"}).resolve().machine)
    assert inner is not None
    return CachedEmbedder(inner, cache)


def labelled_people() -> list[Person]:
    return [person for split in SPLIT_WEIGHTS for person in read_people(split)]


def collect_for(
    people: Sequence[Person], model: RelevanceModel, embedder: CachedEmbedder, data: Path | None
) -> list[Example]:
    return [
        example
        for count in DISTRACTOR_COUNTS
        for person in progress(people, f"people, {count} distractors")
        for example in collect_examples(person, model, embedder, count, data)
    ]


def collect_all_examples(cache: Path, data: Path | None) -> list[Example]:
    """Return the examples of all labelled people, with the heads of the installed model."""
    with open_embedder(cache) as embedder:
        return collect_for(labelled_people(), load_relevance_model(), embedder, data)


def write_reading(reading: Mapping[str, float]) -> None:
    """Replace the weights of the second regression in the installed model."""
    path = Path(str(files("recollect.retrieval").joinpath(MODEL_FILE)))
    path.write_text(_format({**json.loads(path.read_text("utf-8")), "reading": reading}), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.train_relevance", description=__doc__)
    parser.add_argument("--data", type=Path, help="LoCoMo, whose turns are added as other people's messages")
    parser.add_argument(
        "--cache", type=Path, default=default_cache_folder(), help="the folder of cached embeddings"
    )
    parser.add_argument("--output", type=Path, help="the data file; the one in the package by default")
    options = parser.parse_args()
    output = options.output or Path(str(files("recollect.retrieval").joinpath(MODEL_FILE)))
    with open_embedder(options.cache) as embedder:
        people = labelled_people()
        heads, idf = fit_heads(embedder), measure_idf(people)
        model = RelevanceModel(embedder=embedder.model_id, weights={}, reading={}, heads=heads, idf=idf)
        examples = collect_for(people, model, embedder, options.data)
        names = sorted({name for each in examples for name in each.features})
        probabilities = predict_unseen(examples, names)
        record = {
            "people": [person.name for person in people],
            "distractors": list(DISTRACTOR_COUNTS),
            "excerpts": len(examples),
            "relevant": sum(each.is_relevant for each in examples),
            "queries": sum(1 for _ in read_rows(QUERIES_FILE)),
            "AUC, other people": round(
                area_under_roc(probabilities, np.array([each.is_relevant for each in examples])), 3
            ),
        }
        for split in SPLIT_WEIGHTS:
            for count in DISTRACTOR_COUNTS:
                places = [
                    place
                    for place, each in enumerate(examples)
                    if (each.split, each.distractors) == (split, count)
                ]
                chosen = [examples[place] for place in places]
                for row in measure_thresholds(chosen, probabilities[places]):
                    print(split, count, json.dumps(row))
        print(json.dumps(record, ensure_ascii=False))
        data = {
            "record": record,
            "embedder": embedder.model_id,
            "weights": fit_weights(examples, names),
            "reading": load_relevance_model().reading,
            "heads": heads,
            "idf": idf,
        }
        output.write_text(_format(data), "utf-8")


def _format(data: Mapping[str, object]) -> str:
    """Return JSON with one weight a line and one line for each head."""
    weights, heads = data["weights"], data["heads"]
    assert isinstance(weights, dict)
    assert isinstance(heads, dict)
    lines = {
        "record": json.dumps(data["record"], ensure_ascii=False),
        "embedder": json.dumps(data["embedder"]),
        "weights": _format_entries(weights),
        "reading": json.dumps(data["reading"]),
        "heads": _format_entries(heads),
        "idf": json.dumps(data["idf"], ensure_ascii=False),
    }
    return "{\n" + ",\n".join(f' "{name}": {text}' for name, text in lines.items()) + "\n}\n"


def _format_entries(entries: Mapping[str, object]) -> str:
    rows = (
        f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(value)}" for name, value in entries.items()
    )
    return "{\n" + ",\n".join(rows) + "\n }"


if __name__ == "__main__":
    main()
