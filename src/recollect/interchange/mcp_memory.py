"""
The official MCP memory server's knowledge graph: JSON Lines of entities with observations, and relations.

An observation is a memory tagged with its entity; so is a relation ("Ana works_at Acme").
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import get_list, get_text, parse_kind, unexpected_shape
from recollect.interchange.json_stream import Entry

#: Names of the user in graphs; an observation of the user is complete without the name.
USER_ENTITIES = frozenset({"user", "default_user", "me"})
EXPORT_ENTITY_TYPE = "recollect memories"


def matches(fields: Mapping[str, object]) -> bool:
    line_type = get_text(fields, "type")
    return (line_type == "entity" and "observations" in fields) or (
        line_type == "relation" and {"from", "to", "relationType"} <= fields.keys()
    )


def read(entries: Iterable[Entry], name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    for entry in entries:
        line_type = get_text(entry.value, "type")
        if line_type == "entity":
            yield from _read_entity(entry)
        elif line_type == "relation":
            yield from _read_relation(entry)
        else:
            yield unexpected_shape(entry.position, "neither an entity nor a relation")


def _read_entity(entry: Entry) -> Iterator[ImportItem]:
    name, observations = get_text(entry.value, "name").strip(), entry.fields.get("observations")
    if not name or not isinstance(observations, list):
        yield unexpected_shape(entry.position, "no observations" if name else "no name")
        return
    is_export = get_text(entry.value, "entityType") == EXPORT_ENTITY_TYPE
    is_user = name.casefold().replace(" ", "_") in USER_ENTITIES
    for number, observation in enumerate(get_list(entry.value, "observations"), start=1):
        position = f"{entry.position}, observation {number}"
        text = get_text(observation).strip()
        if not isinstance(observation, str):
            yield unexpected_shape(position, "not a text")
        elif not text:
            yield Omission(reason=OmissionReason.EMPTY_TEXT, position=position)
        elif is_export:
            yield ImportedMemory(text=text, kind=parse_kind(name))
        else:
            is_complete = is_user or name.casefold() in text.casefold()
            yield ImportedMemory(text=text if is_complete else f"{name}: {text}", tags=(name,))


def _read_relation(entry: Entry) -> Iterator[ImportItem]:
    subject, verb, target = (
        get_text(entry.value, key).strip().replace("\n", " ") for key in ("from", "relationType", "to")
    )
    if not (subject and verb and target):
        yield unexpected_shape(entry.position, "a relation needs from, relationType and to")
        return
    yield ImportedMemory(text=f"{subject} {verb.replace('_', ' ')} {target}", tags=(subject, target))


def write(memories: Iterable[Memory]) -> str:
    """Return one entity for each kind of memory. Dates, tags and weights have no place in this format."""
    texts: dict[Kind, set[str]] = {}
    for memory in memories:
        if memory.status is MemoryStatus.ACTIVE:
            texts.setdefault(memory.kind, set()).add(memory.text)
    return "".join(
        json.dumps(
            {
                "type": "entity",
                "name": kind.value,
                "entityType": EXPORT_ENTITY_TYPE,
                "observations": sorted(texts[kind]),
            },
            ensure_ascii=False,
        )
        + "\n"
        for kind in sorted(texts)
    )
