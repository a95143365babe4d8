"""
Memories as Markdown files, one each, for Obsidian and other editors of notes.

The front matter has the fields that a memory has by itself (`id`, `kind`, `weight`, `created`, `seen`, `tags` …); the
body is its text. Sources are not written: they are messages, which the folder does not contain.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from recollect.domain.memory import Memory, MemoryStatus
from recollect.interchange.front_matter import MarkdownDocument, format_document, parse_document
from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    get_id,
    invalid_date,
    is_invalid_date,
    parse_date,
    parse_kind,
    unexpected_shape,
)

FORMAT_VERSION = "recollect 1"
MAX_SLUG_CHARS = 48


def matches(document: MarkdownDocument) -> bool:
    return document.text("format").startswith("recollect ")


def write(memories: Iterable[Memory]) -> Iterator[tuple[str, str]]:
    """Yield a file name and its content for each active memory, in the order of their ids."""
    for memory in sorted(memories, key=lambda each: each.id):
        if memory.status is MemoryStatus.ACTIVE:
            yield f"{_slug(memory.text)}-{_slug(memory.id)[:12]}.md", _format(memory)


def read(text: str, name: str) -> Iterator[ImportItem]:
    document = parse_document(text)
    body = document.body.strip()
    if document.text("format") != FORMAT_VERSION:
        yield unexpected_shape(name, f"written by another version: {document.text('format')[:40]}")
    elif not body:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=name)
    else:
        dates = ("created", "seen", "valid_from", "valid_to", "expires")
        for key in dates:
            if is_invalid_date(document.text(key)):
                yield invalid_date(document.text(key), f"{name}, {key}")
        created, seen, valid_from, valid_to, expires = (parse_date(document.text(key)) for key in dates)
        yield ImportedMemory(
            id=get_id(document.text("id")) or None,
            text=body,
            kind=parse_kind(document.text("kind")),
            weight=_parse_weight(document.text("weight")),
            created_at=created,
            last_stated_at=seen,
            tags=document.values("tags"),
            pinned=document.text("pinned") == "true",
            attribute=document.text("attribute") or None,
            value=document.text("value") or None,
            valid_from=valid_from,
            valid_to=valid_to,
            expires_at=expires,
            times_stated=_parse_count(document.text("stated")),
        )


def _format(memory: Memory) -> str:
    optional: Mapping[str, str | int | bool | tuple[str, ...] | None] = {
        "tags": memory.tags,
        "pinned": memory.pinned,
        "attribute": memory.attribute,
        "value": memory.value,
        "valid_from": _format_date(memory.valid_from),
        "valid_to": _format_date(memory.valid_to),
        "expires": _format_date(memory.expires_at),
        "stated": memory.times_stated if memory.times_stated > 1 else None,
    }
    fields = {
        "format": FORMAT_VERSION,
        "id": memory.id,
        "kind": memory.kind.value,
        "weight": memory.weight,
        "created": _format_date(memory.created_at) or "",
        "seen": _format_date(memory.last_stated_at) or "",
        **{key: value for key, value in optional.items() if value},
    }
    return format_document(fields, memory.text)


def _format_date(date: datetime | None) -> str | None:
    return date.astimezone(UTC).isoformat() if date else None


def _parse_weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        return 1.0
    return min(1.0, max(0.0, weight)) if weight == weight else 1.0  # noqa: PLR0124 - NaN differs from itself


def _parse_count(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 7 else 1


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:MAX_SLUG_CHARS].strip("-") or "memory"
