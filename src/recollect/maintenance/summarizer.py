"""Summaries of conversations: the prompt for a language model, and extractive summaries without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.message import Message
from recollect.domain.policy import SummaryPolicy
from recollect.domain.summary import SummaryKind
from recollect.maintenance import prompt_templates as prompts
from recollect.maintenance.extractive_summary import summarize_conversation, summarize_session
from recollect.text.language import detect_language
from recollect.text.tokens import truncate_to_tokens

#: Longer messages are truncated in the transcript for the model.
MAX_MESSAGE_TOKENS = 1000
SMALL_TALK_SUMMARY = {"en": "- Context: small talk", "pt": "- Contexto: conversa informal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPrompt:
    """A prompt that asks a language model for a summary of at most so many tokens."""

    text: str
    max_tokens: int


def build_summary_prompt(
    kind: SummaryKind,
    previous: str | None,
    messages: Sequence[Message],
    policy: SummaryPolicy,
    overrides: Mapping[str, str],
) -> SummaryPrompt:
    """Return the prompt for a summary of the messages; a session summary also builds on the previous one."""
    locale, transcript = _locale_of(messages), _format_transcript(messages)
    if kind is SummaryKind.WORKING:
        text = prompts.build_working_memory_prompt(
            previous or "",
            transcript,
            locale=locale,
            max_words=policy.working_max_words,
            overrides=overrides,
        )
        return SummaryPrompt(text=text, max_tokens=policy.working_max_tokens)
    instructions = prompts.build_conversation_summary_prompt(
        len(messages), locale=locale, max_tokens=policy.max_tokens, overrides=overrides
    )
    return SummaryPrompt(text=f"{instructions}\n\n{transcript}", max_tokens=policy.max_tokens)


def summarize_extractively(
    kind: SummaryKind, previous: str | None, messages: Sequence[Message], policy: SummaryPolicy
) -> str:
    """Return a summary made of sentences of the messages; a session summary also builds on the previous one."""
    locale = _locale_of(messages)
    if kind is SummaryKind.WORKING:
        return summarize_session(
            previous,
            messages,
            locale=locale,
            max_tokens=policy.working_max_tokens,
            max_words=policy.working_max_words,
        )
    return summarize_conversation(messages, max_tokens=policy.max_tokens) or SMALL_TALK_SUMMARY[locale]


def _locale_of(messages: Sequence[Message]) -> str:
    return "pt" if detect_language(" ".join(message.content[:200] for message in messages)) == "pt" else "en"


def _format_transcript(messages: Sequence[Message]) -> str:
    return "\n".join(
        f"{message.role}: {truncate_to_tokens(message.content, MAX_MESSAGE_TOKENS)}" for message in messages
    )
