"""JSON of the values that are stored in one column: extractions, events, profiles, versions of memories, receipts."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from recollect.domain.event import EventChange
from recollect.domain.extraction import Extraction, Fact
from recollect.domain.memory import Kind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import MessageType, Role
from recollect.domain.metadata import Metadata, MetadataFilter
from recollect.domain.reason import Reason
from recollect.domain.summary import Profile
from recollect.storage.reasons import decode_reason_or_none, encode_reason_or_none
from recollect.storage.timestamps import from_ms, from_ms_or_none, to_ms, to_ms_or_none
from recollect.text.tokens import estimate_tokens

JsonObject: TypeAlias = dict[str, Any]
EMPTY_METADATA = "{}"


def encode_extraction(extraction: Extraction) -> str:
    facts = [
        {
            "text": fact.text,
            "kind": fact.kind,
            "weight": fact.weight,
            "start": fact.start,
            "end": fact.end,
            "attribute": fact.attribute,
            "value": fact.value,
            "negated": fact.negated,
            "valid_from": to_ms_or_none(fact.valid_from),
        }
        for fact in extraction.facts
    ]
    return _dump(
        {
            "importance": extraction.importance,
            "type": extraction.message_type,
            "summary": extraction.summary,
            "reasons": [reason.to_json() for reason in extraction.reasons],
            "facts": facts,
        }
    )


def decode_extraction(text: str) -> Extraction:
    body = json.loads(text)
    return Extraction(
        importance=body["importance"],
        message_type=MessageType(body["type"]),
        summary=body["summary"],
        reasons=tuple(Reason.from_json(value) for value in body["reasons"]),
        facts=tuple(
            Fact(
                text=fact["text"],
                kind=Kind(fact["kind"]),
                weight=fact["weight"],
                start=fact["start"],
                end=fact["end"],
                attribute=fact["attribute"],
                value=fact["value"],
                negated=fact["negated"],
                valid_from=from_ms_or_none(fact["valid_from"]),
            )
            for fact in body["facts"]
        ),
    )


def encode_changes(changes: Iterable[EventChange]) -> str:
    return _dump([[change.memory_id, change.previous_version] for change in changes])


def decode_changes(text: str) -> tuple[EventChange, ...]:
    return tuple(
        EventChange(memory_id=memory_id, previous_version=version) for memory_id, version in json.loads(text)
    )


def encode_profile(profile: Profile) -> str:
    """Encode a profile without its notes, which have a column of their own."""
    return _dump(
        {
            "preferences": dict(profile.preferences),
            "context": dict(profile.context),
            "extra": dict(profile.extra),
        }
    )


def decode_profile(user: str, text: str, notes: str, updated_at_ms: int) -> Profile:
    body = json.loads(text)
    return Profile(
        user=user,
        preferences={
            key: tuple(value) if isinstance(value, list) else value
            for key, value in body["preferences"].items()
        },
        context=body["context"],
        extra=body["extra"],
        notes=notes,
        updated_at=from_ms(updated_at_ms),
    )


def encode_version(memory: Memory) -> str:
    """Encode a version of a memory for undo, without the text, which has a column of its own."""
    columns = memory_columns(memory)
    del columns["text"]
    spans = [[span.message_id, span.start, span.end] for span in memory.spans]
    return _dump({**columns, "chat": memory.chat, "spans": spans})


def decode_version(user: str, memory_id: str, text: str, body_text: str) -> Memory:
    body = json.loads(body_text)
    spans = tuple(
        SourceSpan(message_id=message, start=start, end=end) for message, start, end in body["spans"]
    )
    return to_memory(user, {**body, "id": memory_id, "text": text}, spans)


def memory_columns(memory: Memory) -> JsonObject:
    """Return the columns of a memory by name, without its user, chat, id and spans."""
    return {
        "kind": memory.kind,
        "weight": memory.weight,
        "status": memory.status,
        "origin": memory.origin,
        "speaker": memory.speaker,
        "tags": json.dumps(memory.tags, ensure_ascii=False),
        "metadata": encode_metadata(memory.metadata),
        "times_stated": memory.times_stated,
        "version": memory.version,
        "pinned": int(memory.pinned),
        "attribute": memory.attribute,
        "value": memory.value,
        "superseded_by": memory.superseded_by,
        "valid_from": to_ms_or_none(memory.valid_from),
        "valid_to": to_ms_or_none(memory.valid_to),
        "expires_at": to_ms_or_none(memory.expires_at),
        "reason": encode_reason_or_none(memory.reason),
        "fact_hash": memory.fact_hash,
        "tokens": estimate_tokens(memory.text),
        "created_at": to_ms(memory.created_at),
        "updated_at": to_ms(memory.updated_at),
        "last_stated_at": to_ms(memory.last_stated_at),
        "text": memory.text,
    }


def to_memory(user: str, column: Mapping[str, Any], spans: tuple[SourceSpan, ...]) -> Memory:
    return Memory(
        id=column["id"],
        user=user,
        chat=column["chat"],
        text=column["text"],
        kind=Kind(column["kind"]),
        weight=column["weight"],
        status=MemoryStatus(column["status"]),
        origin=Origin(column["origin"]),
        speaker=Role(column["speaker"]),
        tags=tuple(json.loads(column["tags"])),
        metadata=decode_metadata(column["metadata"]),
        times_stated=column["times_stated"],
        version=column["version"],
        pinned=bool(column["pinned"]),
        attribute=column["attribute"],
        value=column["value"],
        superseded_by=column["superseded_by"],
        valid_from=from_ms_or_none(column["valid_from"]),
        valid_to=from_ms_or_none(column["valid_to"]),
        expires_at=from_ms_or_none(column["expires_at"]),
        reason=decode_reason_or_none(column["reason"]),
        created_at=from_ms(column["created_at"]),
        updated_at=from_ms(column["updated_at"]),
        last_stated_at=from_ms(column["last_stated_at"]),
        spans=spans,
    )


def encode_metadata(metadata: Metadata) -> str:
    return _dump(dict(metadata)) if metadata else EMPTY_METADATA


def decode_metadata(text: str) -> Metadata:
    if text == EMPTY_METADATA:
        return {}
    metadata: JsonObject = json.loads(text)
    return metadata


def encode_metadata_filter(required: MetadataFilter) -> str | None:
    """Encode a filter as a query parameter; None filters nothing."""
    return _dump(dict(required)) if required else None


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
