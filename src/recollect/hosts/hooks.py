"""The hook formats of coding agents, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.domain.scope import TEMPORARY_CHAT_PREFIX
from recollect.hosts import claude_code, cursor, gemini, opencode
from recollect.hosts.answers import Answer
from recollect.hosts.events import HookEvent, Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFormat:
    """The JSON of an agent's hooks: how its input is read, and how a text is returned."""

    parse_event: Callable[[Payload], HookEvent]
    format_answer: Callable[[Payload, str], Answer]
    probe: Payload  #: a prompt of a temporary session, to test a connection without leaving a trace
    profile_at_start: bool = (
        False  #: whether the profile is injected at the start instead of with the first prompt
    )


_PROBE = {"session_id": f"{TEMPORARY_CHAT_PREFIX}connect", "prompt": "Is memory connected?"}
_CLAUDE_CODE = HookFormat(
    parse_event=claude_code.parse_event,
    format_answer=claude_code.format_answer,
    probe={**_PROBE, "hook_event_name": "UserPromptSubmit"},
)

HOOK_FORMATS: Mapping[str, HookFormat] = {
    "claude-code": _CLAUDE_CODE,
    # Codex reads the same keys, and refuses all others.
    "codex": _CLAUDE_CODE,
    "gemini": HookFormat(
        parse_event=gemini.parse_event,
        format_answer=gemini.format_answer,
        probe={**_PROBE, "hook_event_name": "BeforeAgent"},
    ),
    "cursor": HookFormat(
        parse_event=cursor.parse_event,
        format_answer=cursor.format_answer,
        probe={**_PROBE, "hook_event_name": "beforeSubmitPrompt"},
        profile_at_start=True,
    ),
    "opencode": HookFormat(
        parse_event=opencode.parse_event,
        format_answer=opencode.format_answer,
        probe={**_PROBE, "event": "chat.message", "text": _PROBE["prompt"]},
    ),
}
