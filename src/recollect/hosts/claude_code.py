"""Claude Code: hooks in `~/.claude/settings.json`."""

from recollect.hosts.answers import NO_ANSWER, Answer, hook_specific_output
from recollect.hosts.events import (
    MACHINE_MADE,
    ContextStarted,
    EventIgnored,
    HookEvent,
    Payload,
    finished,
    optional_text,
    required_text,
    session_id,
    submitted,
)

#: Values of `source` of a prompt that a person wrote.
USER_SOURCES = (None, "user")
#: Values of `source` of a session start after which the conversation has no earlier injections.
NEW_CONTEXT_SOURCES = (None, "startup", "clear", "compact")
ANSWERED_EVENTS = ("SessionStart", "UserPromptSubmit")


def parse_event(payload: Payload) -> HookEvent:
    session, name = session_id(payload), required_text(payload, "hook_event_name")
    if optional_text(payload, "agent_id") is not None:
        return EventIgnored(reason="the event is of a subagent, whose prompts the agent writes")
    turn = optional_text(payload, "prompt_id") or optional_text(payload, "turn_id")
    match name:
        case "SessionStart" if optional_text(payload, "source") in NEW_CONTEXT_SOURCES:
            return ContextStarted(session=session)
        case "UserPromptSubmit" if optional_text(payload, "source") not in USER_SOURCES:
            return MACHINE_MADE
        case "UserPromptSubmit":
            return submitted(session, required_text(payload, "prompt"), turn)
        case "Stop":
            return finished(session, optional_text(payload, "last_assistant_message"), turn)
        case _:
            return EventIgnored(reason=f"nothing is done at {name}")


def format_answer(payload: Payload, text: str) -> Answer:
    name = required_text(payload, "hook_event_name")
    return hook_specific_output(name, text) if text and name in ANSWERED_EVENTS else NO_ANSWER
