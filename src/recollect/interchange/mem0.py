"""
mem0: the `results` of `get_all()` or of its API, its `history.db`, and the Markdown files that its plugin exports.

`history.db` holds each version of each memory; the last one counts, and deleted memories are left out.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from recollect.domain.memory import Memory, MemoryStatus
from recollect.interchange.front_matter import MarkdownDocument, parse_document
from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import (
    get_id,
    get_list,
    get_mapping,
    get_number,
    get_objects,
    get_text,
    invalid_date,
    is_invalid_date,
    parse_date,
    parse_kind,
    unexpected_shape,
)
from recollect.interchange.json_stream import Entry

HISTORY_TABLE = "history"


def matches(fields: Mapping[str, object]) -> bool:
    results = get_objects(fields, "results") or get_objects(fields, "memories")
    return any(map(_is_memory, results)) or _is_memory(fields) or fields.get("results") == []


def matches_document(document: MarkdownDocument) -> bool:
    return {"id", "created_at", "type"} <= document.fields.keys()


def _is_memory(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("memory"), str) and ("id" in fields or "user_id" in fields)


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        if _is_memory(entry.fields):
            yield from _read_memory(entry.value, entry.position)
            continue
        results = entry.fields.get("results", entry.fields.get("memories"))
        if not isinstance(results, list):
            yield unexpected_shape(entry.position, "no results")
            continue
        for number, memory in enumerate(results, start=1):
            yield from _read_memory(memory, f"{entry.position}, result {number}")


def _read_memory(memory: object, position: str) -> Iterator[ImportItem]:
    text = get_text(memory, "memory").strip()
    if not isinstance(memory, Mapping) or not isinstance(memory.get("memory"), str):
        yield unexpected_shape(position, "no memory")
        return
    if not text:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
        return
    if get_text(memory, "status") not in {"", "active"}:
        yield Omission(reason=OmissionReason.FORGOTTEN_MEMORY, position=position)
        return
    metadata = get_mapping(memory, "metadata")
    for key in ("created_at", "updated_at"):
        if is_invalid_date(memory.get(key)):
            yield invalid_date(memory.get(key), position)
    tags = [*get_list(metadata, "tags"), *get_list(memory, "categories"), *get_list(memory, "tags")]
    yield ImportedMemory(
        id=get_id(memory, "id") or None,
        text=text,
        kind=parse_kind(get_text(metadata, "kind") or get_text(memory, "kind")),
        weight=min(1.0, max(0.0, get_number(metadata.get("weight"), 1.0))),
        created_at=parse_date(memory.get("created_at")),
        last_stated_at=parse_date(memory.get("updated_at")),
        tags=tuple(dict.fromkeys(tag for tag in map(get_text, tags) if tag.strip())),
    )


def read_tables(rows: Callable[[str], Iterable[Mapping[str, object]]], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    """Read the last version of each memory from `history.db`."""
    created: dict[str, object] = {}
    last: dict[str, tuple[str, Mapping[str, object]]] = {}
    for number, row in enumerate(rows(HISTORY_TABLE), start=1):
        memory_id = get_id(row, "memory_id")
        if not memory_id:
            yield unexpected_shape(f"row {number}", "no memory_id")
            continue
        created.setdefault(memory_id, row.get("created_at"))
        at = get_text(row, "updated_at") or get_text(row, "created_at")
        if memory_id not in last or at >= last[memory_id][0]:
            last[memory_id] = (at, row)
    for memory_id, (at, row) in last.items():
        position = f"memory {memory_id}"
        if get_text(row, "event") == "DELETE" or row.get("is_deleted") == 1:
            yield Omission(reason=OmissionReason.FORGOTTEN_MEMORY, position=position)
        elif text := get_text(row, "new_memory").strip():
            if is_invalid_date(at):
                yield invalid_date(at, position)
            yield ImportedMemory(
                id=memory_id,
                text=text,
                created_at=parse_date(created[memory_id]),
                last_stated_at=parse_date(at),
            )
        else:
            yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)


def read_document(text: str, name: str) -> Iterator[ImportItem]:
    """Read a file of the plugin's export: front matter and the text."""
    document = parse_document(text)
    body = document.body.strip()
    if not body:
        yield Omission(reason=OmissionReason.EMPTY_TEXT, position=name)
        return
    if is_invalid_date(document.text("created_at")):
        yield invalid_date(document.text("created_at"), name)
    memory_type = document.text("type")
    kind = parse_kind(memory_type)
    yield ImportedMemory(
        id=get_id(document.text("id")) or None,
        text=body,
        kind=kind,
        created_at=parse_date(document.text("created_at")),
        tags=tuple(filter(None, (*document.values("categories"), memory_type if kind is None else ""))),
    )


def write(memories: Iterable[Memory]) -> str:
    """Return the JSON of `get_all()` for the active memories, in the order of their ids."""
    active = (memory for memory in memories if memory.status is MemoryStatus.ACTIVE)
    results = [_serialize(memory) for memory in sorted(active, key=lambda each: each.id)]
    return json.dumps({"results": results}, ensure_ascii=False, indent=2) + "\n"


def _serialize(memory: Memory) -> dict[str, object]:
    digest = hashlib.md5(memory.text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return {
        "id": memory.id,
        "memory": memory.text,
        "hash": digest,
        "metadata": {"kind": memory.kind.value, "weight": memory.weight, "tags": list(memory.tags)},
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.last_stated_at.isoformat(),
        "user_id": memory.user,
    }
