"""The job queue as users see it: list jobs, retry dead ones, make waiting ones due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.store import Store

#: Jobs of a user that are read when looking for dead ones.
MAX_JOBS_LISTED = 10_000
BACKFILL_JOB = NewJob(kind=JobKind.BACKFILL, key="backfill")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobService:
    store: Store
    clock: Clock

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Job]:
        """Return the user's jobs, oldest first."""
        return self.store.jobs.list(scope, limit=limit)

    def dead(self, scope: Scope) -> Sequence[Job]:
        """Return the user's jobs that failed for good, oldest first."""
        jobs = self.store.jobs.list(scope, limit=MAX_JOBS_LISTED)
        return [job for job in jobs if job.state is JobState.DEAD]

    def retry(self, scope: Scope, *, job_id: int | None = None) -> int:
        """Make one or all dead jobs of the user ready again; return how many."""
        return self.store.jobs.retry(scope, job_id=job_id, now=self.clock.now())

    def run_now(self) -> int:
        """Make jobs due that wait to fill a batch, for all users; return how many."""
        return self.store.jobs.run_now(now=self.clock.now())

    def count_by_state(self, scope: Scope) -> Mapping[tuple[JobKind, JobState], int]:
        """Count the user's jobs by kind and state."""
        return self.store.jobs.count_by_state(scope)

    def count_outstanding(self) -> int:
        """Return how many jobs of all users are due or leased."""
        return self.store.jobs.count_outstanding(now=self.clock.now())

    def enqueue_backfill(self, user: str) -> None:
        """Queue the job that splits messages stored before chunking was enabled."""
        self.store.jobs.enqueue(user, BACKFILL_JOB, now=self.clock.now())
