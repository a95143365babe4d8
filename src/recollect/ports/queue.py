"""Keeps work for later. What was queued in a transaction exists if and only if it committed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.scope import Scope


class JobQueue(Protocol):
    """At least once, in any order; the lease's number tells a late worker that it is no longer meant."""

    def enqueue(self, user: str, job: NewJob, *, now: datetime) -> None:
        """
        Queue a job. One of its kind and key that waits already is enough; one that runs will run again, and one that
        was parked is tried again.
        """

    def lease(self, *, now: datetime, until: datetime, kinds: Sequence[JobKind] = ()) -> Job | None:
        """Take one job that is due, or whose holder let its lease run out. Nobody else gets it before `until`."""

    def has_lease(self, job: Job) -> bool:
        """Whether the lease is still ours. Ask inside the transaction that writes the result."""

    def extend_lease(self, job: Job, *, until: datetime) -> bool:
        """Keep a lease for longer; False if it was lost."""

    def finish(self, job: Job) -> bool:
        """The work is done: remove the job. False, and nothing changes, if the lease was lost."""

    def postpone(self, job: Job, *, run_at: datetime, reason: str) -> bool:
        """It failed but may work later. False if the lease was lost."""

    def dead_letter(self, job: Job, *, reason: str) -> bool:
        """It failed for good: keep it, with its reason, until somebody asks for a retry."""

    def retry(self, scope: Scope, *, job_id: int | None = None, now: datetime) -> int:
        """Make parked jobs ready again, one or all of the user; return how many."""

    def retry_dead(self, kind: JobKind, *, now: datetime) -> int:
        """Make parked jobs of a kind ready again, whoever's they are; return how many."""

    def run_now(self, *, now: datetime) -> int:
        """Make due what only waits for company and has never failed, whoever's it is; return how many."""

    def list(self, scope: Scope, *, limit: int = 100) -> "Sequence[Job]":
        """The user's jobs, oldest first."""

    def count_by_state(self, scope: Scope) -> dict[tuple[JobKind, JobState], int]: ...

    def count_outstanding(self, *, now: datetime) -> int:
        """How many jobs of all users are due or in somebody's hands."""

    def next_due(self) -> datetime | None:
        """When the next job becomes due or its lease runs out, if there is one."""
