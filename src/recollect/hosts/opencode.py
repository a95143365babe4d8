"""OpenCode: a plugin that calls `recollect-hook` with JSON of our own form."""

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
    name, session, turn = (
        required_text(payload, "event"),
        session_id(payload),
        optional_text(payload, "message_id"),
    )
    match name:
        case "session.created" | "session.compacted":
            return ContextStarted(session=session)
        case "chat.message":
            return submitted(session, required_text(payload, "text"), turn)
        case "session.idle":
            return finished(session, optional_text(payload, "text"), turn)
        case _:
            return EventIgnored(reason=f"nothing is done at {name}")


def format_answer(payload: Payload, text: str) -> Answer:  # noqa: ARG001 - the same for each event
    return {"context": text} if text else NO_ANSWER
