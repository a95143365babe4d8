"""Checks of the file, statistics, and repair of derived indexes against the source rows."""

import shutil
import stat
from collections.abc import Iterator, Sequence

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.errors import translate_errors
from recollect.adapters.sqlite.fulltext import (
    SELECT_WRONG_STATISTICS,
    measure_passages,
    rebuild_fulltext_index,
)
from recollect.adapters.sqlite.rows import fetch, fetch_number
from recollect.domain.diagnostics import CheckResult, StoreStats
from recollect.domain.scope import Scope
from recollect.errors import CorruptStore, InvalidInput, StoreError
from recollect.storage.passages import content_hash

REPAIR_COMMAND = "recollect maintenance repair"
FROM_UNQUEUED_PASSAGES = """
    FROM passages p WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_no = p.no)
        AND NOT EXISTS (SELECT 1 FROM embedding_queue q WHERE q.user_no = p.user_no AND q.passage_no = p.no)
"""
FROM_UNINDEXED_PASSAGES = "FROM passage_texts p WHERE p.no NOT IN (SELECT id FROM passages_fts_docsize)"
FROM_ROWS_WITHOUT_PASSAGE = """
    FROM passage_rows r WHERE NOT EXISTS (
        SELECT 1 FROM passages p WHERE p.user_no = r.user_no AND p.kind = r.kind AND p.row_no = r.row_no
    )
"""
FROM_ORPHAN_PASSAGES = "FROM passages WHERE no IN (SELECT no FROM passage_contents WHERE content IS NULL)"
FROM_ORPHAN_VECTORS = "FROM vectors WHERE passage_no NOT IN (SELECT no FROM passages)"
FROM_ORPHAN_QUEUE_ROWS = "FROM embedding_queue WHERE passage_no NOT IN (SELECT no FROM passages)"
FROM_ORPHAN_INDEX_ROWS = "FROM passages_fts_docsize WHERE id NOT IN (SELECT no FROM passages)"
INSERT_MISSING_PASSAGES = f"""
    INSERT INTO passages (no, user_no, kind, row_no, chat_no)
    SELECT r.no, r.user_no, r.kind, r.row_no, r.chat_no {FROM_ROWS_WITHOUT_PASSAGE}
"""
INSERT_UNINDEXED_PASSAGES = f"""
    INSERT INTO passages_fts (rowid, message, chunk, memory, summary)
    SELECT p.no, p.message, p.chunk, p.memory, p.summary {FROM_UNINDEXED_PASSAGES}
"""
DIFFERENCE_CLAUSES = (
    FROM_ROWS_WITHOUT_PASSAGE,
    FROM_ORPHAN_PASSAGES,
    FROM_ORPHAN_VECTORS,
    FROM_ORPHAN_QUEUE_ROWS,
    FROM_ORPHAN_INDEX_ROWS,
    FROM_UNQUEUED_PASSAGES,
    FROM_UNINDEXED_PASSAGES,
)
#: Same definition as in the schema, so that a dropped index can be created again.
#: With less free space, the next large write may fail.
LOW_DISK_BYTES = 500_000_000
#: Index pages merged per step: a few milliseconds, during which writers wait.
MERGE_PAGES = 64
#: FTS5 reports at least this many changed rows if it merged anything.
MIN_MERGE_CHANGES = 2
TABLE_PATTERNS_BY_PART = {
    "messages": ("messages", "messages_%", "sqlite_autoindex_messages_%"),
    "chunks": ("chunks", "sqlite_autoindex_chunks_%"),
    "memories": ("memories", "memory_%", "memories_%", "spans_%", "sqlite_autoindex_memor%"),
    "embeddings": ("vectors", "vectors_%", "embedding_queue"),
    "fts": ("passages_fts%",),
    "passages": ("passages", "passages_of_chat", "passage_statistics", "sqlite_autoindex_passages_%"),
    "receipts": ("receipts", "receipts_%", "sqlite_autoindex_receipts_%"),
}


class SqliteStoreMaintenance:
    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        return [
            *_report_store_errors(self._check_file(deep=deep), fix="restore a backup"),
            *_report_store_errors(self._check_indexes(deep=deep), fix=REPAIR_COMMAND),
        ]

    def stats(self, scope: Scope) -> StoreStats:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            counts = {
                table: fetch_number(db, f"SELECT count(*) FROM {table} WHERE user_no = ?", (user_no,))
                for table in (
                    "messages",
                    "chats",
                    "chunks",
                    "summaries",
                    "vectors",
                    "embedding_queue",
                )
            }
            memories = "SELECT count(*) FROM memories WHERE user_no = ? AND status = 'active'"
            jobs = fetch(
                db, "SELECT kind || ' ' || state, count(*) FROM jobs WHERE user_no = ? GROUP BY 1", (user_no,)
            )
            return StoreStats(
                messages=counts["messages"],
                chats=counts["chats"],
                chunks=counts["chunks"],
                memories=fetch_number(db, memories, (user_no,)),
                summaries=counts["summaries"],
                vectors=counts["vectors"],
                pending_vectors=counts["embedding_queue"],
                jobs=dict(jobs),
                sizes=_sizes_by_part(db),
            )

    def _check_file(self, *, deep: bool) -> Iterator[CheckResult]:
        if self._database.identity.has_moved:
            yield CheckResult(
                name="file in place",
                ok=False,
                detail="the file was deleted, moved or replaced while it was open; writes are refused",
                fix="save it with memory.maintenance.backup(NEW_FILE) or POST /api/backup before this process ends",
            )
            return
        mode = stat.S_IMODE(self._database.path.stat().st_mode)
        fix = f"chmod 600 {self._database.path}" if mode & 0o077 else None
        yield CheckResult(name="file mode", ok=not mode & 0o077, detail=f"{mode:o}", fix=fix)
        free_bytes = shutil.disk_usage(self._database.path.resolve().parent).free
        is_low = free_bytes < LOW_DISK_BYTES
        yield CheckResult(
            name="disk",
            ok=not is_low,
            detail=f"{free_bytes / 1e9:.1f} GB free",
            fix="free some space" if is_low else None,
        )
        # A new connection: FTS5 caches the structure of its index, which this pragma does not refresh.
        with self._database.new_reader() as db:
            yield CheckResult(name="sqlite", ok=True, detail=apsw.sqlite_lib_version())
            yield CheckResult(name="schema", ok=True, detail=str(db.pragma("user_version")))
            pragma = "integrity_check" if deep else "quick_check"
            results = [str(row[0]) for row in db.execute(f"PRAGMA {pragma}(5)")]
            ok = results == ["ok"]
            yield CheckResult(
                name="integrity", ok=ok, detail="; ".join(results), fix=None if ok else "restore a backup"
            )
            broken_references = len(fetch(db, "PRAGMA foreign_key_check"))
            yield CheckResult(
                name="references", ok=not broken_references, detail=f"{broken_references} broken"
            )

    def _check_indexes(self, *, deep: bool) -> Iterator[CheckResult]:
        with self._database.reader() as db:
            passages = fetch_number(db, "SELECT count(*) FROM passages")
            expected = fetch_number(db, "SELECT count(*) FROM passage_rows")
            yield _compare_counts("passages", passages, expected)
            indexed = fetch_number(db, "SELECT count(*) FROM passages_fts_docsize")
            yield _compare_counts("full text", indexed, passages)
            unqueued = fetch_number(db, f"SELECT count(*) {FROM_UNQUEUED_PASSAGES}")
            yield _expect_none("vectors", unqueued, "passages have no vector and are not queued")
            orphans = fetch_number(db, f"SELECT count(*) {FROM_ORPHAN_VECTORS}")
            yield _expect_none("orphan vectors", orphans, "orphaned vectors")
            wrong = len(fetch(db, SELECT_WRONG_STATISTICS))
            yield _expect_none("statistics", wrong, "users with wrong statistics")
            if deep:
                yield _expect_none(
                    "stale vectors", sum(1 for _ in _stale_vectors(db)), "vectors of an older text"
                )
        if deep:
            is_consistent = self._is_fulltext_consistent()
            detail = "matches the text" if is_consistent else "does not match the text"
            yield CheckResult(
                name="full text content",
                ok=is_consistent,
                detail=detail,
                fix=None if is_consistent else REPAIR_COMMAND,
            )

    def _is_fulltext_consistent(self) -> bool:
        """Return whether FTS5's integrity check finds the index consistent with the text."""
        try:
            with self._database.transaction() as db:
                db.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")
        except CorruptStore:
            return False
        return True


class SqliteIndexMaintenance:
    def __init__(self, database: Database) -> None:
        self._database = database

    def repair(self) -> int:
        # Compared without the write lock: with 100,000 passages this takes a moment.
        with self._database.reader() as db:
            if not fetch_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'passages_fts'"):
                return self.rebuild("fulltext")
            stale_vectors = list(_stale_vectors(db))
            wrong_statistics = len(fetch(db, SELECT_WRONG_STATISTICS))
            has_differences = (
                stale_vectors
                or wrong_statistics
                or any(
                    fetch_number(db, f"SELECT EXISTS (SELECT 1 {clause})") for clause in DIFFERENCE_CLAUSES
                )
            )
        if not has_differences:
            return 0
        with self._database.transaction() as db:
            for passage, user_no in stale_vectors:
                db.execute("DELETE FROM vectors WHERE passage_no = ?", (passage,))
                db.execute("INSERT OR IGNORE INTO embedding_queue VALUES (?, ?)", (user_no, passage))
            changes = len(stale_vectors) + wrong_statistics
            for sql in (INSERT_MISSING_PASSAGES, f"DELETE {FROM_ORPHAN_PASSAGES}"):
                db.execute(sql)
                changes += db.changes()
            orphan_index_rows = fetch_number(db, f"SELECT count(*) {FROM_ORPHAN_INDEX_ROWS}")
            if orphan_index_rows:
                # FTS5 needs the original text to delete an entry, and that is gone.
                rebuild_fulltext_index(db)
                changes += orphan_index_rows
            for sql in (
                f"DELETE {FROM_ORPHAN_VECTORS}",
                f"DELETE {FROM_ORPHAN_QUEUE_ROWS}",
                f"INSERT INTO embedding_queue (user_no, passage_no) SELECT p.user_no, p.no {FROM_UNQUEUED_PASSAGES}",
                INSERT_UNINDEXED_PASSAGES,
            ):
                db.execute(sql)
                changes += db.changes()
            measure_passages(db)
        return changes

    def rebuild(self, index: str) -> int:
        with self._database.transaction() as db:
            if index == "fulltext":
                rebuild_fulltext_index(db)
            elif index == "vectors":
                db.execute("DELETE FROM vectors")
                db.execute("INSERT OR IGNORE INTO embedding_queue SELECT user_no, no FROM passages")
            else:
                raise InvalidInput(f"There is no index {index!r}. Choose fulltext or vectors.")
            return fetch_number(db, "SELECT count(*) FROM passages")

    def optimize(self) -> int:
        # A negative page count starts a merge of all segments into one; a positive one continues it.
        steps = 0
        while self._merge(MERGE_PAGES if steps else -MERGE_PAGES):
            steps += 1
        return steps

    def _merge(self, pages: int) -> bool:
        """Merge some index segments; return whether there was anything to merge."""
        with self._database.transaction(durable=False) as db:
            before = db.total_changes()
            db.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('merge', ?)", (pages,))
            return db.total_changes() - before >= MIN_MERGE_CHANGES


def _report_store_errors(findings: Iterator[CheckResult], *, fix: str) -> Iterator[CheckResult]:
    """Yield the results; a store error ends them with a failed result `readable`."""
    try:
        yield from findings
    except StoreError as error:
        yield CheckResult(name="readable", ok=False, detail=str(error.__cause__), fix=fix)


def _stale_vectors(db: apsw.Connection) -> Iterator[tuple[int, int]]:
    pairs = fetch(
        db,
        "SELECT p.no, p.user_no, p.content, v.content_hash FROM passage_contents p"
        " JOIN vectors v ON v.passage_no = p.no WHERE p.content IS NOT NULL",
    )
    return ((passage, user_no) for passage, user_no, text, stored in pairs if content_hash(text) != stored)


def _compare_counts(name: str, actual: int, expected: int) -> CheckResult:
    ok = actual == expected
    return CheckResult(
        name=name, ok=ok, detail=f"{actual} of {expected} passages", fix=None if ok else REPAIR_COMMAND
    )


def _expect_none(name: str, count: int, description: str) -> CheckResult:
    return CheckResult(
        name=name, ok=not count, detail=f"{count} {description}", fix=REPAIR_COMMAND if count else None
    )


def _sizes_by_part(db: apsw.Connection) -> dict[str, int]:
    with translate_errors("sizes"):
        bytes_by_table: dict[str, int] = dict(fetch(db, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    sizes = {}
    for part, patterns in TABLE_PATTERNS_BY_PART.items():
        names = [
            name for name in bytes_by_table if any(_matches_pattern(name, pattern) for pattern in patterns)
        ]
        sizes[part] = sum(bytes_by_table.pop(name) for name in names)
    sizes["other"] = sum(bytes_by_table.values())
    sizes["total"] = sum(sizes.values())
    return sizes


def _matches_pattern(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("%") else name == pattern
