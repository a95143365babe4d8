"""Summarize conversations with a language model if one is configured, else extractively."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.domain.message import Message
from recollect.domain.policy import SummaryPolicy
from recollect.domain.summary import SummaryKind
from recollect.maintenance import prompt_templates as prompts
from recollect.maintenance.extractive_summary import (
    summarize_conversation,
    summarize_session,
    validate_summary,
)
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.text.language import detect_language
from recollect.text.tokens import truncate_to_tokens

#: Longer messages are truncated in the transcript for the model.
MAX_MESSAGE_TOKENS = 1000
SMALL_TALK_SUMMARY = {"en": "- Context: small talk", "pt": "- Contexto: conversa informal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    model: ChatModel | None = None
    prompt_overrides: Mapping[str, str] = field(default_factory=dict)  #: the user's templates, by name
    timeout: float | None = None

    def __call__(
        self, kind: SummaryKind, previous: str | None, messages: Sequence[Message], policy: SummaryPolicy
    ) -> str:
        """
        Return a summary of the messages; a session summary also builds on the previous one.

        Raises ProviderBusy and ProviderError from the model, and AnswerUnreadable if its reply is empty.
        """
        locale = "pt" if detect_language(" ".join(m.content[:200] for m in messages)) == "pt" else "en"
        if kind is SummaryKind.WORKING:
            return self._summarize_session(previous, messages, policy, locale)
        if self.model is None:
            return (
                summarize_conversation(messages, max_tokens=policy.max_tokens) or SMALL_TALK_SUMMARY[locale]
            )
        prompt = prompts.build_conversation_summary_prompt(
            len(messages), locale=locale, max_tokens=policy.max_tokens, overrides=self.prompt_overrides
        )
        return self._complete(self.model, f"{prompt}\n\n{_format_transcript(messages)}", policy.max_tokens)

    def _summarize_session(
        self, previous: str | None, messages: Sequence[Message], policy: SummaryPolicy, locale: str
    ) -> str:
        if self.model is None:
            return summarize_session(
                previous,
                messages,
                locale=locale,
                max_tokens=policy.working_max_tokens,
                max_words=policy.working_max_words,
            )
        prompt = prompts.build_working_memory_prompt(
            previous or "",
            _format_transcript(messages),
            locale=locale,
            max_words=policy.working_max_words,
            overrides=self.prompt_overrides,
        )
        return self._complete(self.model, prompt, policy.working_max_tokens)

    def _complete(self, model: ChatModel, prompt: str, max_tokens: int) -> str:
        # Twice the limit for models that write more; a longer summary is truncated at a sentence.
        completion = model.complete(
            [ModelMessage(role="user", content=prompt)], max_tokens=max_tokens * 2, timeout=self.timeout
        )
        return validate_summary(completion.text, max_tokens)


def _format_transcript(messages: Sequence[Message]) -> str:
    return "\n".join(
        f"{message.role}: {truncate_to_tokens(message.content, MAX_MESSAGE_TOKENS)}" for message in messages
    )
