"""Validate the facts of a model against their messages: grounded facts pass, others are quarantined."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.memory import Kind
from recollect.domain.message import MessageType, Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.fact_checks import EmptyReplyRule, ModelFact, oversize_reason, rejection_reason
from recollect.extraction.gates import find_gate
from recollect.extraction.grounding import GroundedSpan, GroundingFailure, SourceIndex, ground_in_index
from recollect.extraction.grounding_vocabulary import VOCABULARIES
from recollect.extraction.ownership import find_owner_conflict
from recollect.extraction.prompt_builder import ExtractionRequest, SourceText
from recollect.extraction.rules.prompt_injection import injection_reason
from recollect.text.language import detect_language
from recollect.text.quotation import QuotedSpan

#: Reason for facts that are grounded only in quoted or pasted text.
QUOTED_REASON = Reason(ReasonCode.ONLY_QUOTED)
#: Reason for facts that share no word with their message; a near meaning lifts it.
UNMATCHED_REASON = Reason(ReasonCode.NO_SHARED_WORD)
_LETTER_TO_USER = re.compile(
    r"\b(?:from my|i got|i received|sent me|do meu|da minha|recebi|me mandou|me enviou)\b", re.IGNORECASE
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|dear|prezad[oa]|car[oa]|seu|sua|você|voce|lhe)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReply:
    """A parsed reply, before validation."""

    facts: tuple[ModelFact, ...]
    importance: int | None = None
    message_type: MessageType | None = None
    summary: str | None = None
    reason: Reason | None = None  #: why there are no facts


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationLimits:
    min_fact_chars: int = 10
    empty_reply_rule: EmptyReplyRule = "exact"
    known_names: Collection[str] = ()


def validate_reply(
    reply: ParsedReply, request: ExtractionRequest, limits: ValidationLimits
) -> tuple[Extraction, ...]:
    """Return one extraction for each source of the request, in order."""
    validator = _FactValidator(request.sources, limits)
    outcomes = [validator.validate(model_fact) for model_fact in reply.facts]
    return tuple(
        _build_extraction(
            validator,
            source_index,
            reply,
            [outcome for index, outcome in outcomes if index == source_index],
            request.prompt_label,
        )
        for source_index in range(len(request.sources))
    )


class _FactValidator:
    """Grounds facts in the sources of a request. Each source is indexed on first use."""

    def __init__(self, sources: Sequence[SourceText], limits: ValidationLimits) -> None:
        self.sources = sources
        self._limits = limits
        self._indexes: dict[tuple[int, str, bool], SourceIndex] = {}

    def validate(self, model_fact: ModelFact) -> tuple[int, Fact | Reason]:
        """Return the index of the source of a fact, and the fact or why it is discarded."""
        source_indexes = list(self._likely_sources(model_fact))
        if rejection := rejection_reason(model_fact.text, min_chars=self._limits.min_fact_chars):
            return source_indexes[0], rejection
        failures: list[Reason] = []
        for source_index in source_indexes:
            match self.ground(source_index, model_fact.text):
                case GroundedSpan() as span:
                    own_span = self._own_span(source_index, model_fact.text, span)
                    reason = (
                        oversize_reason(model_fact.text)
                        or injection_reason(model_fact.text)
                        or self._doubt(source_index, model_fact.text, span, own_span)
                    )
                    cited = own_span or span
                    return source_index, _build_fact(
                        model_fact, self.sources[source_index], cited.start, cited.end, reason
                    )
                case GroundingFailure() as failure:
                    failures.append(failure.reason)
        source = self.sources[source_indexes[0]]
        return source_indexes[0], _build_fact(model_fact, source, 0, len(source.text), failures[0])

    def _own_span(self, source_index: int, text: str, span: GroundedSpan) -> GroundedSpan | None:
        """Return the author's own words for a fact; None if quoted or pasted words have more of it."""
        if not self.sources[source_index].quoted_spans:
            return span
        own = self.ground(source_index, text, only_own_text=True)
        return own if isinstance(own, GroundedSpan) and own.matched_words >= span.matched_words else None

    def _doubt(
        self, source_index: int, text: str, span: GroundedSpan, own_span: GroundedSpan | None
    ) -> Reason | None:
        """Return why a grounded fact must be reviewed: only a quotation says it, or it is about somebody else."""
        source = self.sources[source_index]
        language = self._language(source, text)
        if own_span is None and not addresses_user(source, span):
            return QUOTED_REASON
        span = own_span or span
        gate = find_gate(source.text, _spans_in_source(source))
        cited_text = source.text[span.start : span.end]
        conflict = find_owner_conflict(text, cited_text, gate, language)
        return conflict or (UNMATCHED_REASON if not span.matched_words else None)

    def ground(
        self, source_index: int, text: str, *, only_own_text: bool = False
    ) -> GroundedSpan | GroundingFailure:
        """Ground a text in a source, optionally without the quoted and pasted parts of the source."""
        source = self.sources[source_index]
        without_quotes = only_own_text and bool(source.quoted_spans)
        language = self._language(source, text)
        key = (source_index, language, without_quotes)
        if key not in self._indexes:
            indexed_text = source.own_text if without_quotes else source.text
            self._indexes[key] = SourceIndex(indexed_text, language=language)
        return ground_in_index(self._indexes[key], text, known_names=self._limits.known_names)

    @staticmethod
    def _language(source: SourceText, text: str) -> str:
        return next(
            (code for code in map(detect_language, (source.text, text)) if code in VOCABULARIES), "en"
        )

    def _likely_sources(self, model_fact: ModelFact) -> Iterator[int]:
        """Yield the index of the message that the model cites, then user messages, then the others."""
        has_valid_number = model_fact.message_number is not None and 0 < model_fact.message_number <= len(
            self.sources
        )
        stated_index = (
            model_fact.message_number - 1
            if model_fact.message_number is not None and has_valid_number
            else None
        )
        if stated_index is not None:
            yield stated_index
        rest = sorted(range(len(self.sources)), key=lambda index: self.sources[index].role is not Role.USER)
        yield from (index for index in rest if index != stated_index)


def addresses_user(source: SourceText, span: GroundedSpan) -> bool:
    """Return whether the cited part of a quoted letter speaks to the user: "Dear Ms Okafor, your rent will rise"."""
    return (
        _LETTER_TO_USER.search(source.own_text) is not None
        and _SECOND_PERSON.search(source.text[span.start : span.end]) is not None
    )


def _spans_in_source(source: SourceText) -> list[QuotedSpan]:
    length = len(source.text)
    return [
        QuotedSpan(max(span.start - source.start, 0), min(span.end - source.start, length), span.inline)
        for span in source.quoted_spans
        if span.end > source.start and span.start < source.start + length
    ]


def _build_extraction(
    validator: _FactValidator,
    source_index: int,
    reply: ParsedReply,
    outcomes: Sequence[Fact | Reason],
    label: str,
) -> Extraction:
    validated = [outcome for outcome in outcomes if isinstance(outcome, Fact)]
    facts = tuple(fact for fact in validated if fact.quarantine_reason is None)
    heaviest = max((fact.weight for fact in facts), default=0.0)
    discarded = [outcome for outcome in outcomes if isinstance(outcome, Reason)]
    extractor = Reason(ReasonCode.EXTRACTED_BY_MODEL, {"prompt": label})
    return Extraction(
        importance=round(100 * heaviest) if reply.importance is None else reply.importance,
        message_type=reply.message_type or _infer_message_type(validator.sources[source_index], facts),
        summary=_validate_summary(reply.summary, validator, source_index),
        facts=facts,
        quarantined_facts=tuple(fact for fact in validated if fact.quarantine_reason is not None),
        reasons=(extractor, *([reply.reason] if reply.reason else []), *discarded),
    )


def _build_fact(
    model_fact: ModelFact, source: SourceText, start: int, end: int, quarantine_reason: Reason | None
) -> Fact:
    return Fact(
        text=model_fact.text,
        kind=model_fact.kind,
        weight=model_fact.weight,
        start=source.start + start,
        end=source.start + end,
        quarantine_reason=quarantine_reason,
    )


def _infer_message_type(source: SourceText, facts: Sequence[Fact]) -> MessageType:
    if any(fact.kind is Kind.DECISION for fact in facts):
        return MessageType.DECISION
    return MessageType.CODE if "```" in source.text else MessageType.CHAT


def _validate_summary(summary: str | None, validator: _FactValidator, source_index: int) -> str | None:
    """Return the summary, or None if it has names or numbers that are not in the message."""
    if summary is None:
        return None
    grounding = validator.ground(source_index, summary)
    return None if isinstance(grounding, GroundingFailure) and grounding.missing_names else summary
