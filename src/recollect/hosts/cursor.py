"""
Cursor: hooks in `~/.cursor/hooks.json`.

Text per prompt is injected through `additional_context` of `beforeSubmitPrompt`. Cursor's documentation does not name
that field; version 3.20 accepts it. A version that ignores it still gets the profile at `sessionStart`.
"""

from recollect.hosts.answers import NO_ANSWER, Answer
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


def parse_event(payload: Payload) -> HookEvent:
    name = required_text(payload, "hook_event_name")
    session = session_id(payload, "conversation_id" if "conversation_id" in payload else "session_id")
    turn = optional_text(payload, "generation_id")
    match name:
        case "sessionStart":
            return ContextStarted(session=session)
        case "beforeSubmitPrompt":
            return submitted(session, required_text(payload, "prompt"), turn)
        case "afterAgentResponse":
            return finished(session, optional_text(payload, "text"), turn)
        case _:
            return EventIgnored(reason=f"nothing is done at {name}")


def format_answer(payload: Payload, text: str) -> Answer:
    """Return the text with the permission to continue, which Cursor expects with each answer about a prompt."""
    match required_text(payload, "hook_event_name"):
        case "sessionStart" if text:
            return {"additional_context": text}
        case "beforeSubmitPrompt" if text:
            return {"continue": True, "additional_context": text}
        case _:
            return NO_ANSWER
