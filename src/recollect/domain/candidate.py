"""Passages, index hits and retrieved candidates, before and after ranking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.domain.metadata import NO_METADATA, Metadata, MetadataFilter
from recollect.domain.reason import Reason


class Source(StrEnum):
    """The content type of a passage; users see its value."""

    MESSAGE = "message"
    CHUNK = "message_chunk"
    MEMORY = "memory"
    SUMMARY = "summary"
    PROFILE = "profile"
    CONTEXT = "context"


#: Identifies a passage across content types.
PassageKey: TypeAlias = tuple[Source, str]
#: The key of a user's profile, of which there is one.
PROFILE_KEY: PassageKey = (Source.PROFILE, "profile")


# Named tuples because every recall creates dozens: creating a dataclass takes three times as long.
class ChatPosition(NamedTuple):
    """The passage id of a message, and of its neighbours in the chat if the caller requested them."""

    passage_id: int
    previous_id: int | None = None
    next_id: int | None = None


class Candidate(NamedTuple):
    """A passage retrieved for a query, with the score of each channel."""

    source: Source
    id: str
    text: str
    created_at: datetime
    last_stated_at: datetime
    tokens: int
    chat: str | None = None
    parent_id: str | None = None  #: the message that a chunk is part of
    position: ChatPosition | None = None  #: of the message, or of a chunk's message
    role: Role | None = None
    kind: Kind | None = None
    chunk_kind: ChunkKind | None = None
    weight: float = 1.0
    importance: int | None = None
    version: int | None = None  #: of a memory
    pinned: bool = False  #: a memory that does not decay
    outdated: bool = False  #: a message whose facts have been superseded
    ended_facts: tuple[tuple[str, datetime], ...] = ()  #: its facts that are no longer true, with their end
    summary: str | None = None  #: the one-sentence summary of an extracted message
    dense: float | None = None  #: cosine less the centroid correction; None without a vector
    lexical: float | None = None  #: BM25, larger is better; None if the lexical channel did not return it
    cosine: float | None = None  #: the cosine without the correction
    centroid_excess: float | None = None  #: similarity to the centroid above the mean; None if not corrected
    answer_logit: float | None = None  #: that it answers the query, by the query adapter
    is_standing: bool = False  #: a lasting instruction or constraint that applies to the query
    passage_id: int | None = None  #: its number in the indexes; None for memories that no index returned
    metadata: Metadata = NO_METADATA  #: of a memory or a message

    @property
    def key(self) -> PassageKey:
        return (self.source, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCandidate:
    """A candidate with its score and the parts of the score."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A candidate that is not used, and why."""

    scored: ScoredCandidate
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """The restrictions of a search besides its scope."""

    sources: frozenset[Source] = frozenset({Source.MESSAGE, Source.CHUNK, Source.MEMORY, Source.SUMMARY})
    max_recent_chats: int = 0  #: search only this many most recent chats; 0 means all
    min_importance: int = 0  #: excludes memories and extracted messages below it
    kinds: frozenset[Kind] = frozenset()  #: only memories of these kinds; empty means all
    as_of: datetime | None = None  #: only what was known and valid at that time
    metadata: MetadataFilter = ()  #: only messages and memories with these values; no summaries


# A named tuple because a search creates hundreds and returns twenty.
class Hit(NamedTuple):
    """An index hit: the passage id and the score of one channel."""

    passage_id: int
    score: float
    query_coverage: float = 1.0  #: share of the query's terms in the passage; 1 in the dense channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """An indexed text to be embedded."""

    id: int
    text: str
