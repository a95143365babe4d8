"""
Extract facts sentence by sentence where the rules are silent.

1. `find_gate` recognizes messages whose first person is not the user; quoted and pasted parts are blanked.
2. `split_units` splits the rest into sentences.
3. The sentence classifier gives each a probability; from the threshold of the language on it is kept.
4. `tidy_sentence` completes the kept sentence: fillers and requests go, pronouns get their person, dates are resolved.

A fact of the rules in a kept sentence gives it its kind and attribute. Cost: O(words); about 2 ms for 200 words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.fact_weights import weigh_statement
from recollect.extraction.gates import MessageGate, find_gate
from recollect.extraction.rules.sentences import blank_non_prose
from recollect.extraction.sentence_classifier import SentenceModel
from recollect.extraction.sentence_features import (
    SentenceContext,
    SentenceFeatures,
    message_features,
)
from recollect.extraction.sentence_units import SentenceUnit, split_units
from recollect.extraction.tidying import Statement, tidy_sentence
from recollect.text.quotation import blank_spans, quoted_spans

#: A message of at most so many sentences is a short line: the rules alone decide, unless they are silent.
SHORT_MESSAGE_SENTENCES = 2
#: A short line needs more: it is usually an answer or a request.
_SHORT_MESSAGE_THRESHOLD = 0.8
#: A fact of the rules in a longer message needs so much.
_RULE_THRESHOLD = 0.3
_MAX_SENTENCES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSentence:
    """A sentence with everything that decides about it."""

    unit: SentenceUnit
    features: SentenceFeatures


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    language: str
    gate: MessageGate | None
    prose: str  #: the user's own prose; quotations and code are blank
    sentences: tuple[ReadSentence, ...] = field(default_factory=tuple)


def read_message(text: str, language: str, rule_facts: Sequence[Fact]) -> ReadMessage:
    """Split a message into sentences with their features."""
    quotes = quoted_spans(text)
    gate = find_gate(text, quotes)
    prose = blank_non_prose(blank_spans(text, quotes))
    units = split_units(prose)[:_MAX_SENTENCES]
    context = SentenceContext(
        language=language,
        gate=gate,
        rule_spans=[(fact.start, fact.end, fact.kind.value) for fact in rule_facts],
        is_short=len(units) <= SHORT_MESSAGE_SENTENCES,
    )
    features = message_features(units, context)
    return ReadMessage(
        language=language,
        gate=gate,
        prose=prose,
        sentences=tuple(
            ReadSentence(unit=unit, features=each) for unit, each in zip(units, features, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceDecision:
    """What was decided about a sentence, and why."""

    text: str
    start: int
    end: int
    facts: tuple[Fact, ...]  #: empty if nothing is kept
    rule_facts: tuple[Fact, ...]  #: what the rules found in it
    probability: float
    reason: str
    contributions: tuple[tuple[str, float], ...]  #: features with their weight, the largest first


def decide_sentences(
    message: ReadMessage, rule_facts: Sequence[Fact], model: SentenceModel, *, sent_at: datetime
) -> list[SentenceDecision]:
    """Return a decision for each sentence of a message."""
    units = [sentence.unit for sentence in message.sentences]
    is_short = len(units) <= SHORT_MESSAGE_SENTENCES
    decisions = []
    for index, sentence in enumerate(message.sentences):
        own_facts = tuple(
            fact for fact in rule_facts if sentence.unit.start <= fact.start < sentence.unit.end
        )
        probability = model.keep_probability(sentence.features, message.language)
        if message.gate is not None and message.gate.is_closed:
            facts, reason = (), f"{message.gate.kind}: {message.gate.cue}"
        elif is_short and rule_facts:
            facts, reason = own_facts, "rule" if own_facts else "the rules found facts in the other sentence"
        else:
            threshold = _SHORT_MESSAGE_THRESHOLD if is_short else model.thresholds[message.language]
            is_kept = probability >= (min(threshold, _RULE_THRESHOLD) if own_facts else threshold)
            facts = _sentence_facts(message, units, index, own_facts, model, sent_at) if is_kept else ()
            reason = _reason(is_kept, facts, own_facts)
        decisions.append(
            SentenceDecision(
                text=sentence.unit.text,
                start=sentence.unit.start,
                end=sentence.unit.end,
                facts=facts,
                rule_facts=own_facts,
                probability=probability,
                reason=reason,
                contributions=tuple(model.contributions(sentence.features, message.language)),
            )
        )
    return decisions


def _reason(is_kept: bool, facts: Sequence[Fact], rule_facts: Sequence[Fact]) -> str:
    if not is_kept:
        return "not worth keeping"
    if not facts:
        return "no complete statement"
    return "rule and sentence classifier" if rule_facts else "sentence classifier"


def _sentence_facts(
    message: ReadMessage,
    units: Sequence[SentenceUnit],
    index: int,
    rule_facts: Sequence[Fact],
    model: SentenceModel,
    sent_at: datetime,
) -> tuple[Fact, ...]:
    """Return the statements of a sentence as facts, or the facts of the rules if there is no complete statement."""
    if sum(fact.attribute is not None for fact in rule_facts) > 1:
        return tuple(rule_facts)
    features = message.sentences[index].features
    is_future = not _is_past(units[index], features, message.language)
    statements = tidy_sentence(units, index, language=message.language, sent_at=sent_at, is_future=is_future)
    kind = model.kind(features, message.language)
    probability = model.keep_probability(features, message.language)
    return tuple(_statement_facts(statements, rule_facts, kind, features, probability)) or tuple(rule_facts)


def _is_past(unit: SentenceUnit, features: SentenceFeatures, language: str) -> bool:
    if "past" in features.classes:
        return True
    return language == "en" and any(len(word) > 4 and word.endswith("ed") for word in unit.words)


def _statement_facts(
    statements: Sequence[Statement],
    rule_facts: Sequence[Fact],
    kind: Kind,
    features: SentenceFeatures,
    probability: float,
) -> Iterator[Fact]:
    for statement in statements:
        fact = Fact(
            text=statement.text,
            kind=kind,
            weight=weigh_statement(statement.text, kind, features.classes, probability),
            start=statement.start,
            end=statement.end,
            valid_from=statement.starts_at if kind not in {Kind.GOAL, Kind.EMOTION} else None,
        )
        for rule_fact in rule_facts:
            if statement.start <= rule_fact.start < statement.end:
                fact = replace(
                    fact,
                    kind=rule_fact.kind,
                    attribute=rule_fact.attribute,
                    value=rule_fact.value,
                    negated=rule_fact.negated,
                    valid_from=rule_fact.valid_from or fact.valid_from,
                )
        yield fact
