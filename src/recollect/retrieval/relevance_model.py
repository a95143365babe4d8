"""
The relevance model: the probability that a excerpt helps to answer a query.

Logistic regression over a few readable features: similarity of meaning, coverage of the query's words, whose fact it
is, what kind of answer the query expects, and whether a lasting instruction or constraint applies to a task. None of
them depends on the size of the store. The weights are in `relevance.json`, with a record of how they were fitted;
`evals/train_relevance.py` reproduces them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from operator import mul
from typing import Any, Final

from recollect.retrieval.excerpts import (
    ContentWord,
    Excerpt,
    _split_phrases,
    content_words,
    has_phrase,
    match_word,
    relations_in,
    sentences_of,
    whole_excerpt,
)
from recollect.retrieval.relevance_lexicon import (
    ASSISTANT_QUESTION_PHRASES,
    HISTORY_WORDS,
    NUMBER_QUESTIONS,
    PERSON_QUESTIONS,
    PLACE_QUESTIONS,
    TIME_QUESTIONS,
)

INTENTS: Final = ("lookup", "task", "general", "chat", "followup")
TOPIC_NAMES: Final = ("food", "health", "code", "writing", "travel", "schedule", "money", "people")
#: A lasting instruction or constraint applies to a task from this product of probabilities on.
MIN_APPLICABILITY: Final = 0.5
#: A query with more words is judged by its questions alone.
MAX_FOCUSED_WORDS: Final = 40

_ASSISTANT = _split_phrases(ASSISTANT_QUESTION_PHRASES)
_HISTORY = _split_phrases(HISTORY_WORDS)
_NUMBER = _split_phrases(NUMBER_QUESTIONS)
_TIME = _split_phrases(TIME_QUESTIONS)
_PERSON = _split_phrases(PERSON_QUESTIONS)
_PLACE = _split_phrases(PLACE_QUESTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceModel:
    embedder: str  #: the embeddings that the weights were fitted with; others have other cosines
    weights: Mapping[str, float]
    heads: Mapping[
        str, Sequence[float]
    ]  #: intents and topics of a query: weights of its embedding, the bias last
    idf: Mapping[str, float]  #: of common stems, from 0 to 1; any other word counts 1

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "RelevanceModel":
        return cls(embedder=raw["embedder"], weights=raw["weights"], heads=raw["heads"], idf=raw["idf"])


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryProfile:
    """What a query asks for, extracted once and matched with every excerpt."""

    words: tuple[ContentWord, ...]
    idf: tuple[float, ...]
    relations: frozenset[int]
    intents: Mapping[str, float]
    topics: Mapping[str, float]
    is_personal: bool
    asks_assistant: bool
    asks_history: bool
    asks_number: bool
    asks_time: bool
    asks_person: bool
    asks_place: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WordForms:
    """The forms of the words of several excerpts."""

    stems: frozenset[str]
    groups: frozenset[int]
    variants: frozenset[str]

    @classmethod
    def union(cls, excerpts: Sequence[Excerpt]) -> "WordForms":
        return cls(
            stems=frozenset().union(*(each.stems for each in excerpts)),
            groups=frozenset().union(*(each.groups for each in excerpts)),
            variants=frozenset().union(*(each.variants for each in excerpts)),
        )


NO_WORDS: Final = WordForms(stems=frozenset(), groups=frozenset(), variants=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the search says about the passage of a excerpt."""

    cosine: float
    centered: float  #: the cosine less the centroid penalty
    background: float  #: the mean cosine of passages that were retrieved, but not among the first
    is_memory: bool = False
    is_assistant: bool = False
    is_code: bool = False
    is_outdated: bool = False
    reply: float = 0.0  #: score of the previous message, if it is a question
    score: float = 0.0  #: of the ranking
    score_share: float = 0.0  #: of the best score
    rank: int = 0
    lexical: float = 0.0  #: BM25 share of the best
    chat: float = 0.0
    best_centered: float = 0.0  #: the highest of all candidates
    chat_words: WordForms = NO_WORDS  #: of all retrieved passages of the chat


@cache
def load_relevance_model() -> RelevanceModel:
    return RelevanceModel.parse(
        json.loads(files("recollect.retrieval").joinpath("relevance.json").read_text("utf-8"))
    )


def profile_query(query: str, vector: Sequence[float] | None, model: RelevanceModel) -> QueryProfile:
    focus = focus_text(query)
    words = content_words(focus)
    scores = (
        {}
        if vector is None
        else {
            name: _sigmoid(sum(map(mul, vector, weights)) + weights[-1])
            for name, weights in model.heads.items()
        }
    )
    excerpt = whole_excerpt(focus)
    return QueryProfile(
        words=words,
        idf=tuple(word_idf(word, model) for word in words),
        relations=relations_in(focus),
        intents={name: scores.get(name, 0.0) for name in INTENTS},
        topics={name: max(scores.get(name, 0.0), 0.6 * (name in excerpt.topics)) for name in TOPIC_NAMES},
        is_personal=excerpt.is_personal,
        asks_assistant=has_phrase(focus, _ASSISTANT),
        asks_history=has_phrase(focus, _HISTORY),
        asks_number=has_phrase(focus, _NUMBER),
        asks_time=has_phrase(focus, _TIME),
        asks_person=has_phrase(focus, _PERSON),
        asks_place=has_phrase(focus, _PLACE),
    )


def focus_text(query: str) -> str:
    """Return a short query as it is; of a long one its questions, or its last sentences."""
    if len(query.split()) <= MAX_FOCUSED_WORDS:
        return query
    sentences = sentences_of(query)
    questions = [each.text for each in sentences if each.is_question]
    return " ".join(questions or [each.text for each in sentences[-2:]])[-400:]


def word_idf(word: ContentWord, model: RelevanceModel) -> float:
    return min((model.idf[form] for form in word.stems if form in model.idf), default=1.0)


def extract_features(query: QueryProfile, excerpt: Excerpt, evidence: Evidence) -> dict[str, float]:
    """Return the features of a excerpt, most of them from 0 to 1; absent ones are 0."""
    matches = [match_word(word, excerpt) for word in query.words]
    total = sum(query.idf)
    matched = sum(map(mul, matches, query.idf))
    in_chat = sum(
        max(match, match_word(word, evidence.chat_words)) * idf
        for match, word, idf in zip(matches, query.words, query.idf, strict=True)
    )
    chat_coverage = in_chat / total if total else 0.0
    coverage = matched / total if total else 0.0
    rarest = max(map(mul, matches, query.idf), default=0.0)
    missing = max((idf for idf, match in zip(query.idf, matches, strict=True) if not match), default=0.0)
    lookup, task = query.intents["lookup"], query.intents["task"]
    idle = query.intents["general"] + query.intents["chat"] + query.intents["followup"]
    topic = max((query.topics[name] for name in excerpt.topics), default=0.0)
    standing = float(excerpt.is_instruction or excerpt.is_constraint)
    centered = 10 * (evidence.centered - 0.55)
    lift = 10 * (evidence.cosine - evidence.background)
    related = bool(query.relations & excerpt.relations)
    speaks = float(evidence.is_assistant)
    return {
        "centered": centered,
        "cosine": 10 * (evidence.cosine - 0.7),
        "lift": lift,
        "coverage": coverage,
        "coverage²": coverage * coverage,
        "chat coverage": chat_coverage,
        "chat coverage·coverage": chat_coverage * coverage,
        "chat coverage·centered": chat_coverage * centered,
        "first·lookup": lookup / (1 + evidence.rank),
        "first·idle": idle / (1 + evidence.rank),
        "share·coverage": evidence.score_share * coverage,
        "share·gap": evidence.score_share * 10 * (evidence.best_centered - evidence.centered),
        "relation missing·lookup": lookup * (bool(query.relations) and not related),
        "matched": min(matched, 3.0),
        "rarest": rarest,
        "missing": missing,
        "lookup": lookup,
        "task": task,
        "idle": idle,
        "lookup·coverage": lookup * coverage,
        "lookup·centered": lookup * centered,
        "task·centered": task * centered,
        "idle·centered": idle * centered,
        "coverage·centered": coverage * centered,
        "topic": topic,
        "topic·task": topic * task,
        "constraint·task·topic": excerpt.is_constraint * task * topic,
        "instruction·task·topic": excerpt.is_instruction * task * topic,
        "constraint·topic": excerpt.is_constraint * topic,
        "instruction·task": excerpt.is_instruction * task,
        "instruction": float(excerpt.is_instruction),
        "constraint": float(excerpt.is_constraint),
        "standing·idle": standing * idle,
        "score": evidence.score,
        "score share": evidence.score_share,
        "first": 1 / (1 + evidence.rank),
        "lexical": evidence.lexical,
        "chat": evidence.chat,
        "gap": 10 * (evidence.best_centered - evidence.centered),
        "best": 10 * (evidence.best_centered - 0.65),
        "lookup·score": lookup * evidence.score,
        "idle·score": idle * evidence.score,
        "personal·personal": float(excerpt.is_personal and query.is_personal),
        "impersonal query": float(not query.is_personal),
        "personal excerpt": float(excerpt.is_personal),
        "same relation": float(related),
        "other relation": float(bool(query.relations) and not related and bool(excerpt.relations)),
        "relation missing": float(bool(query.relations) and not related),
        "question": float(excerpt.is_question),
        "request": float(excerpt.is_request),
        "offer": float(excerpt.is_offer) * speaks,
        "short": max(0.0, 1 - excerpt.word_count / 8),
        "long": min(excerpt.word_count / 40, 1.0),
        "number": float(query.asks_number) * (1.0 if excerpt.has_number else -1.0),
        "time": float(query.asks_time) * (1.0 if excerpt.has_time or excerpt.has_number else -1.0),
        "person": float(query.asks_person) * (1.0 if excerpt.has_name else -1.0),
        "place": float(query.asks_place) * (1.0 if excerpt.has_name else -1.0),
        "asks": float(query.asks_number or query.asks_time or query.asks_person or query.asks_place),
        "history": float(query.asks_history),
        "history·centered": query.asks_history * centered,
        "assistant": speaks,
        "assistant asked": speaks * query.asks_assistant,
        "user, assistant asked": (1 - speaks) * query.asks_assistant,
        "assistant·task": speaks * task,
        "memory": float(evidence.is_memory),
        "code": float(evidence.is_code),
        "reply": min(evidence.reply, 1.0),
        "has number": float(excerpt.has_number),
        "has name": float(excerpt.has_name),
    }


def relevance_probability(features: Mapping[str, float], model: RelevanceModel) -> float:
    """Return the probability of the regression, or the applicability of a lasting instruction if that is likely."""
    weights = model.weights
    fitted = _sigmoid(
        weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    )
    applies = applicability(features)
    return max(fitted, applies) if applies >= MIN_APPLICABILITY else fitted


def applicability(features: Mapping[str, float]) -> float:
    """
    Return how likely a lasting instruction or constraint of the user applies to a task, from 0 to 1.

    "I'm vegetarian" applies to "what should I cook tonight?", though they share no word and their meanings are far
    apart: what counts is that the query is a task with the topic of the constraint.
    """
    is_standing = (features["constraint"] or features["instruction"]) and not features["assistant"]
    return features["task"] * features["topic"] if is_standing else 0.0


def _sigmoid(value: float) -> float:
    return 1 / (1 + exp(-max(min(value, 30.0), -30.0)))
