"""Extract importance, type, summary and facts from messages, with a language model or with rules."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.domain.extraction import Extraction
from recollect.domain.memory import normalize_fact
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.policy import Policy
from recollect.errors import AnswerUnreadable
from recollect.extraction.fact_checks import EmptyReplyRule
from recollect.extraction.injected_blocks import BLANK_CHARACTER, blank_injected
from recollect.extraction.prompt_builder import (
    MAX_INPUT_TOKENS,
    ExtractionMode,
    ExtractionRequest,
    PromptOptions,
    SourceText,
    build_requests,
    build_retry_request,
)
from recollect.extraction.reply_parser import UnreadableReply, parse_reply
from recollect.extraction.rules.classifier import extract_by_rules
from recollect.extraction.validation import QuarantinedFact, ValidatedExtraction, ValidationLimits
from recollect.ports.chat_model import ChatModel, Completion, ModelMessage
from recollect.text.language import detect_language
from recollect.text.quotation import quoted_spans

#: Roles whose messages are extracted, by the value of the setting `extraction.roles`.
EXTRACTED_ROLES = {
    "user": frozenset({Role.USER}),
    "user+assistant": frozenset({Role.USER, Role.ASSISTANT}),
    "all": frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}
_PROMPT_LOCALES = ("en", "pt")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """Model calls and tokens, as the model counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        return ModelUsage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageExtraction:
    """The extraction of one message. The usage of a call about several messages is recorded on the first."""

    message_id: str
    extraction: Extraction
    quarantined_facts: tuple[QuarantinedFact, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)
    model: str | None = None  #: None if the rules extracted it
    omissions: tuple[str, ...] = ()  #: what did not fit into the prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractor:
    """
    Extracts facts with the model if there is one, else with the rules.

    Raises ProviderBusy and ProviderError from the model, and AnswerUnreadable when its second reply cannot be parsed
    either. Then no message has a result, and the same call can be repeated.
    """

    model: ChatModel | None = None
    prompt_overrides: Mapping[str, str] = field(default_factory=dict)  #: the user's templates, by name
    max_input_tokens: int = MAX_INPUT_TOKENS  #: of one prompt
    timeout: float | None = None  #: seconds for one call; None leaves it to the model
    empty_reply_rule: EmptyReplyRule = "exact"

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        policy: Policy,
        known_memories: Sequence[str] = (),
        context_texts: Sequence[str] = (),
        known_names: Collection[str] = (),
    ) -> list[MessageExtraction]:
        """Return one result per message, in order. Roles that the policy excludes and injected text are never read."""
        mode = policy.extraction.mode
        allowed = EXTRACTED_ROLES[policy.extraction.roles]
        sources = [_source_text(message) for message in messages if message.role in allowed]
        readable_sources = [source for source in sources if source.visible_text]
        results: dict[str, MessageExtraction] = {}
        if mode != "off" and self.model is not None:
            options = PromptOptions(
                policy=policy.extraction,
                locale=_prompt_locale(readable_sources, policy.context.locale),
                known_memories=known_memories,
                context_texts=context_texts,
                overrides=self.prompt_overrides,
                max_input_tokens=self.max_input_tokens,
            )
            limits = ValidationLimits(
                min_fact_chars=policy.extraction.min_fact_chars,
                empty_reply_rule=self.empty_reply_rule,
                known_names=known_names,
            )
            results = self._extract_with_model(self.model, readable_sources, mode, options, limits)
        elif mode != "off":
            source_by_id = {source.id: source for source in readable_sources}
            results = {
                m.id: _extract_with_rules(m, source_by_id[m.id], policy)
                for m in messages
                if m.id in source_by_id
            }
        return [results.get(message.id) or _skipped_extraction(message, policy) for message in messages]

    def _extract_with_model(
        self,
        model: ChatModel,
        sources: Sequence[SourceText],
        mode: ExtractionMode,
        options: PromptOptions,
        limits: ValidationLimits,
    ) -> dict[str, MessageExtraction]:
        results: dict[str, MessageExtraction] = {}
        for request in build_requests(sources, mode, options):
            extractions, usage = self._request_extractions(model, request, limits)
            for source, extraction in zip(request.sources, extractions, strict=True):
                result = MessageExtraction(
                    message_id=source.id,
                    extraction=extraction.extraction,
                    quarantined_facts=extraction.quarantined_facts,
                    usage=usage,
                    model=model.model_id,
                    omissions=request.omissions,
                )
                results[source.id] = (
                    _merge_extractions(results[source.id], result) if source.id in results else result
                )
                usage = ModelUsage()
        return results

    def _request_extractions(
        self, model: ChatModel, request: ExtractionRequest, limits: ValidationLimits
    ) -> tuple[tuple[ValidatedExtraction, ...], ModelUsage]:
        first = self._complete(model, request)
        match parse_reply(first.text, request, limits, is_truncated=first.is_truncated):
            case UnreadableReply(reason=reason):
                retry_request = build_retry_request(
                    request,
                    first.text,
                    reason,
                    overrides=self.prompt_overrides,
                    is_truncated=first.is_truncated,
                )
            case extractions:
                return extractions, _model_usage(first)
        second = self._complete(model, retry_request)
        match parse_reply(second.text, request, limits, is_truncated=second.is_truncated):
            case UnreadableReply(reason=reason):
                raise AnswerUnreadable(
                    f"The reply of the model {model.model_id} could not be parsed, after one retry: {reason}. "
                    "No facts were extracted; retry the job or choose another model."
                )
            case extractions:
                return extractions, _model_usage(first) + _model_usage(second)

    def _complete(self, model: ChatModel, request: ExtractionRequest) -> Completion:
        messages = [ModelMessage(role=message.role, content=message.text) for message in request.messages]
        return model.complete(
            messages, max_tokens=request.max_tokens, schema=request.schema, timeout=self.timeout
        )


def _source_text(message: Message) -> SourceText:
    text = blank_injected(message.content)
    return SourceText(id=message.id, role=message.role, text=text, quoted_spans=quoted_spans(text))


def _prompt_locale(sources: Sequence[SourceText], fallback: str) -> str:
    """Return the language of the messages if there are prompts in it, else the fallback."""
    language = detect_language("\n".join(source.visible_text[:300] for source in sources))
    return language if language in _PROMPT_LOCALES else fallback


def _extract_with_rules(message: Message, source: SourceText, policy: Policy) -> MessageExtraction:
    # Spaces in place of injected text, so that positions in the message stay valid.
    extraction = extract_by_rules(
        source.text.replace(BLANK_CHARACTER, " "), role=message.role, sent_at=message.created_at
    )
    min_fact_chars = policy.extraction.min_fact_chars
    # A fact with an attribute may be shorter than the minimum: "name: Ana".
    facts = tuple(fact for fact in extraction.facts if fact.attribute or len(fact.text) >= min_fact_chars)
    return MessageExtraction(message_id=message.id, extraction=replace(extraction, facts=facts))


def _skipped_extraction(message: Message, policy: Policy) -> MessageExtraction:
    if policy.extraction.mode == "off":
        reason = "extraction is off"
    elif message.role not in EXTRACTED_ROLES[policy.extraction.roles]:
        reason = f"{message.role} messages are not extracted"
    else:
        reason = "the message contains only injected text"
    return MessageExtraction(message_id=message.id, extraction=Extraction(importance=0, reason=reason))


def _model_usage(completion: Completion) -> ModelUsage:
    return ModelUsage(
        calls=1,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
    )


def _merge_extractions(one: MessageExtraction, other: MessageExtraction) -> MessageExtraction:
    """Merge two parts of one long message: importance and summary of the more important part, all facts."""
    first, second = one.extraction, other.extraction
    facts = {normalize_fact(fact.text): fact for fact in (*second.facts, *first.facts)}
    leading = max(first, second, key=lambda extraction: extraction.importance)
    return replace(
        one,
        extraction=replace(
            leading,
            message_type=_higher_message_type(first.message_type, second.message_type),
            summary=leading.summary or first.summary or second.summary,
            facts=tuple(sorted(facts.values(), key=lambda fact: fact.start)),
        ),
        quarantined_facts=(*one.quarantined_facts, *other.quarantined_facts),
        usage=one.usage + other.usage,
    )


def _higher_message_type(one: MessageType, other: MessageType) -> MessageType:
    order = (MessageType.DECISION, MessageType.CODE, MessageType.CHAT)
    return min(one, other, key=order.index)
