"""Work for later, kept in the database until it is done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class JobKind(StrEnum):
    EMBED = "embed"  #: give passages their vectors
    EXTRACT = "judge"  #: decide what a message is worth and extract facts
    BACKFILL = "backfill"  #: cut older messages into chunks
    REEMBED = "reembed"  #: move to another embedding model
    SUMMARIZE = "summarise"
    MAINTENANCE = "garden"


class JobState(StrEnum):
    READY = "ready"
    LEASED = "leased"
    DEAD = "parked"  #: gave up; the reason says why, a retry starts it again


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    kind: JobKind
    key: str  #: two waiting jobs of one kind and key are one job
    payload: Mapping[str, str | int] = field(default_factory=dict)
    run_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    id: int
    user: str
    kind: JobKind
    key: str
    payload: Mapping[str, str | int]
    state: JobState
    attempts: int
    run_at: datetime
    created_at: datetime
    fencing_token: int = 0  #: the fencing token: only its holder may finish the job
    leased_until: datetime | None = None
    reason: str | None = None
