"""Job queue in SQLite: leases with fencing tokens, retries and dead letters."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, fetch_number, fetch_one
from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason
from recollect.domain.scope import Scope
from recollect.storage.reasons import decode_reason_or_none, encode_reason
from recollect.storage.timestamps import from_ms, from_ms_or_none, to_ms

JOB_COLUMNS = (
    "j.no, u.id, j.kind, j.key, j.payload, j.state, j.attempts, j.run_at, j.created_at, j.fencing_token,"
    " j.leased_until, j.reason"
)
UPSERT_JOB = """
    INSERT INTO jobs (user_no, kind, key, payload, state, run_at, created_at)
    VALUES (?1, ?2, ?3, ?4, 'ready', ?5, ?6)
    ON CONFLICT (user_no, kind, key) DO UPDATE SET
        rerun = state = 'leased',
        attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END,
        run_at = CASE state WHEN 'ready' THEN min(run_at, excluded.run_at) WHEN 'dead' THEN excluded.run_at
            ELSE run_at END,
        state = CASE state WHEN 'dead' THEN 'ready' ELSE state END
"""
#: Reads the first entry of an index, so that the cost does not depend on the length of the queue.
SELECT_NEXT_JOB = """
    SELECT no, run_at FROM jobs WHERE state = '{state}' AND {due} <= ?1
        AND (?3 = '[]' OR kind IN (SELECT value FROM json_each(?3)))
    ORDER BY run_at, no LIMIT 1
"""
LEASE_NEXT_JOB = f"""
    UPDATE jobs SET state = 'leased', fencing_token = fencing_token + 1, leased_until = ?2, attempts = attempts + 1,
        rerun = 0
    WHERE no = (
        SELECT no FROM (
            SELECT * FROM ({SELECT_NEXT_JOB.format(state="ready", due="run_at")})
            UNION ALL SELECT * FROM ({SELECT_NEXT_JOB.format(state="leased", due="leased_until")})
        )
        ORDER BY run_at, no LIMIT 1
    )
    RETURNING no, (SELECT id FROM users WHERE no = user_no), kind, key, payload, state, attempts, run_at, created_at,
        fencing_token, leased_until, reason
"""
HAS_LEASE = "no = ? AND fencing_token = ? AND state = 'leased'"


class SqliteJobQueue:
    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, user: str, job: NewJob, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            payload = json.dumps(dict(job.payload), ensure_ascii=False)
            run_at = to_ms(job.run_at or now)
            db.execute(UPSERT_JOB, (user_no, job.kind, job.key, payload, run_at, to_ms(now)))

    def lease(self, *, now: datetime, until: datetime, kinds: Sequence[JobKind] = ()) -> Job | None:
        due = self.next_due()
        if due is None or due > now:
            return None
        # Not durable: a power loss that undoes the lease also ends its worker, and the job is ready again.
        with self._database.transaction(durable=False) as db:
            rows = fetch(db, LEASE_NEXT_JOB, (to_ms(now), to_ms(until), json.dumps(kinds)))
        return _to_job(rows[0]) if rows else None

    def subscribe(self, wake: Callable[[], None]) -> AbstractContextManager[object]:  # noqa: ARG002 - a file tells nobody
        return nullcontext()

    def extend_lease(self, job: Job, *, until: datetime) -> bool:
        with self._database.transaction(durable=False) as db:
            values = (to_ms(until), job.id, job.fencing_token)
            db.execute(f"UPDATE jobs SET leased_until = ? WHERE {HAS_LEASE}", values)
            return db.changes() > 0

    def finish(self, job: Job) -> bool:
        with self._database.transaction():
            if self._update(f"DELETE FROM jobs WHERE {HAS_LEASE} AND rerun = 0", job.id, job.fencing_token):
                return True
            rerun = (
                "UPDATE jobs SET state = 'ready', attempts = 0, rerun = 0, leased_until = NULL, reason = NULL"
            )
            return self._update(f"{rerun} WHERE {HAS_LEASE}", job.id, job.fencing_token)

    def postpone(self, job: Job, *, run_at: datetime, reason: Reason) -> bool:
        change = "UPDATE jobs SET state = 'ready', leased_until = NULL, run_at = ?, reason = ?"
        return self._update(
            f"{change} WHERE {HAS_LEASE}", to_ms(run_at), encode_reason(reason), job.id, job.fencing_token
        )

    def dead_letter(self, job: Job, *, reason: Reason) -> bool:
        # If the job was enqueued again while it ran, it gets another attempt.
        state = "CASE rerun WHEN 1 THEN 'ready' ELSE 'dead' END"
        change = f"UPDATE jobs SET state = {state}, leased_until = NULL, reason = ?"
        return self._update(f"{change} WHERE {HAS_LEASE}", encode_reason(reason), job.id, job.fencing_token)

    def retry(self, scope: Scope, *, job_id: int | None = None, now: datetime) -> int:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE jobs SET state = 'ready', attempts = 0, reason = NULL, run_at = ?3"
                " WHERE user_no = ?1 AND state = 'dead' AND (?2 IS NULL OR no = ?2)",
                (self._database.user_number(db, scope.user), job_id, to_ms(now)),
            )
            return db.changes()

    def run_now(self, *, now: datetime) -> int:
        waiting = "state = 'ready' AND attempts = 0 AND run_at > ?1"
        with self._database.reader() as db:
            if not fetch_number(db, f"SELECT EXISTS (SELECT 1 FROM jobs WHERE {waiting})", (to_ms(now),)):
                return 0
        with self._database.transaction() as db:
            db.execute(f"UPDATE jobs SET run_at = ?1 WHERE {waiting}", (to_ms(now),))
            return db.changes()

    def retry_dead(self, kind: JobKind, *, now: datetime) -> int:
        with self._database.transaction() as db:
            db.execute(
                "UPDATE jobs SET state = 'ready', attempts = 0, reason = NULL, run_at = ?"
                " WHERE state = 'dead' AND kind = ?",
                (to_ms(now), kind),
            )
            return db.changes()

    def list(self, scope: Scope, *, limit: int = 100) -> Sequence[Job]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                f"SELECT {JOB_COLUMNS} FROM jobs j JOIN users u ON u.no = j.user_no"
                " WHERE j.user_no = ? ORDER BY j.no LIMIT ?",
                (self._database.user_number(db, scope.user), limit),
            )
        return [_to_job(row) for row in rows]

    def count_by_state(self, scope: Scope) -> dict[tuple[JobKind, JobState], int]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT kind, state, count(*) FROM jobs WHERE user_no = ? GROUP BY kind, state",
                (self._database.user_number(db, scope.user),),
            )
        return {(JobKind(kind), JobState(state)): count for kind, state, count in rows}

    def count_outstanding(self, *, now: datetime) -> int:
        with self._database.reader() as db:
            due = "state = 'leased' OR (state = 'ready' AND run_at <= ?)"
            return fetch_number(db, f"SELECT count(*) FROM jobs WHERE {due}", (to_ms(now),))

    def next_due(self) -> datetime | None:
        with self._database.reader() as db:
            row = fetch_one(
                db,
                "SELECT min(due) FROM (SELECT min(run_at) AS due FROM jobs WHERE state = 'ready'"
                " UNION ALL SELECT min(leased_until) FROM jobs WHERE state = 'leased')",
            )
        return from_ms_or_none(row[0]) if row else None

    def _update(self, sql: str, *values: str | int) -> bool:
        with self._database.transaction() as db:
            db.execute(sql, values)
            return db.changes() > 0


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
