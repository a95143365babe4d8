"""Parsers of messages, timestamps, tags and labels as clients send them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from recollect.domain.feedback import RelevanceLabel
from recollect.domain.message import MessageDraft, Role
from recollect.domain.metadata import FilterValue, Metadata, MetadataFilter
from recollect.domain.scope import validate_name
from recollect.domain.timestamps import MAX_TIMESTAMP, MIN_TIMESTAMP
from recollect.errors import InvalidInput

#: A small object, since every passage returned carries it.
MAX_METADATA_CHARS = 4_000
#: NUL as JSON escapes it. PostgreSQL cannot read it.
ESCAPED_NUL_PATTERN = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def parse_messages(messages: Mapping[str, object] | Sequence[Mapping[str, object]]) -> list[MessageDraft]:
    """Parse one message or a list of messages in the format of common chat APIs."""
    value: object = messages
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray):
        raise InvalidInput(f"Give a text, a message or a list of messages, not {_abbreviate(value)}.")
    return [parse_message(message) for message in ([value] if isinstance(value, Mapping) else value)]


def parse_message(message: object) -> MessageDraft:
    if not isinstance(message, Mapping) or not isinstance(role := message.get("role"), str):
        raise InvalidInput(f"A message needs a role and content; this one is {_abbreviate(message)}.")
    created_at = message.get("created_at")
    return MessageDraft(
        role=Role.parse(role),
        content=_parse_content(message.get("content")),
        created_at=parse_timestamp(message.get("timestamp") if created_at is None else created_at),
        tool_calls=_dump_tool_calls(message.get("tool_calls")),
        tool_call_id=_parse_id(message, "tool_call_id"),
        client_id=_parse_id(message, "id"),
        metadata=parse_metadata(message.get("metadata")),
    )


def parse_metadata(value: object) -> Metadata:
    """Parse metadata: a JSON object of limited size."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput(f"Metadata are an object with names and values, not {_abbreviate(value)}.")
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"Metadata are plain JSON, not {_abbreviate(value)}.") from error
    if not _is_encodable(text) or ESCAPED_NUL_PATTERN.search(text):
        raise InvalidInput(
            f"Metadata must not contain NUL or halves of characters; these do: {_abbreviate(value)}."
        )
    if len(text) > MAX_METADATA_CHARS:
        raise InvalidInput(
            f"The metadata have {len(text)} characters; at most {MAX_METADATA_CHARS} are allowed."
        )
    metadata: Metadata = json.loads(text)
    return metadata


def parse_metadata_filter(value: Mapping[str, object] | None) -> MetadataFilter:
    """Parse required values by key."""
    required: list[tuple[str, FilterValue]] = []
    for key, each in parse_metadata(value).items():
        if not isinstance(each, str | int | float | bool):
            raise InvalidInput(
                f"The filter {key!r} needs a text, a number or a boolean, not {_abbreviate(each)}."
            )
        required.append((key, each))
    return tuple(required)


def _parse_content(content: object) -> str:
    """Return text content, or the text parts of a list; images and audio are ignored."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [part for part in content if isinstance(part, Mapping)]
        return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    raise InvalidInput(f"The content of a message is text or a list of parts, not {_abbreviate(content)}.")


def parse_timestamp(value: object) -> datetime | None:
    """Parse ISO 8601 or Unix seconds. A time without a zone is UTC."""
    if value is None or value == "":
        return None
    try:
        timestamp = _to_datetime(value)
        utc_timestamp = (timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"{value!r} is not a time. Write it like 2026-03-01T09:30:00+00:00.") from error
    if not MIN_TIMESTAMP <= utc_timestamp <= MAX_TIMESTAMP:
        raise InvalidInput(f"{value!r} is too near the end of the calendar. Give a time from year 2 to 9998.")
    return utc_timestamp


def _to_datetime(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    return datetime.fromisoformat(str(value))


def parse_tags(value: str | Sequence[str]) -> tuple[str, ...]:
    """Parse one tag or several."""
    values = (value,) if isinstance(value, str) else value
    return tuple(validate_name("tag", str(tag)) for tag in values)


def parse_labels(values: Iterable[object]) -> list[RelevanceLabel]:
    """Parse labelled queries: relevant passages by id or text, as a list or with gains."""
    return [
        value if isinstance(value, RelevanceLabel) else _parse_label(value, f"Label {number}")
        for number, value in enumerate(values, start=1)
    ]


def _parse_label(value: object, name: str) -> RelevanceLabel:
    if (
        not isinstance(value, Mapping)
        or not isinstance(query := value.get("query"), str)
        or not query.strip()
    ):
        raise InvalidInput(f'{name} has no query. Write it like {{"query": "...", "relevant": ["..."]}}.')
    relevant, chat = value.get("relevant"), value.get("chat_id")
    if isinstance(relevant, list | tuple):
        relevant = dict.fromkeys(relevant, 1.0) if all(isinstance(each, str) for each in relevant) else None
    if not isinstance(relevant, Mapping) or not all(_is_gain(*pair) for pair in relevant.items()):
        raise InvalidInput(f"{name}: `relevant` is a list of ids or texts, or how much each of them counts.")
    if not relevant:
        raise InvalidInput(
            f"{name} names nothing relevant, so no order is better than another. Leave it out."
        )
    gains = {replace_surrogates(key): float(gain) for key, gain in relevant.items()}
    return RelevanceLabel(
        query=replace_surrogates(query), gains=gains, chat=None if chat is None else str(chat)
    )


def _is_gain(name: object, gain: object) -> bool:
    number = isinstance(gain, int | float) and not isinstance(gain, bool)
    return number and isinstance(name, str) and bool(name.strip()) and 0 < float(str(gain)) < 1000


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD, since they cannot be stored."""
    return (
        text
        if _is_encodable(text)
        else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )


def _parse_id(message: Mapping[str, object], key: str) -> str | None:
    value = message.get(key)
    if value is None or value == "":
        return None
    name = str(value)
    if not _is_encodable(name):
        raise InvalidInput(f"The {key} of a message is text, not {_abbreviate(name)}.")
    return name


def _dump_tool_calls(tool_calls: object) -> str | None:
    if not tool_calls:
        return None
    try:
        text = json.dumps(tool_calls, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"The tool_calls of a message are plain JSON, not {_abbreviate(tool_calls)}."
        ) from error
    # A lone surrogate cannot be stored as UTF-8, but it can as a JSON escape.
    return text if _is_encodable(text) else json.dumps(tool_calls)


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _abbreviate(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
