"""
Extraction of messages: what is read of each one, extraction by rules, and the merging of a model's replies.

With a model, extraction is prompt → call → parse → at most one retry. The service makes the calls between
`build_requests`, `parse_reply` and `build_retry_request`, and gives the parsed replies to `collect_extractions`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from recollect.domain.extraction import Extraction
from recollect.domain.memory import normalize_fact
from recollect.domain.message import EXTRACTED_ROLES, Message, MessageType
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.fact_checks import EmptyReplyRule
from recollect.extraction.injected_blocks import BLANK_CHARACTER, blank_injected
from recollect.extraction.local_extractor import extract_by_rules
from recollect.extraction.prompt_builder import PromptOptions, SourceText
from recollect.extraction.validation import ValidationLimits
from recollect.text.language import detect_language
from recollect.text.quotation import quoted_spans

_PROMPT_LOCALES = ("en", "pt")


def source_texts(messages: Sequence[Message], policy: Policy) -> list[SourceText]:
    """Return what is read of each message. Roles that the policy excludes and injected text are never read."""
    if policy.extraction.mode == "off":
        return []
    allowed_roles = EXTRACTED_ROLES[policy.extraction.roles]
    sources = [_source_text(message) for message in messages if message.role in allowed_roles]
    return [source for source in sources if source.visible_text]


def prompt_options(
    sources: Sequence[SourceText],
    policy: Policy,
    *,
    known_memories: Sequence[str],
    context_texts: Sequence[str],
    overrides: Mapping[str, str],
    max_input_tokens: int,
) -> PromptOptions:
    """Return the options of a prompt about these sources, in their language if there are prompts in it."""
    return PromptOptions(
        policy=policy.extraction,
        locale=_prompt_locale(sources, policy.context.locale),
        known_memories=known_memories,
        context_texts=context_texts,
        overrides=overrides,
        max_input_tokens=max_input_tokens,
    )


def validation_limits(
    policy: Policy, *, empty_reply_rule: EmptyReplyRule, known_names: Collection[str]
) -> ValidationLimits:
    return ValidationLimits(
        min_fact_chars=policy.extraction.min_fact_chars,
        empty_reply_rule=empty_reply_rule,
        known_names=known_names,
    )


def collect_extractions(
    messages: Sequence[Message], extractions: Iterable[tuple[str, Extraction]], policy: Policy
) -> list[Extraction]:
    """
    Return one extraction per message, in order, from extractions with the ids of their messages.

    The parts of a long message are merged; a message without an extraction gets one with the reason.
    """
    by_message: dict[str, Extraction] = {}
    for message_id, extraction in extractions:
        earlier = by_message.get(message_id)
        by_message[message_id] = _merge_extractions(earlier, extraction) if earlier else extraction
    return [by_message.get(message.id) or _skipped_extraction(message, policy) for message in messages]


def extract_with_rules(messages: Sequence[Message], policy: Policy) -> list[Extraction]:
    """Return one extraction by rules per message, in order."""
    sources = {source.id: source for source in source_texts(messages, policy)}
    return [
        _extract_message(message, sources[message.id], policy)
        if message.id in sources
        else _skipped_extraction(message, policy)
        for message in messages
    ]


def _source_text(message: Message) -> SourceText:
    text = blank_injected(message.content)
    return SourceText(id=message.id, role=message.role, text=text, quoted_spans=quoted_spans(text))


def _prompt_locale(sources: Sequence[SourceText], fallback: str) -> str:
    language = detect_language("\n".join(source.visible_text[:300] for source in sources))
    return language if language in _PROMPT_LOCALES else fallback


def _extract_message(message: Message, source: SourceText, policy: Policy) -> Extraction:
    # Spaces in place of injected text, so that positions in the message stay valid.
    extraction = extract_by_rules(
        source.text.replace(BLANK_CHARACTER, " "), role=message.role, sent_at=message.created_at
    )
    min_fact_chars = policy.extraction.min_fact_chars
    # A fact with an attribute may be shorter than the minimum: "name: Ana".
    facts = tuple(fact for fact in extraction.facts if fact.attribute or len(fact.text) >= min_fact_chars)
    return replace(extraction, facts=facts)


def _skipped_extraction(message: Message, policy: Policy) -> Extraction:
    if policy.extraction.mode == "off":
        reason = Reason(ReasonCode.EXTRACTION_OFF)
    elif message.role not in EXTRACTED_ROLES[policy.extraction.roles]:
        reason = Reason(ReasonCode.ROLE_NOT_EXTRACTED, {"role": message.role.value})
    else:
        reason = Reason(ReasonCode.INJECTED_TEXT_ONLY)
    return Extraction(importance=0, reasons=(reason,))


def _merge_extractions(first: Extraction, second: Extraction) -> Extraction:
    """Merge two parts of one long message: importance and summary of the more important part, all facts."""
    facts = {normalize_fact(fact.text): fact for fact in (*second.facts, *first.facts)}
    leading = max(first, second, key=lambda extraction: extraction.importance)
    return replace(
        leading,
        message_type=_higher_message_type(first.message_type, second.message_type),
        summary=leading.summary or first.summary or second.summary,
        facts=tuple(sorted(facts.values(), key=lambda fact: fact.start)),
        quarantined_facts=(*first.quarantined_facts, *second.quarantined_facts),
        model=first.model,
        usage=first.usage + second.usage,
    )


def _higher_message_type(one: MessageType, other: MessageType) -> MessageType:
    order = (MessageType.DECISION, MessageType.CODE, MessageType.CHAT)
    return min(one, other, key=order.index)
