"""Background jobs, stored in the database until they finish."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.reason import Reason


class JobKind(StrEnum):
    EMBED = "embed"  #: embed passages
    EXTRACT = "extract"  #: extract importance and facts from messages
    BACKFILL = "backfill"  #: split older messages into chunks
    REEMBED = "reembed"  #: migrate vectors to another embedding model
    SUMMARIZE = "summarize"
    MAINTENANCE = "maintenance"


class JobState(StrEnum):
    READY = "ready"
    LEASED = "leased"
    DEAD = "dead"  #: dead letter: `reason` says why; a retry makes it ready again


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    kind: JobKind
    key: str  #: waiting jobs with the same kind and key are merged into one
    payload: Mapping[str, str | int] = field(default_factory=dict)
    run_at: datetime | None = None


#: One job per user embeds all passages without a vector.
EMBED_JOB = NewJob(kind=JobKind.EMBED, key="embed")


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
    fencing_token: int = 0  #: only the holder of the current token may finish the job
    leased_until: datetime | None = None
    reason: Reason | None = None
