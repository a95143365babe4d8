"""
Extract facts sentence by sentence where the rules are silent.

1. `find_gate` recognizes messages whose first person is not the user; quoted and pasted parts are blanked.
2. `split_units` splits the rest into sentences.
3. The sentence classifier gives each a probability; from the threshold of the language on it is kept.
4. `tidy_sentence` completes the kept sentence: fillers and requests go, pronouns get their person, dates are
resolved.

A fact of the rules in a kept sentence gives it its kind and attribute. Cost: O(words); about 2 ms for 200 words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.fact_weights import weigh_statement
from recollect.extraction.gates import MessageGate, find_gate, is_salutation, is_sign_off
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
from recollect.extraction.sentence_vocabulary import MAX_LEAD_WORDS
from recollect.extraction.statements import CompleteStatement, tidy_sentence
from recollect.text.quotation import QuotedSpan

JOKE = Reason(ReasonCode.JOKE)
FICTION = Reason(ReasonCode.FICTION)
#: A message of at most so many sentences is a short line: the rules alone decide, unless they are silent.
SHORT_MESSAGE_SENTENCES = 2
#: A short line needs more: it is usually an answer or a request.
_SHORT_MESSAGE_THRESHOLD = 0.93
#: Minimum probability of a fact of the rules in a longer message, unless it is about a text or a game: then its
#: first person may be somebody else's.
_RULE_THRESHOLD = 0.35
#: Minimum probability of a request that is no lasting one: "Write me a session of 60 minutes".
_REQUEST_THRESHOLD = 0.95
#: "He's a carpenter" after a kept sentence about the user's brother needs so much.
_CONTINUATION_THRESHOLD = 0.4
#: A statement that says what no longer holds and what does instead.
_CORRECTION = re.compile(
    r"\b(?:not|n[ãa]o)\b[^,;]+[,;]\s*(?:\w+['’]s|it is|they are|é|são|mas|but|sim)\b", re.IGNORECASE
)
#: "Rex died last week": somebody called by the first name alone is a pet, relative or friend of the user.
_DEATH_REPORT = re.compile(
    r"(?:[oaOA] )?[A-ZÀ-Ý][\w'-]+ (?:died|passed away|morreu|faleceu)"
    r"(?: (?:today|yesterday|last \w+|this \w+|on \w+day|hoje|ontem|na \w+(?:-feira)?|no (?:s[áa]bado|domingo)"
    r"|(?:na )?semana passada|(?:no )?m[êe]s passado))?$"
)
#: "Tomo losartana 50 mg": a dose is worth keeping without other evidence.
_DOSE = re.compile(r"\d\s?(?:mg|mcg|µg|ml|iu|ui|units?|unidades)\b", re.IGNORECASE)
_DOSE_THRESHOLD = 0.3
_CORRECTION_THRESHOLD = 0.75
_USER_CLASSES = frozenset({"first_person", "first_possessive", "standing_order"})
_LASTING_CLASSES = frozenset({"standing", "standing_order", "habit", "preference"})
_MAX_SENTENCES = 200
#: A longer message is a document: only what its author says about themselves is kept.
_MIN_DOCUMENT_CHARS = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSentence:
    """A sentence with everything that decides about it."""

    unit: SentenceUnit
    features: SentenceFeatures
    exclusion: Reason | None  #: why the user does not state it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    language: str
    is_closed: bool  #: its first person is not the user
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
        is_closed=gate is not None and gate.is_closed,
        sentences=tuple(
            ReadSentence(unit=unit, features=features, exclusion=exclusion)
            for unit, features, exclusion in zip(
                units, message_features(units, context), _exclusions(units, gate, grammar), strict=True
            )
        ),
    )


def _exclusions(
    units: Sequence[SentenceUnit], gate: MessageGate | None, grammar: Grammar
) -> list[Reason | None]:
    """Return why each sentence is not the user's own statement."""
    rest = gate.reason if gate is not None and gate.is_closed else None
    cues = grammar.cues
    is_short = len(units) <= SHORT_MESSAGE_SENTENCES
    is_document = bool(units) and units[-1].end >= _MIN_DOCUMENT_CHARS
    exclusions: list[Reason | None] = []
    for index, unit in enumerate(units):
        words = tokenize(unit.text, grammar.contractions, grammar.clitics)
        if (
            index == 0
            and cues.letter_opening.prefix_length(words)
            and (is_short or is_sign_off(units[-1].text))
        ):
            rest = rest or Reason(ReasonCode.LETTER)
        if index and is_salutation(unit.text):
            rest = rest or Reason(ReasonCode.LETTER)
        if find_injection(words) < len(words):
            rest = rest or Reason(ReasonCode.PROMPT_INJECTION)
        reason = rest
        if cues.is_joke(words):
            # A joke takes back what was said just before it, and a short message as a whole.
            reason = reason or JOKE
            exclusions[-1:] = [exclusions[-1] or JOKE] if exclusions else []
            rest = rest or (JOKE if is_short else None)
        if cues.fiction.first_position(words) < len(words):
            reason = reason or FICTION
            rest = rest or (FICTION if is_short or unit.terminator.startswith(":") else None)
        if is_document and not any(word.fold in grammar.pronouns | grammar.possessives for word in words):
            reason = reason or Reason(ReasonCode.NOT_ABOUT_AUTHOR)
        if unit.is_question and cues.question.prefix_length(words):
            reason = reason or Reason(ReasonCode.QUESTION)
        if cues.hypothetical.first_position(words) < min(MAX_LEAD_WORDS, len(words)):
            reason = reason or Reason(ReasonCode.HYPOTHETICAL)
        exclusions.append(reason)
    return exclusions


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
    reason: Reason
    features: SentenceFeatures


def decide_sentences(
    message: ReadMessage, rule_facts: Sequence[Fact], weights: LanguageWeights, *, sent_at: datetime
) -> list[SentenceDecision]:
    """Return a decision for each sentence of a message."""
    decisions: list[SentenceDecision] = []
    probabilities = weights.keep_probabilities([sentence.features for sentence in message.sentences])
    for index, sentence in enumerate(message.sentences):
        own_facts = tuple(
            fact for fact in rule_facts if sentence.unit.start <= fact.start < sentence.unit.end
        )
        probability = probabilities[index]
        facts: tuple[Fact, ...] = ()
        if sentence.exclusion is not None and not (message.is_short and own_facts and not message.is_closed):
            reason = sentence.exclusion
        elif message.is_short and rule_facts:
            facts = own_facts
            reason = Reason(ReasonCode.RULE if own_facts else ReasonCode.SHORT_MESSAGE)
            if own_facts and _says_what_holds(sentence.unit, own_facts):
                # The rules end a statement at the comma: "not vegetarian any more, I eat fish".
                kind = weights.kind(sentence.features)
                facts = _sentence_facts(message, index, own_facts, kind, probability, sent_at)
        else:
            threshold = weights.threshold
            if message.is_short:
                threshold = _SHORT_MESSAGE_THRESHOLD if _is_about_user(sentence.features) else 1.0
                if _DEATH_REPORT.match(sentence.unit.text):
                    threshold = 0.0
                elif _CORRECTION.search(sentence.unit.text):
                    threshold = min(threshold, _CORRECTION_THRESHOLD)
                elif _DOSE.search(sentence.unit.text):
                    threshold = min(threshold, _DOSE_THRESHOLD)
            if own_facts and not sentence.features.is_beside_text:
                threshold = min(threshold, _RULE_THRESHOLD)
            elif not own_facts and _is_single_request(sentence.features):
                threshold = max(threshold, _REQUEST_THRESHOLD)
            elif sentence.features.continues_relation and decisions and decisions[-1].facts:
                threshold = min(threshold, _CONTINUATION_THRESHOLD)
            is_kept = probability >= threshold
            facts = (
                _sentence_facts(
                    message, index, own_facts, weights.kind(sentence.features), probability, sent_at
                )
                if is_kept
                else ()
            )
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


def _says_what_holds(unit: SentenceUnit, rule_facts: Sequence[Fact]) -> bool:
    """Whether a sentence denies something and states something else after a comma."""
    is_retraction = any(fact.negated and fact.attribute is not None for fact in rule_facts)
    return bool(_CORRECTION.search(unit.text)) or (
        is_retraction and len(unit.clauses()) > 1 and len(unit.clauses()[-1].words) > 1
    )


def _is_about_user(features: SentenceFeatures) -> bool:
    """Whether a sentence without context names the user, and is no exercise: "We have x = 3"."""
    return not _USER_CLASSES.isdisjoint(features.classes) and "assignment" not in features.values


def _is_single_request(features: SentenceFeatures) -> bool:
    """Return whether a sentence asks for something once."""
    return bool({"request", "imperative"} & features.classes) and _LASTING_CLASSES.isdisjoint(
        features.classes
    )


def _reason(is_kept: bool, facts: Sequence[Fact], rule_facts: Sequence[Fact]) -> Reason:
    if not is_kept:
        return Reason(ReasonCode.NOT_WORTH_KEEPING)
    if not facts:
        return Reason(ReasonCode.NO_COMPLETE_STATEMENT)
    return Reason(ReasonCode.RULE_AND_CLASSIFIER if rule_facts else ReasonCode.CLASSIFIER)


def _sentence_facts(
    message: ReadMessage,
    index: int,
    rule_facts: Sequence[Fact],
    kind: Kind,
    probability: float,
    sent_at: datetime,
) -> tuple[Fact, ...]:
    """Return the statements of a sentence as facts, or the facts of the rules if there is no complete statement."""
    if sum(fact.attribute is not None for fact in rule_facts) > 1:
        return tuple(rule_facts)
    units = [sentence.unit for sentence in message.sentences]
    features = message.sentences[index].features
    is_future = not _is_past(units[index], features, message.language)
    statements = tidy_sentence(units, index, language=message.language, sent_at=sent_at, is_future=is_future)
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
        covered = [fact for fact in rule_facts if statement.start <= fact.start < statement.end]
        if len(covered) > 1 and any(fact.attribute is not None for fact in covered):
            # One memory per attribute, since each can change alone.
            yield from covered
            continue
        fact = Fact(
            text=statement.text,
            kind=kind,
            weight=weigh_statement(statement.text, kind, features.classes, probability),
            start=statement.start,
            end=statement.end,
            valid_from=statement.starts_at if kind not in {Kind.GOAL, Kind.EMOTION} else None,
        )
        for rule_fact in covered:
            fact = replace(
                fact,
                kind=rule_fact.kind,
                attribute=rule_fact.attribute,
                value=rule_fact.value,
                negated=rule_fact.negated,
                valid_from=rule_fact.valid_from or fact.valid_from,
            )
        yield fact
