"""Extraction with a language model: prompt → call → parse → at most one retry; without one, by rules."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.domain.extraction import Extraction, ModelUsage
from recollect.domain.message import Message
from recollect.domain.policy import Policy
from recollect.errors import AnswerUnreadable
from recollect.extraction.fact_checks import EmptyReplyRule
from recollect.extraction.message_extraction import (
    collect_extractions,
    extract_with_rules,
    prompt_options,
    source_texts,
    validation_limits,
)
from recollect.extraction.prompt_builder import (
    MAX_INPUT_TOKENS,
    ExtractionRequest,
    build_requests,
    build_retry_request,
)
from recollect.extraction.reply_parser import UnreadableReply, parse_reply
from recollect.extraction.validation import ValidationLimits
from recollect.ports.chat_model import ChatModel, Completion, ModelMessage
from recollect.text.tokens import estimate_tokens

#: Maximum length of an unreadable reply that the error quotes.
MAX_REPORTED_REPLY_CHARS = 500


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
    ) -> list[Extraction]:
        """Return one extraction per message, in order."""
        if self.model is None or policy.extraction.mode == "off":
            return extract_with_rules(messages, policy)
        sources = source_texts(messages, policy)
        options = prompt_options(
            sources,
            policy,
            known_memories=known_memories,
            context_texts=context_texts,
            overrides=self.prompt_overrides,
            max_input_tokens=self.max_input_tokens,
        )
        limits = validation_limits(policy, empty_reply_rule=self.empty_reply_rule, known_names=known_names)
        requests = build_requests(sources, policy.extraction.mode, options)
        replies = (reply for request in requests for reply in self._request(self.model, request, limits))
        return collect_extractions(messages, replies, policy)

    def _request(
        self, model: ChatModel, request: ExtractionRequest, limits: ValidationLimits
    ) -> Iterator[tuple[str, Extraction]]:
        """Yield the extraction of each source of a request. The first one carries the usage."""
        extractions, usage = self._request_extractions(model, request, limits)
        for source, extraction in zip(request.sources, extractions, strict=True):
            yield (
                source.id,
                replace(
                    extraction,
                    usage=usage,
                    model=model.model_id,
                    reasons=(*extraction.reasons, *request.omissions),
                ),
            )
            usage = ModelUsage()

    def _request_extractions(
        self, model: ChatModel, request: ExtractionRequest, limits: ValidationLimits
    ) -> tuple[tuple[Extraction, ...], ModelUsage]:
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
                    "No facts were extracted; retry the job or choose another model. "
                    f"The reply: {second.text[:MAX_REPORTED_REPLY_CHARS]!r}"
                )
            case extractions:
                return extractions, _model_usage(first) + _model_usage(second)

    def _complete(self, model: ChatModel, request: ExtractionRequest) -> Completion:
        messages = [ModelMessage(role=message.role, content=message.text) for message in request.messages]
        if request.mode == "single_fact":
            completion = _stream(model, messages, max_tokens=request.max_tokens, timeout=self.timeout)
            # An empty stream does not say whether the model had nothing to say or reached the limit while thinking.
            if completion.text:
                return completion
        return model.complete(
            messages, max_tokens=request.max_tokens, schema=request.schema, timeout=self.timeout
        )


def _stream(
    model: ChatModel, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None
) -> Completion:
    """Return a streamed reply, trimmed. A stream reports neither tokens nor a limit, so both are estimated."""
    text = "".join(model.stream(messages, max_tokens=max_tokens, timeout=timeout))
    completion_tokens = estimate_tokens(text)
    return Completion(
        text=text.strip(),
        model=model.model_id,
        prompt_tokens=sum(estimate_tokens(message.content) for message in messages),
        completion_tokens=completion_tokens,
        is_truncated=completion_tokens >= max_tokens,
    )


def _model_usage(completion: Completion) -> ModelUsage:
    return ModelUsage(
        calls=1,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
    )
