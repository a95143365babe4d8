"""Kinds of passages: which table an indexed text comes from."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from recollect.domain.candidate import Source

#: Number that stands for the chat of passages that belong to no chat.
NO_CHAT: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageKind:
    """A kind of passage and the table of its texts."""

    code: int  #: as stored
    name: str  #: the full-text column
    source: Source
    table: str
    text_column: str


MESSAGE_PASSAGE = PassageKind(
    code=0, name="message", source=Source.MESSAGE, table="messages", text_column="content"
)
CHUNK_PASSAGE = PassageKind(code=1, name="chunk", source=Source.CHUNK, table="chunks", text_column="content")
MEMORY_PASSAGE = PassageKind(
    code=2, name="memory", source=Source.MEMORY, table="memories", text_column="text"
)
SUMMARY_PASSAGE = PassageKind(
    code=3, name="summary", source=Source.SUMMARY, table="summaries", text_column="text"
)
#: By code.
PASSAGE_KINDS: Final = (MESSAGE_PASSAGE, CHUNK_PASSAGE, MEMORY_PASSAGE, SUMMARY_PASSAGE)


def kinds_of(sources: Collection[Source]) -> tuple[PassageKind, ...]:
    """Return the kinds of passages of these sources, by code; other sources have no passages."""
    return tuple(kind for kind in PASSAGE_KINDS if kind.source in sources)


def content_hash(text: str) -> int:
    """Return a hash of the text that a vector was computed from."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
