"""What a search brings back, and what ranking makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role


class Source(StrEnum):
    """Where a passage comes from; its value is the content type shown to users."""

    MESSAGE = "message"
    CHUNK = "message_chunk"
    MEMORY = "memory"
    SUMMARY = "summary"
    PROFILE = "profile"
    CONTEXT = "context"


#: What a passage is known by.
PassageKey: TypeAlias = tuple[Source, str]
#: The one profile of a user.
PROFILE_KEY: PassageKey = (Source.PROFILE, "profile")


# Tuples, since every recall makes dozens of them: a dataclass takes three times as long.
class ChatPosition(NamedTuple):
    """A message and those right before and after it in its chat, by their numbers in the index, if that was asked."""

    passage_id: int
    previous_id: int | None = None
    next_id: int | None = None


class Candidate(NamedTuple):
    """A passage that may bear on the question, with what each channel thinks of it."""

    source: Source
    id: str
    text: str
    created_at: datetime
    seen_at: datetime
    tokens: int
    chat: str | None = None
    parent_id: str | None = None  #: the message a chunk was cut from
    position: ChatPosition | None = None  #: where the message, or that of a chunk, was said
    role: Role | None = None
    kind: Kind | None = None
    chunk_kind: ChunkKind | None = None
    weight: float = 1.0
    importance: int | None = None
    pinned: bool = False  #: a memory that does not fade
    outdated: bool = False  #: a message that says something which is no longer so
    summary: str | None = None  #: the one-sentence summary of a judged message
    dense: float | None = None  #: cosine, as far as it tells; None when the dense channel did not bring it
    lexical: float | None = None  #: BM25, larger is better; None when the lexical channel did not bring it

    @property
    def key(self) -> PassageKey:
        return (self.source, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCandidate:
    """A candidate with its place in the order, and the parts its score is made of."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Where a search may look, besides the scope that every search names."""

    sources: frozenset[Source] = frozenset({Source.MESSAGE, Source.CHUNK, Source.MEMORY, Source.SUMMARY})
    max_recent_chats: int = 0  #: only the most recent chats; 0 means all
    min_importance: int = 0  #: memories and judged messages below this are left where they are
    kinds: frozenset[Kind] = frozenset()  #: only memories of these kinds; empty means all
    as_of: datetime | None = None  #: what was known and true then


# A tuple, since a search makes hundreds of them and hands on twenty.
class Hit(NamedTuple):
    """A passage by its number in the index, and what a channel thinks of it."""

    passage_id: int
    score: float
    query_coverage: float = (
        1.0  #: the share of the question's words that it holds, if the channel goes by words
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text in the index that waits for its vector."""

    id: int
    text: str
