"""
MemPalace: the Markdown of `mempalace export` (a section a drawer) and its `sqlite_exact` database.

A short drawer is a memory, tagged with its wing and room; a longer one is a text of its own, a context file.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from recollect.interchange.items import (
    ImportedContextFile,
    ImportedMemory,
    ImportItem,
    Omission,
    OmissionReason,
)
from recollect.interchange.json_fields import (
    get_id,
    get_mapping,
    get_text,
    invalid_date,
    is_invalid_date,
    parse_date,
    unexpected_shape,
)

DRAWER_TABLES = frozenset({"collections", "documents"})
#: Longer drawers are whole texts.
MAX_MEMORY_CHARS = 500
_TITLE = re.compile(r"# (?P<wing>[^\n/]{1,200}) / (?P<room>[^\n]{1,200})")
_SECTION = re.compile(r"^## (?=\S)", re.MULTILINE)
_FIELD = re.compile(r"\| (Source|Filed|Added by) \| (.*) \|\s*")


def matches(text: str) -> bool:
    return _TITLE.match(text) is not None and "\n| Field | Value |" in text


def is_index(text: str) -> bool:
    """Whether this is the table of contents that the export writes."""
    return text.startswith("# Palace Export")


def read(text: str, name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    title = _TITLE.match(text)
    wing, room = (title["wing"].strip(), title["room"].strip()) if title else ("", "")
    _, *sections = _SECTION.split(text)
    if not sections:
        yield unexpected_shape("the file", "no drawers")
    for number, section in enumerate(sections, start=1):
        drawer_id, _, body = section.partition("\n")
        quoted = [line[1:].removeprefix(" ") for line in body.splitlines() if line.startswith(">")]
        fields = {match[1]: match[2] for line in body.splitlines() if (match := _FIELD.match(line))}
        if not fields:
            yield unexpected_shape(f"drawer {number}", "no table of fields")
        date = fields.get("Filed", "unknown")
        yield from _build_drawer(
            "\n".join(quoted),
            drawer_id=drawer_id.strip(),
            tags=(wing, room),
            date=None if date == "unknown" else date,
            position=f"drawer {number}",
        )


def read_tables(rows: Callable[[str], Iterable[Mapping[str, object]]], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for number, row in enumerate(rows("documents"), start=1):
        try:
            metadata = get_mapping(json.loads(get_text(row, "metadata_json") or "{}"))
        except (ValueError, RecursionError):
            metadata = {}
            yield unexpected_shape(f"document {number}", "metadata_json is not JSON")
        yield from _build_drawer(
            get_text(row, "document"),
            drawer_id=get_id(row, "id"),
            tags=(get_text(metadata, "wing"), get_text(metadata, "room")),
            date=metadata.get("filed_at") or row.get("created_at"),
            position=f"document {number}",
        )


def _build_drawer(
    text: str, *, drawer_id: str, tags: tuple[str, ...], date: object, position: str
) -> Iterator[ImportItem]:
    text = text.strip()
    if not text:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
        return
    if is_invalid_date(date):
        yield invalid_date(date, position)
    labels = tuple(tag for tag in tags if tag)
    if len(text) > MAX_MEMORY_CHARS:
        name = " / ".join(("MemPalace", *labels, drawer_id))
        yield ImportedContextFile(name=name[:200], content=text)
    else:
        yield ImportedMemory(
            id=get_id(drawer_id) or None, text=text, created_at=parse_date(date), tags=labels
        )
