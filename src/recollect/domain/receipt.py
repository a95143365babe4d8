"""Receipts: the record of one recall, the same in every interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.candidate import Source
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.domain.metadata import Metadata
from recollect.domain.reason import Reason


class Disposition(StrEnum):
    """Whether a candidate was used."""

    INJECTED = "injected"
    RETURNED = "returned"  #: a search result, not injected into a prompt
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptItem:
    """One candidate with its score, its disposition and the reason for it."""

    source: Source
    id: str
    disposition: Disposition
    score: float
    parts: Mapping[str, float]
    tokens: int
    text: str = ""  #: of a stored receipt: read from the passage; empty if it was erased
    created_at: datetime | None = None  #: None if the passage was erased
    version: int | None = None  #: of a memory
    is_erased: bool = False  #: whether the passage was erased since
    chat: str | None = None
    role: Role | None = None
    kind: Kind | None = None
    reason: Reason | None = None  #: why it was left out
    cosine: float | None = None  #: the raw cosine, if the dense part of the score is normalized
    metadata: Metadata = field(default_factory=dict, hash=False)  #: not stored with the receipt

    @property
    def relevance(self) -> float | None:
        """The calibrated probability that the passage is relevant; None if it was not estimated."""
        return self.parts.get("relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The record of one recall: its query, settings, candidates, timings and degradations."""

    id: str
    user: str
    chat: str | None
    query: str | None  #: text, hash or None, depending on `receipts.query`
    created_at: datetime
    preset: str
    ranker: str
    hybrid: bool
    chunking: bool
    budget: int
    tokens: int = 0
    text: str = ""  #: the memory block as returned; of a stored receipt, only if it was injected into a chat
    items: tuple[ReceiptItem, ...] = ()
    degradations: tuple[Reason, ...] = ()  #: what failed or was skipped; empty if nothing
    skipped_sources: tuple[Reason, ...] = ()  #: content types that were not searched, and why
    pending_embeddings: int = 0  #: new passages without an embedding, which only lexical search could return
    sources: Mapping[str, int] = field(default_factory=dict)  #: hits per source before ranking
    timings: Mapping[str, float] = field(default_factory=dict)  #: milliseconds by stage

    @property
    def used_items(self) -> tuple[ReceiptItem, ...]:
        """The passages that were injected or returned, best first."""
        return tuple(item for item in self.items if item.disposition is not Disposition.LEFT_OUT)

    @property
    def injected_items(self) -> tuple[ReceiptItem, ...]:
        return tuple(item for item in self.items if item.disposition is Disposition.INJECTED)
