"""Builders of messages, memories and receipts for tests, with defaults for all fields."""

import hashlib
from dataclasses import replace
from datetime import datetime
from typing import TypedDict, Unpack

from recollect.domain.candidate import Source
from recollect.domain.memory import Kind, Memory, MemoryStatus, Origin, SourceSpan
from recollect.domain.message import Chunk, ChunkKind, Message, Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.testing.clock import MONDAY
from recollect.text.tokens import estimate_tokens

ANA = "ana"
KITCHEN = "kitchen"


class MessageFields(TypedDict, total=False):
    id: str
    role: Role
    created_at: datetime
    tool_calls: str | None
    tool_call_id: str | None
    client_id: str | None
    original_bytes: int | None
    extracted: bool


class MemoryFields(TypedDict, total=False):
    id: str
    chat: str | None
    kind: Kind
    weight: float
    status: MemoryStatus
    origin: Origin
    speaker: Role
    tags: tuple[str, ...]
    attribute: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    pinned: bool
    reason: Reason | None
    created_at: datetime
    updated_at: datetime
    last_stated_at: datetime
    spans: tuple[SourceSpan, ...]


def an_id(*parts: str) -> str:
    """Return a deterministic id for these words, so that failures are readable."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:22]


def a_message(
    content: str, *, user: str = ANA, chat: str = KITCHEN, **changes: Unpack[MessageFields]
) -> Message:
    """Build a user message of Monday morning, with the given changes."""
    message = Message(
        id=an_id(user, chat, content),
        user=user,
        chat=chat,
        role=Role.USER,
        content=content,
        created_at=MONDAY,
        tokens=estimate_tokens(content),
    )
    return replace(message, **changes)


def chunks_of(*pieces: str, kind: ChunkKind = ChunkKind.PROSE) -> tuple[Chunk, ...]:
    """Build consecutive chunks; joined, they are the message."""
    return tuple(
        Chunk(
            index=index,
            kind=kind,
            content=piece,
            start=len("".join(pieces[:index])),
            tokens=estimate_tokens(piece),
        )
        for index, piece in enumerate(pieces)
    )


def a_memory(text: str, *, user: str = ANA, **changes: Unpack[MemoryFields]) -> Memory:
    """Build a memory of Monday morning with weight 1 and no source, with the given changes."""
    memory = Memory(
        id=an_id(user, text),
        user=user,
        text=text,
        created_at=MONDAY,
        updated_at=MONDAY,
        last_stated_at=MONDAY,
    )
    return replace(memory, **changes)


def a_receipt(query: str, *, user: str = ANA, chat: str | None = None, at: datetime = MONDAY) -> Receipt:
    """Build the receipt of a search that returned one memory and left out one message."""
    returned_item = ReceiptItem(
        source=Source.MEMORY,
        id=an_id(user, "vegetarian"),
        text="is vegetarian",
        disposition=Disposition.RETURNED,
        score=0.75,
        parts={"dense": 0.5, "weight": 1.0},
        tokens=3,
        created_at=at,
        role=Role.USER,
        kind=Kind.PREFERENCE,
        cosine=0.5,
    )
    excluded_item = replace(
        returned_item,
        source=Source.MESSAGE,
        disposition=Disposition.LEFT_OUT,
        kind=None,
        chat=KITCHEN,
        reason=Reason(ReasonCode.OVER_LIMIT, {"rank": 2, "limit": 1}),
    )
    return Receipt(
        id=an_id(user, query, at.isoformat()),
        user=user,
        chat=chat,
        query=query,
        created_at=at,
        preset="default",
        ranker="blend",
        hybrid=True,
        chunking=True,
        budget=1000,
        tokens=12,
        text="is vegetarian",
        items=(returned_item, excluded_item),
        degradations=(Reason(ReasonCode.NO_EMBEDDER),),
        skipped_sources=(Reason(ReasonCode.NO_CONSENT, {"category": "profile"}),),
        sources={"lexical": 2},
        timings={"rank_ms": 0.5, "total_ms": 1.25},
    )


def without_texts(receipt: Receipt) -> Receipt:
    """Return a receipt as it is listed: without its block, and without what its items take from their passages."""
    items = (replace(item, text="", created_at=None, chat=None, role=None) for item in receipt.items)
    return replace(receipt, text="", items=tuple(items))
