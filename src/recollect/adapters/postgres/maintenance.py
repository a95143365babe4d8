"""Checks of the server, statistics, and repair of derived indexes against the source rows."""

from collections.abc import Iterator, Sequence

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.passages import read_texts
from recollect.adapters.postgres.postings import (
    analyze,
    count_wrong_entries,
    index_passages,
    post_passages,
    reindex_passage,
    unindex_passages,
)
from recollect.adapters.postgres.rows import Connection, array_literal, execute, fetch, fetch_number
from recollect.adapters.postgres.vectors import delete_vectors
from recollect.domain.diagnostics import CheckResult, StoreStats
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, StoreError
from recollect.storage.passages import content_hash

REPAIR_COMMAND = "recollect maintenance repair"
#: pgvector before this release may lose entries of an HNSW index during VACUUM.
SAFE_PGVECTOR = (0, 8, 4)
#: Settings that lose acknowledged data in a crash.
DURABLE_SETTINGS = {"fsync": "on", "full_page_writes": "on"}
#: Passages repaired per transaction.
BATCH_PASSAGES = 1_000
#: Dead rows per live row above which a table is bloated.
MAX_DEAD_SHARE = 0.5
#: The rows of a user that must have a passage: number, chat and text.
PASSAGE_ROWS = """
    SELECT 4 * no AS no, chat_no FROM messages WHERE user_id = $1 AND role IN ('user', 'assistant')
    UNION ALL
    SELECT 4 * k.no + 1, m.chat_no FROM chunks k JOIN messages m ON m.user_id = k.user_id AND m.no = k.message_no
        WHERE k.user_id = $1
    UNION ALL
    SELECT 4 * no + 2, 0 FROM memories WHERE user_id = $1
    UNION ALL
    SELECT 4 * no + 3, chat_no FROM summaries WHERE user_id = $1
"""
SELECT_MISSING = f"""
    SELECT r.no, r.chat_no FROM ({PASSAGE_ROWS}) r
    WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.user_id = $1 AND p.no = r.no)
"""
SELECT_ORPHANS = f"""
    SELECT p.no FROM passages p WHERE p.user_id = $1 AND p.no NOT IN (SELECT r.no FROM ({PASSAGE_ROWS}) r)
"""
FROM_UNQUEUED = """
    FROM passages p WHERE p.user_id = $1
        AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.user_id = p.user_id AND v.passage_no = p.no)
        AND NOT EXISTS (SELECT 1 FROM embedding_queue q WHERE q.user_id = p.user_id AND q.passage_no = p.no)
"""
QUEUE_UNQUEUED = f"INSERT INTO embedding_queue (user_id, passage_no) SELECT p.user_id, p.no {FROM_UNQUEUED}"
COUNT_STATISTICS = """
    INSERT INTO passage_statistics (user_id, passages, tokens, unposted)
    SELECT $1, count(*), coalesce(sum(length), 0), count(*) FILTER (WHERE NOT is_posted)
    FROM passages WHERE user_id = $1
    ON CONFLICT (user_id) DO UPDATE SET passages = excluded.passages, tokens = excluded.tokens,
        unposted = excluded.unposted
"""
SELECT_WRONG_STATISTICS = """
    SELECT p.passages, p.tokens FROM (
        SELECT count(*) AS passages, coalesce(sum(length), 0) AS tokens FROM passages WHERE user_id = $1
    ) p LEFT JOIN passage_statistics s ON s.user_id = $1
    WHERE (p.passages, p.tokens) IS DISTINCT FROM (coalesce(s.passages, 0), coalesce(s.tokens, 0))
"""
TABLES_BY_PART = {
    "messages": ("messages",),
    "chunks": ("chunks",),
    "memories": ("memories", "memory_spans", "memory_versions"),
    "embeddings": ("vectors", "vector_blocks", "embedding_queue", "centroids"),
    "fts": ("passages", "passage_statistics", "postings"),
    "receipts": ("receipts",),
}
#: Includes the shards of a table on Citus only where they are local; the coordinator's doctor says so.
SELECT_SIZES = """
    SELECT coalesce(p.relname, c.relname), sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace GROUP BY 1
"""
SELECT_BLOAT = """
    SELECT relname, n_dead_tup, n_live_tup FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND n_dead_tup > 10000 AND n_dead_tup > n_live_tup * $1::float8
    ORDER BY n_dead_tup DESC LIMIT 3
"""
SELECT_LAG = """
    SELECT coalesce(max(extract(epoch FROM replay_lag)), 0)::float8, count(*) FROM pg_stat_replication
"""
SELECT_CONNECTIONS = """
    SELECT (SELECT count(*) FROM pg_stat_activity), current_setting('max_connections')::int
"""
SELECT_ROLE = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


class PostgresStoreMaintenance:
    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        return [
            *_report_store_errors(self._check_server(), fix="start the database server, or check `db`"),
            *_report_store_errors(self._check_indexes(deep=deep), fix=REPAIR_COMMAND),
        ]

    def stats(self, scope: Scope) -> StoreStats:
        with self._database.reader(scope.user) as db:
            counts = {
                table: fetch_number(db, f"SELECT count(*) FROM {table} WHERE user_id = $1", (scope.user,))
                for table in ("messages", "chats", "chunks", "summaries", "vectors", "embedding_queue")
            }
            memories = "SELECT count(*) FROM memories WHERE user_id = $1 AND status = 'active'"
            jobs = fetch(
                db,
                "SELECT kind || ' ' || state, count(*) FROM jobs WHERE user_id = $1 GROUP BY 1",
                (scope.user,),
            )
            return StoreStats(
                messages=counts["messages"],
                chats=counts["chats"],
                chunks=counts["chunks"],
                memories=fetch_number(db, memories, (scope.user,)),
                summaries=counts["summaries"],
                vectors=counts["vectors"],
                pending_vectors=counts["embedding_queue"],
                jobs=dict(jobs),
                sizes=_sizes_by_part(db),
            )

    def _check_server(self) -> Iterator[CheckResult]:
        with self._database.system_reader() as db:
            [(version,)] = fetch(db, "SHOW server_version")
            yield CheckResult(name="postgresql", ok=True, detail=str(version))
            [(pgvector,)] = fetch(db, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            is_safe = tuple(map(int, str(pgvector).split("."))) >= SAFE_PGVECTOR
            fix = None if is_safe else "upgrade pgvector, then run ALTER EXTENSION vector UPDATE"
            yield CheckResult(name="pgvector", ok=is_safe, detail=str(pgvector), fix=fix)
            schema = fetch_number(db, "SELECT max(number) FROM migrations")
            yield CheckResult(name="schema", ok=True, detail=str(schema))
            for name, expected in DURABLE_SETTINGS.items():
                [(value,)] = fetch(db, f"SHOW {name}")
                ok = value == expected
                fix = (
                    None
                    if ok
                    else f"ALTER SYSTEM SET {name} = {expected}: a crash may lose acknowledged data"
                )
                yield CheckResult(name=name, ok=ok, detail=str(value), fix=fix)
            [(bypasses,)] = fetch(db, SELECT_ROLE)
            yield CheckResult(
                name="row-level security",
                ok=not bypasses,
                detail="the role bypasses it" if bypasses else "applies to the role",
                fix="connect as a role without SUPERUSER and BYPASSRLS that owns the tables"
                if bypasses
                else None,
            )
            [(used, maximum)] = fetch(db, SELECT_CONNECTIONS)
            has_free = used < 0.9 * maximum
            fix = None if has_free else "raise max_connections, or connect through PgBouncer"
            yield CheckResult(name="connections", ok=has_free, detail=f"{used} of {maximum}", fix=fix)
            in_use, size, waiting = self._database.pool_statistics()
            yield CheckResult(
                name="connection pool",
                ok=not waiting,
                detail=f"{in_use} of {size} in use, {waiting} requests waiting",
                fix="raise postgres_connections, or start more processes" if waiting else None,
            )
            [(lag, standbys)] = fetch(db, SELECT_LAG)
            yield CheckResult(name="standbys", ok=True, detail=f"{standbys}, replay lag {lag:.1f} s")
            bloated = fetch(db, SELECT_BLOAT, (MAX_DEAD_SHARE,))
            yield CheckResult(
                name="bloat",
                ok=not bloated,
                detail=", ".join(f"{table}: {dead} dead rows" for table, dead, _ in bloated) or "none",
                fix="check that autovacuum runs, or run VACUUM" if bloated else None,
            )

    def _check_indexes(self, *, deep: bool) -> Iterator[CheckResult]:
        missing = orphans = unqueued = wrong_statistics = stale = 0
        with self._database.system_reader() as db:
            for user in _users(db):
                missing += len(fetch(db, SELECT_MISSING, (user,)))
                orphans += len(fetch(db, SELECT_ORPHANS, (user,)))
                unqueued += fetch_number(db, f"SELECT count(*) {FROM_UNQUEUED}", (user,))
                wrong_statistics += len(fetch(db, SELECT_WRONG_STATISTICS, (user,)))
                if deep:
                    stale += len(_stale_passages(db, user)) + len(_stale_vectors(db, user))
                    stale += count_wrong_entries(db, user)
        yield _expect_none("passages", missing, "rows without a passage")
        yield _expect_none("orphan passages", orphans, "passages without a row")
        yield _expect_none("vectors", unqueued, "passages have no vector and are not queued")
        yield _expect_none("statistics", wrong_statistics, "users with wrong statistics")
        if deep:
            yield _expect_none("index content", stale, "index entries or vectors of an older text")


class PostgresIndexMaintenance:
    def __init__(self, database: Database) -> None:
        self._database = database

    def repair(self) -> int:
        with self._database.system_reader() as db:
            users = _users(db)
        return sum(self._repair_user(user) for user in users)

    def _repair_user(self, user: str) -> int:
        with self._database.transaction(user) as db:
            missing = fetch(db, SELECT_MISSING, (user,))
            _index_rows(db, user, missing)
            orphans = [no for (no,) in fetch(db, SELECT_ORPHANS, (user,))]
            unindex_passages(db, user, orphans)
            stale_vectors = _stale_vectors(db, user)
            if stale_vectors:
                delete_vectors(db, user, stale_vectors)
            stale = _stale_passages(db, user)
            for passage, text in stale.items():
                reindex_passage(db, user, passage, text)
            wrong_entries = count_wrong_entries(db, user)
            if wrong_entries:
                _post_again(db, user)
            queued = execute(db, QUEUE_UNQUEUED, (user,))
            wrong_statistics = len(fetch(db, SELECT_WRONG_STATISTICS, (user,)))
            if wrong_statistics:
                execute(db, COUNT_STATISTICS, (user,))
        changes = len(missing) + len(orphans) + len(stale) + max(queued, len(stale_vectors))
        return changes + wrong_statistics + wrong_entries

    def rebuild(self, index: str) -> int:
        if index not in {"fulltext", "vectors"}:
            raise InvalidInput(f"There is no index {index!r}. Choose fulltext or vectors.")
        with self._database.system_reader() as db:
            users = _users(db)
        return sum(self._rebuild_user(user, index) for user in users)

    def _rebuild_user(self, user: str, index: str) -> int:
        with self._database.transaction(user) as db:
            if index == "vectors":
                execute(db, "DELETE FROM vectors WHERE user_id = $1", (user,))
                execute(db, "DELETE FROM vector_blocks WHERE user_id = $1", (user,))
                execute(db, "DELETE FROM centroids WHERE user_id = $1", (user,))
                execute(db, QUEUE_UNQUEUED, (user,))
            else:
                _index_rows(db, user, fetch(db, SELECT_MISSING, (user,)))
                unindex_passages(db, user, [no for (no,) in fetch(db, SELECT_ORPHANS, (user,))])
                numbers = [no for (no,) in fetch(db, "SELECT no FROM passages WHERE user_id = $1", (user,))]
                for start in range(0, len(numbers), BATCH_PASSAGES):
                    _write_terms(db, user, read_texts(db, user, numbers[start : start + BATCH_PASSAGES]))
                _post_again(db, user)
                execute(db, COUNT_STATISTICS, (user,))
            return fetch_number(db, "SELECT count(*) FROM passages WHERE user_id = $1", (user,))

    def optimize(self) -> int:
        with self._database.system_reader() as db:
            users = _users(db)
        steps = 0
        for user in users:
            while self._post(user):
                steps += 1
        return steps

    def _post(self, user: str) -> int:
        with self._database.transaction(user) as db:
            return post_passages(db, user)


def index_missing_passages(db: Connection, user: str) -> int:
    """Index rows that have no passage, and queue passages without a vector; return how many rows."""
    missing = fetch(db, SELECT_MISSING, (user,))
    _index_rows(db, user, missing)
    execute(db, QUEUE_UNQUEUED, (user,))
    return len(missing)


def _users(db: Connection) -> list[str]:
    rows = fetch(
        db, "/* all users: checks and repair go through them */ SELECT user_id FROM users ORDER BY no"
    )
    return [user for (user,) in rows]


def _index_rows(db: Connection, user: str, rows: Sequence[tuple[int, int]]) -> None:
    chats = dict(rows)
    for start in range(0, len(rows), BATCH_PASSAGES):
        texts = read_texts(db, user, [no for no, _ in rows[start : start + BATCH_PASSAGES]])
        index_passages(db, user, [(passage, chats[passage], text) for passage, text in texts.items()])


def _post_again(db: Connection, user: str) -> None:
    """Write the postings of a user anew."""
    execute(db, "DELETE FROM postings WHERE user_id = $1", (user,))
    execute(db, "UPDATE passages SET is_posted = false WHERE user_id = $1 AND is_posted", (user,))
    while post_passages(db, user):
        pass


def _write_terms(db: Connection, user: str, texts: dict[int, str]) -> None:
    for passage, text in texts.items():
        length, terms = analyze(user, text)
        execute(
            db,
            "UPDATE passages SET length = $3, terms = $4::text::bigint[] WHERE user_id = $1 AND no = $2",
            (user, passage, length, array_literal(terms)),
        )


def _stale_passages(db: Connection, user: str) -> dict[int, str]:
    """Return the texts of passages whose index entry is not of that text."""
    entries = {
        no: (length, terms)
        for no, length, terms in fetch(
            db, "SELECT no, length, terms FROM passages WHERE user_id = $1", (user,)
        )
    }
    texts = read_texts(db, user, entries)
    return {passage: text for passage, text in texts.items() if entries[passage] != analyze(user, text)}


def _stale_vectors(db: Connection, user: str) -> list[int]:
    hashes: dict[int, int] = dict(
        fetch(db, "SELECT passage_no, content_hash FROM vectors WHERE user_id = $1", (user,))
    )
    return [no for no, text in read_texts(db, user, hashes).items() if hashes[no] != content_hash(text)]


def _report_store_errors(findings: Iterator[CheckResult], *, fix: str) -> Iterator[CheckResult]:
    """Yield the results; a store error ends them with a failed result `readable`."""
    try:
        yield from findings
    except StoreError as error:
        yield CheckResult(name="readable", ok=False, detail=str(error.__cause__ or error), fix=fix)


def _expect_none(name: str, count: int, description: str) -> CheckResult:
    return CheckResult(
        name=name, ok=not count, detail=f"{count} {description}", fix=REPAIR_COMMAND if count else None
    )


def _sizes_by_part(db: Connection) -> dict[str, int]:
    bytes_by_table: dict[str, int] = dict(fetch(db, SELECT_SIZES))
    sizes = {
        part: sum(bytes_by_table.pop(table, 0) for table in tables) for part, tables in TABLES_BY_PART.items()
    }
    sizes["other"] = sum(bytes_by_table.values())
    sizes["total"] = sum(sizes.values())
    return sizes
