"""Gemini CLI: hooks in `~/.gemini/settings.json`."""

from recollect.hosts.answers import NO_ANSWER, Answer, hook_specific_output
from recollect.hosts.events import (
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

ANSWERED_EVENTS = ("SessionStart", "BeforeAgent")


def parse_event(payload: Payload) -> HookEvent:
    session, name = session_id(payload), required_text(payload, "hook_event_name")
    match name:
        case "SessionStart" if optional_text(payload, "source") != "resume":
            return ContextStarted(session=session)
        case "BeforeAgent":
            return submitted(session, required_text(payload, "prompt"))
        case "AfterAgent":
            return finished(session, optional_text(payload, "prompt_response"))
        case _:
            return EventIgnored(reason=f"nothing is done at {name}")


def format_answer(payload: Payload, text: str) -> Answer:
    name = required_text(payload, "hook_event_name")
    return hook_specific_output(name, text) if text and name in ANSWERED_EVENTS else NO_ANSWER
