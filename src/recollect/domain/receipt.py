"""What happened in a recall, as a value: shown alike by every door."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.candidate import Source
from recollect.domain.memory import Kind
from recollect.domain.message import Role


class Disposition(StrEnum):
    """What became of a candidate."""

    INJECTED = "injected"
    RETURNED = "returned"  #: a search result: shown, not injected
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptItem:
    """One candidate: what it is, how it scored, and why it is in or out."""

    source: Source
    id: str
    text: str
    disposition: Disposition
    score: float
    parts: Mapping[str, float]
    tokens: int
    created_at: datetime
    chat: str | None = None
    role: Role | None = None
    kind: Kind | None = None
    reason: str | None = None  #: why it was left out
    cosine: float | None = (
        None  #: how near it is by meaning, where its part of the score is a share of the nearest
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Every recall leaves one."""

    id: str
    user: str
    chat: str | None
    query: str | None  #: the question, its hash, or None: as the policy says
    created_at: datetime
    preset: str
    ranker: str
    hybrid: bool
    chunking: bool
    budget: int
    tokens: int = 0
    text: str = ""  #: the block as it was handed out
    items: tuple[ReceiptItem, ...] = ()
    degradations: tuple[str, ...] = ()  #: what did not work, in words; empty when all did
    skipped_sources: tuple[str, ...] = ()  #: sources that were not asked, and why
    sources: Mapping[str, int] = field(default_factory=dict)  #: hits per source before ranking
    timings: Mapping[str, float] = field(default_factory=dict)  #: milliseconds by part

    @property
    def injected_items(self) -> tuple[ReceiptItem, ...]:
        return tuple(item for item in self.items if item.disposition is Disposition.INJECTED)
