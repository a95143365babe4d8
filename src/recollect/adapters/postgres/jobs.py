"""Job queue in PostgreSQL: leases with fencing tokens, retries and dead letters."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Row,
    execute,
    fetch,
    fetch_number,
    fetch_one,
)
from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.storage.reasons import decode_reason_or_none, encode_reason
from recollect.storage.timestamps import from_ms, from_ms_or_none, to_ms

JOB_COLUMNS = """
    no, user_id, kind, key, payload, state, attempts, run_at, created_at, fencing_token, leased_until, reason
"""
UPSERT_JOB = """
    INSERT INTO jobs AS j (user_id, kind, key, payload, state, run_at, created_at)
    VALUES ($1, $2, $3, $4, 'ready', $5, $6)
    ON CONFLICT (user_id, kind, key) DO UPDATE SET
        rerun = CASE j.state WHEN 'leased' THEN 1 ELSE 0 END,
        attempts = CASE j.state WHEN 'dead' THEN 0 ELSE j.attempts END,
        run_at = CASE j.state WHEN 'ready' THEN least(j.run_at, excluded.run_at) WHEN 'dead' THEN excluded.run_at
            ELSE j.run_at END,
        state = CASE j.state WHEN 'dead' THEN 'ready' ELSE j.state END
"""
#: Reads the first unlocked entry of an index, so that the cost does not depend on the length of the queue.
SELECT_NEXT_JOB = """
    SELECT user_id, no, run_at FROM jobs WHERE state = '{state}' AND {due} <= $1
        AND (cardinality($3::text[]) = 0 OR kind = ANY($3::text[]))
    ORDER BY {due}, no LIMIT 1 FOR UPDATE SKIP LOCKED
"""
LEASE_NEXT_JOB = f"""
    /* all users: a worker takes the next job of any user */
    WITH ready AS ({SELECT_NEXT_JOB.format(state="ready", due="run_at")}),
    expired AS ({SELECT_NEXT_JOB.format(state="leased", due="leased_until")}),
    next AS (SELECT * FROM ready UNION ALL SELECT * FROM expired ORDER BY run_at, no LIMIT 1)
    UPDATE jobs SET state = 'leased', fencing_token = fencing_token + 1, leased_until = $2, attempts = attempts + 1,
        rerun = 0
    WHERE (user_id, no) = (SELECT user_id, no FROM next)
    RETURNING {JOB_COLUMNS}
"""
HAS_LEASE = "user_id = $1 AND no = $2 AND fencing_token = $3 AND state = 'leased'"


class PostgresJobQueue:
    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, user: str, job: NewJob, *, now: datetime) -> None:
        with self._database.transaction(user, defers=True):
            self._database.ensure_user(user, to_ms(now))
            payload = json.dumps(dict(job.payload), ensure_ascii=False)
            run_at = to_ms(job.run_at or now)
            self._database.defer(UPSERT_JOB, (user, job.kind, job.key, payload, run_at, to_ms(now)))
            if run_at <= to_ms(now):
                self._database.notify_workers()

    def lease(self, *, now: datetime, until: datetime, kinds: Sequence[JobKind] = ()) -> Job | None:
        # Not durable: a crash that undoes the lease makes the job ready again, and its fencing token is rejected.
        with self._database.system_transaction(durable=False) as db:
            row = fetch_one(db, LEASE_NEXT_JOB, (to_ms(now), to_ms(until), list(map(str, kinds))))
        return None if row is None else _to_job(row)

    def subscribe(self, wake: Callable[[], None]) -> AbstractContextManager[object]:
        return self._database.listen(wake)

    def extend_lease(self, job: Job, *, until: datetime) -> bool:
        return self._update(job, "UPDATE jobs SET leased_until = $4", to_ms(until), durable=False)

    def finish(self, job: Job) -> bool:
        with self._database.row_transaction(job.user) as db:
            values = (job.user, job.id, job.fencing_token)
            rerun = (
                "UPDATE jobs SET state = 'ready', attempts = 0, rerun = 0, leased_until = NULL, reason = NULL"
            )
            if execute(db, f"DELETE FROM jobs WHERE {HAS_LEASE} AND rerun = 0", values):
                return True
            return execute(db, f"{rerun} WHERE {HAS_LEASE} AND rerun = 1", values) > 0

    def postpone(self, job: Job, *, run_at: datetime, reason: Reason) -> bool:
        change = "UPDATE jobs SET state = 'ready', leased_until = NULL, run_at = $4, reason = $5"
        return self._update(job, change, to_ms(run_at), encode_reason(reason))

    def dead_letter(self, job: Job, *, reason: Reason) -> bool:
        # If the job was enqueued again while it ran, it gets another attempt.
        state = "CASE rerun WHEN 1 THEN 'ready' ELSE 'dead' END"
        return self._update(
            job, f"UPDATE jobs SET state = {state}, leased_until = NULL, reason = $4", encode_reason(reason)
        )

    def retry(self, scope: Scope, *, job_id: int | None = None, now: datetime) -> int:
        with self._database.transaction(scope.user) as db:
            return execute(
                db,
                "UPDATE jobs SET state = 'ready', attempts = 0, reason = NULL, run_at = $3"
                " WHERE user_id = $1 AND state = 'dead' AND ($2::bigint IS NULL OR no = $2)",
                (scope.user, job_id, to_ms(now)),
            )

    def run_now(self, *, now: datetime) -> int:
        with self._database.system_transaction() as db:
            waits = "WHERE state = 'ready' AND attempts = 0 AND run_at > $1"
            return execute(
                db,
                f"/* all users: tests and shutdown flush the queue */ UPDATE jobs SET run_at = $1 {waits}",
                (to_ms(now),),
            )

    def retry_dead(self, kind: JobKind, *, now: datetime) -> int:
        with self._database.system_transaction() as db:
            return execute(
                db,
                "/* all users: retry after the cause was removed */"
                " UPDATE jobs SET state = 'ready', attempts = 0, reason = NULL, run_at = $1"
                " WHERE state = 'dead' AND kind = $2",
                (to_ms(now), kind),
            )

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Job]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                f"SELECT {JOB_COLUMNS} FROM jobs WHERE user_id = $1 ORDER BY no LIMIT $2",
                (scope.user, limit),
            )
        return [_to_job(row) for row in rows]

    def count_by_state(self, scope: Scope) -> dict[tuple[JobKind, JobState], int]:
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                "SELECT kind, state, count(*) FROM jobs WHERE user_id = $1 GROUP BY kind, state",
                (scope.user,),
            )
        return {(JobKind(kind), JobState(state)): count for kind, state, count in rows}

    def count_outstanding(self, *, now: datetime) -> int:
        with self._database.system_reader() as db:
            due = "state = 'leased' OR (state = 'ready' AND run_at <= $1)"
            return fetch_number(
                db,
                f"/* all users: progress of the queue */ SELECT count(*) FROM jobs WHERE {due}",
                (to_ms(now),),
            )

    def next_due(self) -> datetime | None:
        with self._database.system_reader() as db:
            row = fetch_one(
                db,
                "/* all users: when a worker wakes */"
                " SELECT min(due) FROM (SELECT min(run_at) AS due FROM jobs WHERE state = 'ready'"
                " UNION ALL SELECT min(leased_until) FROM jobs WHERE state = 'leased') j",
            )
        return from_ms_or_none(row[0]) if row else None

    def _update(self, job: Job, change: str, *values: str | int, durable: bool = True) -> bool:
        with self._database.row_transaction(job.user, durable=durable) as db:
            return (
                execute(db, f"{change} WHERE {HAS_LEASE}", (job.user, job.id, job.fencing_token, *values)) > 0
            )


def _to_job(row: Row) -> Job:
    (
        no,
        user,
        kind,
        key,
        payload,
        state,
        attempts,
        run_at,
        created_at,
        fencing_token,
        leased_until,
        reason,
    ) = row
    return Job(
        id=no,
        user=user,
        kind=JobKind(kind),
        key=key,
        payload=json.loads(payload),
        state=JobState(state),
        attempts=attempts,
        run_at=from_ms(run_at),
        created_at=from_ms(created_at),
        fencing_token=fencing_token,
        leased_until=from_ms_or_none(leased_until),
        reason=decode_reason_or_none(reason),
    )
