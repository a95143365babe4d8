"""Port for the job queue. A job enqueued in a transaction exists if and only if the transaction commits."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope


class JobQueue(Protocol):
    """At-least-once delivery in any order. The fencing token rejects a worker whose lease was taken over."""

    def enqueue(self, user: str, job: NewJob, *, now: datetime) -> None:
        """
        Enqueue a job. If one with the same kind and key is waiting, they are merged; if one is running, it will run
        again; a dead one becomes ready again.
        """

    def lease(self, *, now: datetime, until: datetime, kinds: Sequence[JobKind] = ()) -> Job | None:
        """Lease one job that is due or whose lease has expired; it is exclusive until `until`."""

    def subscribe(self, wake: Callable[[], None]) -> AbstractContextManager[object]:
        """
        While the context is open, call `wake` from another thread whenever another process has enqueued a due job.

        A store may miss some jobs or all of them: workers poll besides.
        """

    def extend_lease(self, job: Job, *, until: datetime) -> bool:
        """Extend the lease; return False if it was lost."""

    def finish(self, job: Job) -> bool:
        """Remove a completed job; return False, without effect, if the lease was lost."""

    def postpone(self, job: Job, *, run_at: datetime, reason: Reason) -> bool:
        """Reschedule a failed job; return False if the lease was lost."""

    def dead_letter(self, job: Job, *, reason: Reason) -> bool:
        """Mark a failed job as dead; it is kept with its reason until someone retries it."""

    def retry(self, scope: Scope, *, job_id: int | None = None, now: datetime) -> int:
        """Make one or all dead jobs of the user ready again; return how many."""

    def retry_dead(self, kind: JobKind, *, now: datetime) -> int:
        """Make dead jobs of a kind ready again, for all users; return how many."""

    def run_now(self, *, now: datetime) -> int:
        """Make jobs due that wait to fill a batch and have never failed, for all users; return how many."""

    def list(self, scope: Scope, *, limit: int = 100) -> "Sequence[Job]":
        """Return the user's jobs, oldest first."""

    def count_by_state(self, scope: Scope) -> dict[tuple[JobKind, JobState], int]: ...

    def count_outstanding(self, *, now: datetime) -> int:
        """Return how many jobs of all users are due or leased."""

    def next_due(self) -> datetime | None:
        """Return when the next job becomes due or its lease expires, if there is one."""
