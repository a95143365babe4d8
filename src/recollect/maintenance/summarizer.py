"""Garden: says what a conversation came to, asked of a language model if there is one, else in its own sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.domain.message import Message
from recollect.domain.policy import Summaries
from recollect.domain.summary import SummaryKind
from recollect.maintenance import prompt_templates as prompts
from recollect.maintenance.extractive_summary import conversation_summary, session_summary, validated
from recollect.ports.chat_model import ChatModel, Turn
from recollect.text.language import detect
from recollect.text.tokens import clip_to

#: Tokens of one message that a model is shown; the rest of a longer one is left out.
LONGEST = 1000
SMALL_TALK = {"en": "- Context: small talk", "pt": "- Contexto: conversa informal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariseStep:
    model: ChatModel | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)  #: the user's own, by name
    timeout: float | None = None

    def __call__(
        self, kind: SummaryKind, previous: str | None, messages: Sequence[Message], policy: Summaries
    ) -> str:
        """
        A summary of what was said since the last one; the session's builds on the one before.

        Raises ProviderBusy and ProviderError as the model does, AnswerUnreadable if it says nothing.
        """
        locale = "pt" if detect(" ".join(m.content[:200] for m in messages)) == "pt" else "en"
        if kind is SummaryKind.WORKING:
            return self._working(previous, messages, policy, locale)
        if self.model is None:
            return conversation_summary(messages, max_tokens=policy.max_tokens) or SMALL_TALK[locale]
        asked = prompts.conversation_summary(
            len(messages), locale=locale, max_tokens=policy.max_tokens, overrides=self.prompts
        )
        return self._asked(self.model, f"{asked}\n\n{_transcript(messages)}", policy.max_tokens)

    def _working(
        self, previous: str | None, messages: Sequence[Message], policy: Summaries, locale: str
    ) -> str:
        if self.model is None:
            return session_summary(
                previous,
                messages,
                locale=locale,
                max_tokens=policy.working_max_tokens,
                max_words=policy.working_max_words,
            )
        asked = prompts.working_memory(
            previous or "",
            _transcript(messages),
            locale=locale,
            max_words=policy.working_max_words,
            overrides=self.prompts,
        )
        return self._asked(self.model, asked, policy.working_max_tokens)

    def _asked(self, model: ChatModel, prompt: str, max_tokens: int) -> str:
        # Room for a model that is not brief; what is too long is cut at a sentence.
        answer = model.complete(
            [Turn(role="user", content=prompt)], max_tokens=max_tokens * 2, timeout=self.timeout
        )
        return validated(answer.text, max_tokens)


def _transcript(messages: Sequence[Message]) -> str:
    return "\n".join(f"{message.role}: {clip_to(message.content, LONGEST)}" for message in messages)
