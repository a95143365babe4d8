"""
Extract facts sentence by sentence where the rules are silent.

1. `find_gate` recognizes messages whose first person is not the user; quoted and pasted parts are blanked.
2. `split_units` splits the rest into sentences.
3. The sentence classifier gives each a probability; from the threshold of the language on it is kept.
4. `tidy_sentence` completes the kept sentence: fillers and requests go, pronouns get their person, dates are
resolved.

A fact of the rules in a kept sentence gives it its kind and attribute. Cost: O(words); about 2 ms for 200 words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.extraction.fact_weights import weigh_statement
from recollect.extraction.gates import MessageGate, find_gate
from recollect.extraction.rules.grammar import Grammar
from recollect.extraction.rules.prompt_injection import find_injection
from recollect.extraction.rules.tokens import tokenize
from recollect.extraction.sentence_classifier import LanguageWeights
from recollect.extraction.sentence_features import (
    SentenceContext,
    SentenceFeatures,
    message_features,
)
from recollect.extraction.sentence_units import SentenceUnit, split_units
from recollect.extraction.statements import CompleteStatement, tidy_sentence
from recollect.text.quotation import QuotedSpan

#: A message of at most so many sentences is a short line: the rules alone decide, unless they are silent.
SHORT_MESSAGE_SENTENCES = 2
#: A short line needs more: it is usually an answer or a request.
_SHORT_MESSAGE_THRESHOLD = 0.9
#: A fact of the rules in a longer message needs so much.
_RULE_THRESHOLD = 0.45
#: "He's a carpenter" after a kept sentence about the user's brother needs so much.
_CONTINUATION_THRESHOLD = 0.4
_MAX_SENTENCES = 200
#: A hypothetical among the first words covers the whole sentence.
_MAX_LEAD_WORDS = 4
#: A longer message is a document: only what its author says about themselves is kept.
_MIN_DOCUMENT_CHARS = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSentence:
    """A sentence with everything that decides about it."""

    unit: SentenceUnit
    features: SentenceFeatures
    exclusion: str | None  #: why the user does not state it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    language: str
    sentences: tuple[ReadSentence, ...] = field(default_factory=tuple)

    @property
    def is_short(self) -> bool:
        return len(self.sentences) <= SHORT_MESSAGE_SENTENCES


def read_message(
    text: str, prose: str, quotes: Sequence[QuotedSpan], rule_facts: Sequence[Fact], grammar: Grammar
) -> ReadMessage:
    """Split the prose of a message into sentences with their features."""
    gate = find_gate(text, quotes)
    units = split_units(prose)[:_MAX_SENTENCES]
    context = SentenceContext(
        language=grammar.language.code,
        gate=gate,
        rule_spans=[(fact.start, fact.end, fact.kind.value) for fact in rule_facts],
        is_short=len(units) <= SHORT_MESSAGE_SENTENCES,
    )
    return ReadMessage(
        language=grammar.language.code,
        sentences=tuple(
            ReadSentence(unit=unit, features=features, exclusion=exclusion)
            for unit, features, exclusion in zip(
                units, message_features(units, context), _exclusions(units, gate, grammar), strict=True
            )
        ),
    )


def _exclusions(
    units: Sequence[SentenceUnit], gate: MessageGate | None, grammar: Grammar
) -> Iterator[str | None]:
    """Yield why each sentence is not the user's own statement; fiction and injections exclude the rest "
    "of the message.
    """
    rest = f"{gate.kind}: {gate.cue}" if gate is not None and gate.is_closed else None
    cues = grammar.cues
    is_document = bool(units) and units[-1].end >= _MIN_DOCUMENT_CHARS
    for index, unit in enumerate(units):
        words = tokenize(unit.text, grammar.contractions, grammar.clitics)
        if rest is None and index == 0 and cues.letter_opening.prefix_length(words):
            rest = "a letter"
        if rest is None and cues.joke.occurs_in(words):
            rest = "a joke"
        if rest is None and min(cues.fiction.first_position(words), find_injection(words)) < len(words):
            rest = "fiction or an injected prompt"
        is_impersonal = is_document and not any(
            word.fold in grammar.pronouns | grammar.possessives for word in words
        )
        hypothetical = cues.hypothetical.first_position(words)
        if is_impersonal:
            yield rest or "not about the author of a document"
        else:
            yield rest or ("hypothetical" if hypothetical < min(_MAX_LEAD_WORDS, len(words)) else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceDecision:
    """What was decided about a sentence, and why."""

    language: str
    text: str
    start: int
    end: int
    facts: tuple[Fact, ...]  #: empty if nothing is kept
    rule_facts: tuple[Fact, ...]  #: what the rules found in it
    probability: float
    reason: str
    features: SentenceFeatures


def decide_sentences(
    message: ReadMessage, rule_facts: Sequence[Fact], weights: LanguageWeights, *, sent_at: datetime
) -> list[SentenceDecision]:
    """Return a decision for each sentence of a message."""
    decisions: list[SentenceDecision] = []
    for index, sentence in enumerate(message.sentences):
        own_facts = tuple(
            fact for fact in rule_facts if sentence.unit.start <= fact.start < sentence.unit.end
        )
        probability = weights.keep_probability(sentence.features)
        facts: tuple[Fact, ...] = ()
        if message.is_short and rule_facts:
            facts, reason = own_facts, "rule" if own_facts else "only the rules decide about short messages"
        elif sentence.exclusion is not None:
            reason = sentence.exclusion
        else:
            threshold = _SHORT_MESSAGE_THRESHOLD if message.is_short else weights.threshold
            if own_facts:
                threshold = min(threshold, _RULE_THRESHOLD)
            elif sentence.features.continues_relation and decisions and decisions[-1].facts:
                threshold = min(threshold, _CONTINUATION_THRESHOLD)
            is_kept = probability >= threshold
            facts = _sentence_facts(message, index, own_facts, weights, sent_at) if is_kept else ()
            reason = _reason(is_kept, facts, own_facts)
        decisions.append(
            SentenceDecision(
                language=message.language,
                text=sentence.unit.text,
                start=sentence.unit.start,
                end=sentence.unit.end,
                facts=facts,
                rule_facts=own_facts,
                probability=probability,
                reason=reason,
                features=sentence.features,
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
    index: int,
    rule_facts: Sequence[Fact],
    weights: LanguageWeights,
    sent_at: datetime,
) -> tuple[Fact, ...]:
    """Return the statements of a sentence as facts, or the facts of the rules if there is no complete statement."""
    if sum(fact.attribute is not None for fact in rule_facts) > 1:
        return tuple(rule_facts)
    units = [sentence.unit for sentence in message.sentences]
    features = message.sentences[index].features
    is_future = not _is_past(units[index], features, message.language)
    statements = tidy_sentence(units, index, language=message.language, sent_at=sent_at, is_future=is_future)
    kind, probability = weights.kind(features), weights.keep_probability(features)
    return tuple(_statement_facts(statements, rule_facts, kind, features, probability)) or tuple(rule_facts)


def _is_past(unit: SentenceUnit, features: SentenceFeatures, language: str) -> bool:
    if "past" in features.classes:
        return True
    return language == "en" and any(len(word) > 4 and word.endswith("ed") for word in unit.words)


def _statement_facts(
    statements: Sequence[CompleteStatement],
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
