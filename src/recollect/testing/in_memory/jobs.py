"""Job queue in memory: leases with fencing tokens, retries and dead letters."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime

from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason
from recollect.domain.scope import SYSTEM_USER, Scope
from recollect.testing.in_memory.database import Connection
from recollect.testing.in_memory.tables import JobRow


class InMemoryJobQueue:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def enqueue(self, user: str, job: NewJob, *, now: datetime) -> None:
        run_at = job.run_at or now
        with self._connection.write(user) as tables:
            known = next(
                (r for r in tables.jobs.values() if (r.job.kind, r.job.key) == (job.kind, job.key)), None
            )
            if known is None:
                new_job = Job(
                    id=self._connection.new_number(),
                    user=user,
                    kind=job.kind,
                    key=job.key,
                    payload=dict(job.payload),
                    state=JobState.READY,
                    attempts=0,
                    run_at=run_at,
                    created_at=now,
                )
                tables.jobs[new_job.id] = JobRow(job=new_job)
                return
            merged, rerun = known.job, False
            match merged.state:
                case JobState.READY:
                    merged = replace(merged, run_at=min(merged.run_at, run_at))
                case JobState.LEASED:
                    rerun = True
                case JobState.DEAD:
                    merged = replace(merged, state=JobState.READY, attempts=0, run_at=run_at)
            tables.jobs[merged.id] = JobRow(job=merged, rerun=rerun)

    def lease(self, *, now: datetime, until: datetime, kinds: Sequence[JobKind] = ()) -> Job | None:
        with self._connection.transaction(SYSTEM_USER):
            due = [
                job
                for job in self._all_jobs()
                if (not kinds or job.kind in kinds)
                and (
                    (job.state is JobState.READY and job.run_at <= now)
                    or (
                        job.state is JobState.LEASED
                        and job.leased_until is not None
                        and job.leased_until <= now
                    )
                )
            ]
            if not due:
                return None
            job = min(due, key=lambda each: (each.run_at, each.id))
            leased = replace(
                job,
                state=JobState.LEASED,
                fencing_token=job.fencing_token + 1,
                leased_until=until,
                attempts=job.attempts + 1,
            )
            with self._connection.write(job.user) as tables:
                tables.jobs[job.id] = JobRow(job=leased)
        return leased

    def subscribe(self, wake: Callable[[], None]) -> AbstractContextManager[object]:
        return nullcontext()

    def extend_lease(self, job: Job, *, until: datetime) -> bool:
        return self._change(job, lambda row: replace(row, job=replace(row.job, leased_until=until)))

    def finish(self, job: Job) -> bool:
        return self._change(
            job,
            lambda row: (
                JobRow(job=replace(row.job, state=JobState.READY, attempts=0, leased_until=None, reason=None))
                if row.rerun
                else None
            ),
        )

    def postpone(self, job: Job, *, run_at: datetime, reason: Reason) -> bool:
        return self._change(
            job,
            lambda row: replace(
                row,
                job=replace(row.job, state=JobState.READY, leased_until=None, run_at=run_at, reason=reason),
            ),
        )

    def dead_letter(self, job: Job, *, reason: Reason) -> bool:
        # If the job was enqueued again while it ran, it gets another attempt.
        return self._change(
            job,
            lambda row: replace(
                row,
                job=replace(
                    row.job,
                    state=JobState.READY if row.rerun else JobState.DEAD,
                    leased_until=None,
                    reason=reason,
                ),
            ),
        )

    def retry(self, scope: Scope, *, job_id: int | None = None, now: datetime) -> int:
        dead = [
            job
            for job in self._jobs_of(scope.user)
            if job.state is JobState.DEAD and job_id in {None, job.id}
        ]
        return self._revive(dead, now)

    def retry_dead(self, kind: JobKind, *, now: datetime) -> int:
        with self._connection.transaction(SYSTEM_USER):
            dead = [job for job in self._all_jobs() if job.state is JobState.DEAD and job.kind is kind]
            return self._revive(dead, now)

    def run_now(self, *, now: datetime) -> int:
        with self._connection.transaction(SYSTEM_USER):
            waiting = [
                job
                for job in self._all_jobs()
                if job.state is JobState.READY and not job.attempts and job.run_at > now
            ]
            for job in waiting:
                with self._connection.write(job.user) as tables:
                    tables.jobs[job.id] = replace(tables.jobs[job.id], job=replace(job, run_at=now))
        return len(waiting)

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Job]:
        return self._jobs_of(scope.user)[:limit]

    def count_by_state(self, scope: Scope) -> dict[tuple[JobKind, JobState], int]:
        return dict(Counter((job.kind, job.state) for job in self._jobs_of(scope.user)))

    def count_outstanding(self, *, now: datetime) -> int:
        return sum(
            job.state is JobState.LEASED or (job.state is JobState.READY and job.run_at <= now)
            for job in self._all_jobs()
        )

    def next_due(self) -> datetime | None:
        due = [job.run_at for job in self._all_jobs() if job.state is JobState.READY]
        due += [
            job.leased_until
            for job in self._all_jobs()
            if job.state is JobState.LEASED and job.leased_until is not None
        ]
        return min(due, default=None)

    def _revive(self, jobs: Sequence[Job], now: datetime) -> int:
        for job in jobs:
            with self._connection.write(job.user) as tables:
                revived = replace(job, state=JobState.READY, attempts=0, reason=None, run_at=now)
                tables.jobs[job.id] = replace(tables.jobs[job.id], job=revived)
        return len(jobs)

    def _change(self, job: Job, change: Callable[[JobRow], JobRow | None]) -> bool:
        """Replace or delete the job if its lease is still valid; return whether it was."""
        with self._connection.write(job.user, creates_user=False) as tables:
            row = tables.jobs.get(job.id)
            if row is None or row.job.state is not JobState.LEASED:
                return False
            if row.job.fencing_token != job.fencing_token:
                return False
            changed = change(row)
            if changed is None:
                del tables.jobs[job.id]
            else:
                tables.jobs[job.id] = changed
        return True

    def _jobs_of(self, user: str) -> Sequence[Job]:
        return [row.job for row in self._connection.read(user).jobs.values()]

    def _all_jobs(self) -> Iterator[Job]:
        for user in self._connection.users():
            yield from self._jobs_of(user)
