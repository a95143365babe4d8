"""
The relevance model: the probability that an excerpt helps to answer a query.

Logistic regression over about thirty readable features: similarity of meaning, coverage of the query's words by the
excerpt and by the messages around it, whose fact it is and which (the brother's job), what kind of answer the query
expects, and whether a lasting instruction or constraint applies to a task. The weights are in `relevance.json`, with a
record of how they were fitted; `evals/train_relevance.py` reproduces them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import repeat
from math import exp, log
from operator import mul
from typing import Any, Final

from recollect.retrieval.excerpts import (
    ContentWord,
    Excerpt,
    content_words,
    has_phrase,
    relations_in,
    sentences_of,
    simple_words,
    split_phrases,
    whole_excerpt,
)
from recollect.retrieval.facets import ANSWER_TYPES, CLOSED_FACETS, question_facets
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
#: A cross-encoder's score and its distance from 1 count at least so much.
MIN_SCORE: Final = 1e-5
#: A query with more words is judged by its questions alone.
MAX_FOCUSED_WORDS: Final = 40
#: Words that are at least so rare, and are no cue of a facet, are taken for names.
MIN_SUBJECT_IDF: Final = 0.9

_ASSISTANT = split_phrases(ASSISTANT_QUESTION_PHRASES)
_HISTORY = split_phrases(HISTORY_WORDS)
_NUMBER = split_phrases(NUMBER_QUESTIONS)
_TIME = split_phrases(TIME_QUESTIONS)
_PERSON = split_phrases(PERSON_QUESTIONS)
_PLACE = split_phrases(PLACE_QUESTIONS)
#: The logit of the query adapter for a passage without a vector.
DEFAULT_ANSWER_LOGIT: Final = -4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceModel:
    embedder: str  #: the embeddings that the weights were fitted with; others have other cosines
    weights: Mapping[str, float]
    reading: Mapping[
        str, float
    ]  #: weights of the features' and the cross-encoder's logits, and of some features
    #: Of the intents and topics of a query: weights of its embedding, the bias last.
    heads: Mapping[str, Sequence[float]]
    idf: Mapping[str, float]  #: of common stems, from 0 to 1; any other word counts 1

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "RelevanceModel":
        return cls(
            embedder=raw["embedder"],
            weights=raw["weights"],
            reading=raw["reading"],
            heads=raw["heads"],
            idf=raw["idf"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryProfile:
    """What a query asks for, extracted once and matched with every excerpt."""

    words: tuple[ContentWord, ...]
    idf: tuple[float, ...]
    relations: frozenset[int]
    intents: Mapping[str, float]
    topics: Mapping[str, float]
    facets: frozenset[str]  #: what it asks for: a job, a home, an age
    subjects: tuple[int, ...]  #: positions of names and other rare words: of whom or what it asks
    is_personal: bool
    asks_assistant: bool
    asks_history: bool
    asks_number: bool
    asks_time: bool
    asks_person: bool
    asks_place: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the search says about the passage of an excerpt."""

    cosine: float
    centered: float  #: the cosine less the centroid penalty
    background: float  #: the mean cosine of passages that were retrieved, but not among the first
    is_memory: bool = False
    is_assistant: bool = False
    is_code: bool = False
    reply: float = 0.0  #: score of the previous message, if it is a question
    lexical: float = 0.0  #: BM25 share of the best
    best_centered: float = 0.0  #: the highest of all candidates
    chat_matches: Sequence[float] = ()  #: of the query's words in all retrieved passages of the chat
    near_matches: Sequence[float] = ()  #: of the query's words in the message and those before and after it
    near_centered: float = 0.0  #: of the message before or after it
    chat_centered: float = 0.0  #: the highest of the chat
    answer_logit: float = DEFAULT_ANSWER_LOGIT  #: of the query adapter
    best_answer_logit: float = DEFAULT_ANSWER_LOGIT  #: the highest of all candidates
    is_learned: bool = False  #: whether a memory among the candidates was learned from it


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
        facets=question_facets(simple_words(focus)),
        subjects=tuple(place for place, word in enumerate(words) if _is_subject(word, model)),
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


def _is_subject(word: ContentWord, model: RelevanceModel) -> bool:
    is_rare = word_idf(word, model) >= MIN_SUBJECT_IDF and not word.groups
    return is_rare and word.text.isalpha() and not question_facets([word.text])


def extract_features(
    query: QueryProfile, excerpt: Excerpt, evidence: Evidence, matches: Sequence[float]
) -> dict[str, float]:
    """
    Return the features of an excerpt, most of them from 0 to 1; absent ones are 0.

    `matches` are those of the query's words in the excerpt.
    """
    total = sum(query.idf) or 1.0
    matched = sum(map(mul, matches, query.idf))
    in_chat = sum(map(mul, map(max, matches, evidence.chat_matches or matches), query.idf))
    near_matches = evidence.near_matches or matches
    near_coverage = sum(map(mul, map(max, matches, near_matches), query.idf)) / total
    lookup, task = query.intents["lookup"], query.intents["task"]
    idle = query.intents["general"] + query.intents["chat"] + query.intents["followup"]
    topic = max((query.topics[name] for name in excerpt.topics), default=0.0)
    centered = 10 * (evidence.centered - 0.55)
    related = bool(query.relations & excerpt.relations)
    speaks = float(evidence.is_assistant)
    subject_facets, types = query.facets - ANSWER_TYPES, query.facets & ANSWER_TYPES
    slots = query.facets & CLOSED_FACETS
    is_about_other = bool(query.relations or query.subjects)
    has_subject = (
        related or any(matches[place] or near_matches[place] for place in query.subjects)
        if is_about_other
        else excerpt.is_personal or evidence.is_memory
    )
    return {
        # Meaning
        "cosine": 10 * (evidence.cosine - 0.7),
        "answer": evidence.answer_logit / 4,
        "answer gap": (evidence.best_answer_logit - evidence.answer_logit) / 4,
        "best answer": evidence.best_answer_logit / 4,
        "answer·task": task * evidence.answer_logit / 4,
        "lift": 10 * (evidence.cosine - evidence.background),
        "gap": 10 * (evidence.best_centered - evidence.centered),
        "best": 10 * (evidence.best_centered - 0.65),
        "lookup·centered": lookup * centered,
        "history·centered": query.asks_history * centered,
        # Words
        "matched": min(matched, 3.0),
        "coverage": matched / total,
        "lexical": evidence.lexical,
        # Surroundings
        "chat coverage": in_chat / total,
        "chat best": 10 * (evidence.chat_centered - evidence.best_centered),
        "near centered": 10 * max(0.0, evidence.near_centered - 0.55),
        "near coverage·assistant": speaks * near_coverage,
        "reply": min(evidence.reply, 1.0),
        # Whose fact and which
        "facet": len(subject_facets & excerpt.facets) / len(subject_facets) if subject_facets else 0.0,
        "slot empty": float(bool(slots) and slots.isdisjoint(excerpt.facets) and has_subject),
        "slot filled, other subject": float(not slots.isdisjoint(excerpt.facets) and not has_subject),
        "type missing": float(bool(types) and types.isdisjoint(excerpt.facets)),
        "person": float(query.asks_person) * (1.0 if excerpt.has_name else -1.0),
        "other relation": float(bool(query.relations) and not related and bool(excerpt.relations)),
        # What the query is for
        "task": task,
        "idle": idle,
        "standing·topic": float(excerpt.is_instruction or excerpt.is_constraint) * topic,
        "assistant asked": speaks * query.asks_assistant,
        # The excerpt alone
        "assistant": speaks,
        "memory": float(evidence.is_memory),
        "learned": float(evidence.is_learned),
        "code": float(evidence.is_code),
        "request": float(excerpt.is_request),
        "short": max(0.0, 1 - excerpt.word_count / 8),
        "has number": float(excerpt.has_number),
    }


def relevance_probability(features: Mapping[str, float], model: RelevanceModel) -> float:
    """Return the probability of the regression, or the applicability of a lasting instruction if that is likely."""
    fitted, applies = _sigmoid(_features_logit(features, model)), applicability(features)
    return max(fitted, applies) if applies >= MIN_APPLICABILITY else fitted


def read_probability(features: Mapping[str, float], score: float, model: RelevanceModel) -> float:
    """Return the probability that follows from the features and from the cross-encoder's score, from 0 to 1."""
    evidence = {
        **features,
        "features": _features_logit(features, model),
        "cross-encoder": logit(score),
    }
    return _sigmoid(model.reading["bias"] + _weighted_sum(evidence, model.reading))


def _features_logit(features: Mapping[str, float], model: RelevanceModel) -> float:
    return model.weights["bias"] + _weighted_sum(features, model.weights)


def _weighted_sum(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    # Maps run in C: this is computed for about two hundred excerpts per query.
    total: float = sum(map(mul, map(weights.get, features, repeat(0.0)), features.values()))
    return total


def applicability(features: Mapping[str, float]) -> float:
    """
    Return how likely a lasting instruction or constraint of the user applies to a task, from 0 to 1.

    "I'm vegetarian" applies to "what should I cook tonight?", though they share no word and their meanings are far
    apart: what counts is that the query is a task with the topic of the constraint.
    """
    return features["task"] * features["standing·topic"] * (1 - features["assistant"])


def logit(probability: float) -> float:
    return log(max(probability, MIN_SCORE) / max(1 - probability, MIN_SCORE))


def _sigmoid(value: float) -> float:
    return 1 / (1 + exp(-max(min(value, 30.0), -30.0)))
