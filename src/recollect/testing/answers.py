"""Scripted replies for test models; without a script, an echo."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

from recollect.ports.chat_model import ModelMessage

ReplySource: TypeAlias = str | Callable[[Sequence[ModelMessage]], str]
FinishReason: TypeAlias = Literal["stop", "length", "refusal", "filter", "tool"]

_WORD_PATTERN = re.compile(r"\s*\S+\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One reply of a model, before it is encoded in an API dialect."""

    prompt: str  #: all messages of the prompt
    text: str | None
    finish_reason: FinishReason = "stop"
    choice_count: int = 1  #: 0 returns an empty list of choices


class ReplyScript:
    """Returns replies in order; after the last one, repeats the default reply."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next_replies: deque[ReplySource] = deque()
        self._default_reply: ReplySource = echo_last_message

    def set_reply(self, reply: ReplySource | Sequence[ReplySource]) -> None:
        """Set the default reply (a text or a function), or a list that is returned once, in order, before it."""
        with self._lock:
            if isinstance(reply, str) or callable(reply):
                self._next_replies.clear()
                self._default_reply = reply
            else:
                self._next_replies = deque(reply)

    def next_reply(self, messages: Sequence[ModelMessage], max_tokens: int) -> ScriptedReply:
        with self._lock:
            reply = self._next_replies.popleft() if self._next_replies else self._default_reply
        full_text = reply if isinstance(reply, str) else reply(messages)
        text = "".join(split_tokens(full_text)[:max_tokens])
        prompt = "\n".join(message.content for message in messages)
        return ScriptedReply(
            prompt=prompt, text=text, finish_reason="stop" if text == full_text else "length"
        )


def echo_last_message(messages: Sequence[ModelMessage]) -> str:
    last = next((turn.content for turn in reversed(messages) if turn.role == "user"), "nothing")
    return f"You said: {last}"


def split_tokens(text: str) -> list[str]:
    """Split a text into words as tokens; joined, they are the text."""
    return _WORD_PATTERN.findall(text) or ([text] if text else [])


def count_words(text: str) -> int:
    return len(text.split())
