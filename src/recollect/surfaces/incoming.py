"""Messages as clients write them, read into drafts."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from recollect.errors import InvalidInput
from recollect.model.message import Draft, Role


def drafts(messages: Mapping[str, object] | Sequence[Mapping[str, object]]) -> list[Draft]:
    """One message or a list of them, in the shape of today's chat APIs."""
    listed = [messages] if isinstance(messages, Mapping) else list(messages)
    return [draft(message) for message in listed]


def draft(message: object) -> Draft:
    if not isinstance(message, Mapping) or not isinstance(role := message.get("role"), str):
        raise InvalidInput(f"A message needs a role and content; this one is {_shown(message)}.")
    tool_calls = message.get("tool_calls")
    return Draft(
        role=Role.parse(role),
        content=_text(message.get("content")),
        created_at=moment(message.get("created_at") or message.get("timestamp")),
        tool_calls=json.dumps(tool_calls, ensure_ascii=False) if tool_calls else None,
        tool_call_id=_name(message, "tool_call_id"),
        client_id=_name(message, "id"),
    )


def _text(content: object) -> str:
    """Text as it is; of a list of parts the text ones. Pictures and sound are not remembered."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [part for part in content if isinstance(part, Mapping)]
        return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    raise InvalidInput(f"The content of a message is text or a list of parts, not {_shown(content)}.")


def moment(value: object) -> datetime | None:
    """ISO 8601, or seconds since 1970. A time without a zone is taken as UTC."""
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        parsed = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"{value!r} is not a time. Write it like 2026-03-01T09:30:00+00:00.") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _name(message: Mapping[str, object], key: str) -> str | None:
    value = message.get(key)
    return None if value is None else str(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
