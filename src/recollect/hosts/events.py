"""Events of a conversation in a coding agent, as its hooks report them, in one form for all agents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from recollect.domain.scope import TEMPORARY_CHAT_PREFIX
from recollect.errors import InvalidInput

#: Longest session id that becomes part of a chat id.
MAX_SESSION_CHARS = 200
#: Elements that agents, editors and their tools add to a user's prompt.
_ADDED_ELEMENTS = (
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "user-prompt-submit-hook",
    "task-notification",
    "ide_opened_file",
    "ide_selection",
    "timestamp",
    "environment_context",
)
_ADDED_PATTERN = re.compile(rf"<({'|'.join(_ADDED_ELEMENTS)})(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
#: Codex puts the files and selections of an editor before this heading, the user's own words after it.
_REQUEST_HEADING = "## My request for Codex:"
_USER_QUERY_PATTERN = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStarted:
    """The model's context is new: a conversation begins, or it was compacted and earlier injections are gone."""

    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSubmitted:
    session: str
    text: str
    id: str | None = None  #: idempotency key, if the agent identifies its turns


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCompleted:
    session: str
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventIgnored:
    """Nothing to store or recall, such as a prompt that a program wrote."""

    reason: str


HookEvent: TypeAlias = ContextStarted | PromptSubmitted | AnswerCompleted | EventIgnored
Payload: TypeAlias = Mapping[str, object]

MACHINE_MADE = EventIgnored(reason="the prompt was written by a program")


def required_text(payload: Payload, key: str) -> str:
    """Return a text of the payload, or raise InvalidInput."""
    value = payload.get(key)
    if not isinstance(value, str):
        raise InvalidInput(
            f"The hook's input has no text {key!r}. The agent's version may be too new or too old."
        )
    return value


def optional_text(payload: Payload, key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value else None


def session_id(payload: Payload, key: str = "session_id") -> str:
    session = required_text(payload, key)[:MAX_SESSION_CHARS]
    if not session.strip():
        raise InvalidInput(f"The hook's input has an empty {key!r}.")
    return session


def submitted(session: str, prompt: str, turn: str | None = None) -> HookEvent:
    """Return the event of a prompt without what programs added to it."""
    text = strip_added(prompt)
    return (
        PromptSubmitted(session=session, text=text, id=_client_id(session, turn, "prompt"))
        if text
        else MACHINE_MADE
    )


def finished(session: str, answer: str | None, turn: str | None = None) -> HookEvent:
    if not answer or not answer.strip():
        return EventIgnored(reason="the answer has no text")
    return AnswerCompleted(session=session, text=answer, id=_client_id(session, turn, "answer"))


def _client_id(session: str, turn: str | None, part: str) -> str | None:
    return f"{session}:{turn}:{part}" if turn else None


def strip_added(prompt: str) -> str:
    """Return the user's own words in a prompt."""
    _, heading, request = prompt.rpartition(_REQUEST_HEADING)
    text = _ADDED_PATTERN.sub("", request if heading else prompt)
    query = _USER_QUERY_PATTERN.search(text)
    return (query.group(1) if query else text).strip()


def chat_id(host: str, session: str) -> str:
    """Return the chat of a session. A temporary session is a temporary chat: it leaves no trace."""
    return session if session.startswith(TEMPORARY_CHAT_PREFIX) else f"{host}-{session}"
