"""Validate the facts of a model against their messages: grounded facts pass, others are quarantined."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.memory import Kind
from recollect.domain.message import MessageType, Role
from recollect.extraction.fact_checks import EmptyReplyRule, ModelFact, oversize_reason, rejection_reason
from recollect.extraction.grounding import GroundedSpan, GroundingFailure, SourceIndex, ground_in_index
from recollect.extraction.grounding_vocabulary import VOCABULARIES
from recollect.extraction.prompt_builder import ExtractionRequest, SourceText
from recollect.extraction.rules.prompt_injection import injection_reason
from recollect.text.language import detect_language

#: Reason for facts that are grounded only in quoted or pasted text.
QUOTED_REASON = "only quoted or pasted text says so"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReply:
    """A parsed reply, before validation."""

    facts: tuple[ModelFact, ...]
    importance: int | None = None
    message_type: MessageType | None = None
    summary: str | None = None
    reason: str = ""


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

    def validate(self, model_fact: ModelFact) -> tuple[int, Fact | str]:
        """Return the index of the source of a fact, and the fact or why it is discarded."""
        source_indexes = list(self._likely_sources(model_fact))
        if rejection := rejection_reason(model_fact.text, min_chars=self._limits.min_fact_chars):
            return source_indexes[0], rejection
        failures = []
        for source_index in source_indexes:
            match self.ground(source_index, model_fact.text, only_own_text=True):
                case GroundedSpan(start=start, end=end):
                    reason = oversize_reason(model_fact.text) or injection_reason(model_fact.text)
                    return source_index, _build_fact(
                        model_fact, self.sources[source_index], start, end, reason
                    )
                case GroundingFailure() as failure:
                    failures.append(failure.reason)
        for source_index in (index for index in source_indexes if self.sources[index].quoted_spans):
            match self.ground(source_index, model_fact.text):
                case GroundedSpan(start=start, end=end):
                    return source_index, _build_fact(
                        model_fact, self.sources[source_index], start, end, QUOTED_REASON
                    )
                case GroundingFailure():
                    continue
        source = self.sources[source_indexes[0]]
        return source_indexes[0], _build_fact(model_fact, source, 0, len(source.text), failures[0])

    def ground(
        self, source_index: int, text: str, *, only_own_text: bool = False
    ) -> GroundedSpan | GroundingFailure:
        """Ground a text in a source, optionally without the quoted and pasted parts of the source."""
        source = self.sources[source_index]
        without_quotes = only_own_text and bool(source.quoted_spans)
        language = next(
            (code for code in map(detect_language, (source.text, text)) if code in VOCABULARIES), "en"
        )
        key = (source_index, language, without_quotes)
        if key not in self._indexes:
            indexed_text = source.own_text if without_quotes else source.text
            self._indexes[key] = SourceIndex(indexed_text, language=language)
        return ground_in_index(self._indexes[key], text, known_names=self._limits.known_names)

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


def _build_extraction(
    validator: _FactValidator,
    source_index: int,
    reply: ParsedReply,
    outcomes: Sequence[Fact | str],
    label: str,
) -> Extraction:
    validated = [outcome for outcome in outcomes if isinstance(outcome, Fact)]
    facts = tuple(fact for fact in validated if fact.quarantine_reason is None)
    heaviest = max((fact.weight for fact in facts), default=0.0)
    notes = [f"discarded: {outcome}" for outcome in outcomes if isinstance(outcome, str)]
    return Extraction(
        importance=round(100 * heaviest) if reply.importance is None else reply.importance,
        message_type=reply.message_type or _infer_message_type(validator.sources[source_index], facts),
        summary=_validate_summary(reply.summary, validator, source_index),
        facts=facts,
        quarantined_facts=tuple(fact for fact in validated if fact.quarantine_reason is not None),
        reason="; ".join(filter(None, [label, reply.reason, *notes])),
    )


def _build_fact(
    model_fact: ModelFact, source: SourceText, start: int, end: int, quarantine_reason: str | None
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
