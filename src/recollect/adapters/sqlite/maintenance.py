"""Looks after the file: compares the shadows with the truth, and rebuilds them from it."""

import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import apsw

from recollect.adapters.sqlite.backup import back_up
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.errors import translated
from recollect.adapters.sqlite.rows import fetch, number
from recollect.adapters.sqlite.vectors import content_hash
from recollect.domain.scope import Scope
from recollect.errors import CorruptStore, InvalidInput, StoreError
from recollect.ports.backup import Backup, Watch
from recollect.ports.store import Finding, Stats

REPAIR = "recollect repair"
UNQUEUED = """
    FROM passages p WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.passage)
        AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.user_no = p.user_no AND u.passage = p.passage)
"""
UNINDEXED = "FROM passages p WHERE p.passage NOT IN (SELECT id FROM passages_fts_docsize)"
ORPHAN_VECTORS = "FROM vectors WHERE passage NOT IN (SELECT passage FROM passages)"
ORPHAN_PROMISES = "FROM unembedded WHERE passage NOT IN (SELECT passage FROM passages)"
ORPHAN_WORDS = "FROM passages_fts_docsize WHERE id NOT IN (SELECT passage FROM passages)"
DIFFERENCES = (ORPHAN_VECTORS, ORPHAN_PROMISES, ORPHAN_WORDS, UNQUEUED, UNINDEXED)
#: As in the migration that made it: an index that was dropped can be made anew.
FULLTEXT = """
    CREATE VIRTUAL TABLE IF NOT EXISTS passages_fts USING fts5 (
        text, content = 'passages', content_rowid = 'passage', tokenize = 'recollect'
    );
    INSERT INTO passages_fts (passages_fts, rank) VALUES ('secure-delete', 1);
    INSERT INTO passages_fts (passages_fts) VALUES ('rebuild');
"""
#: Pages of the index put together in one go: some milliseconds, for which writers wait.
PAGES = 64
#: Rows that FTS5 changes when there was something to put together.
WORKED = 2
PARTS = {
    "messages": ("messages", "messages_%", "sqlite_autoindex_messages_%"),
    "chunks": ("message_chunks", "chunks_%", "sqlite_autoindex_message_chunks_%"),
    "memories": ("memories", "memory_%", "memories_%", "spans_%", "versions_%", "sqlite_autoindex_memor%"),
    "embeddings": ("vectors", "vectors_%", "unembedded"),
    "fts": ("passages_fts%",),
    "receipts": ("receipts", "receipts_%", "sqlite_autoindex_receipts_%"),
}


class SqliteUpkeep:
    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, *, deep: bool = False) -> Sequence[Finding]:
        return [
            *_as_far_as_it_goes(self._file(deep=deep), fix="restore a backup"),
            *_as_far_as_it_goes(self._shadows(deep=deep), fix=REPAIR),
        ]

    def sync(self) -> int:
        # Looked for without the write lock: at 100,000 passages this takes a moment.
        with self._database.reading() as db:
            if not number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'passages_fts'"):
                return self.rebuild("fulltext")
            stale = list(_stale(db))
            differs = stale or any(number(db, f"SELECT EXISTS (SELECT 1 {what})") for what in DIFFERENCES)
        if not differs:
            return 0
        with self._database.transaction() as db:
            for passage, user_no in stale:
                db.execute("DELETE FROM vectors WHERE passage = ?", (passage,))
                db.execute("INSERT OR IGNORE INTO unembedded VALUES (?, ?)", (user_no, passage))
            changes = len(stale) + number(db, f"SELECT count(*) {ORPHAN_WORDS}")
            if changes > len(stale):
                # FTS5 can take out only what it is told word by word, and these words are gone.
                db.execute(FULLTEXT)
            for sql in (
                f"DELETE {ORPHAN_VECTORS}",
                f"DELETE {ORPHAN_PROMISES}",
                f"INSERT INTO unembedded (user_no, passage) SELECT p.user_no, p.passage {UNQUEUED}",
                f"INSERT INTO passages_fts (rowid, text) SELECT p.passage, p.text {UNINDEXED}",
            ):
                db.execute(sql)
                changes += db.changes()
        return changes

    def rebuild(self, shadow: str) -> int:
        with self._database.transaction() as db:
            if shadow == "fulltext":
                db.execute(FULLTEXT)
            elif shadow == "vectors":
                db.execute("DELETE FROM vectors")
                db.execute("INSERT OR IGNORE INTO unembedded SELECT user_no, passage FROM passages")
            else:
                raise InvalidInput(f"There is no shadow {shadow!r}. Choose fulltext or vectors.")
            return number(db, "SELECT count(*) FROM passages")

    def tidy(self) -> int:
        # With a negative number FTS5 begins to make one piece of all; with a positive one it goes on with that.
        steps = 0
        while self._merge(PAGES if steps else -PAGES):
            steps += 1
        return steps

    def _merge(self, pages: int) -> bool:
        """Whether there was something to put together."""
        with self._database.transaction(durable=False) as db:
            before = db.total_changes()
            db.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('merge', ?)", (pages,))
            return db.total_changes() - before >= WORKED

    def stats(self, scope: Scope) -> Stats:
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            counts = {
                table: number(db, f"SELECT count(*) FROM {table} WHERE user_no = ?", (user_no,))
                for table in (
                    "messages",
                    "chats",
                    "message_chunks",
                    "conversation_summaries",
                    "vectors",
                    "unembedded",
                )
            }
            memories = "SELECT count(*) FROM memories WHERE user_no = ? AND standing = 'active'"
            jobs = fetch(
                db, "SELECT kind || ' ' || state, count(*) FROM jobs WHERE user_no = ? GROUP BY 1", (user_no,)
            )
            return Stats(
                messages=counts["messages"],
                chats=counts["chats"],
                chunks=counts["message_chunks"],
                memories=number(db, memories, (user_no,)),
                summaries=counts["conversation_summaries"],
                vectors=counts["vectors"],
                pending_vectors=counts["unembedded"],
                jobs=dict(jobs),
                sizes=_sizes(db),
            )

    def backup(self, destination: str, *, now: datetime, watch: Watch | None = None) -> Backup:
        return back_up(self._database, Path(destination), now=now, watch=watch)

    def _file(self, *, deep: bool) -> Iterator[Finding]:
        if self._database.identity.has_moved:
            yield Finding(
                name="file in place",
                ok=False,
                detail="the file was deleted, moved or replaced while it was open; writes are refused",
                fix="save it with Memory.backup(NEW_FILE) or POST /api/backup before this process ends",
            )
            return
        mode = stat.S_IMODE(self._database.path.stat().st_mode)
        fix = f"chmod 600 {self._database.path}" if mode & 0o077 else None
        yield Finding(name="file mode", ok=not mode & 0o077, detail=f"{mode:o}", fix=fix)
        # FTS5 remembers the structure of its index, and this pragma does not make it look again.
        with self._database.fresh() as db:
            yield Finding(name="sqlite", ok=True, detail=apsw.sqlite_lib_version())
            yield Finding(name="schema", ok=True, detail=str(db.pragma("user_version")))
            pragma = "integrity_check" if deep else "quick_check"
            answers = [str(row[0]) for row in db.execute(f"PRAGMA {pragma}(5)")]
            ok = answers == ["ok"]
            yield Finding(
                name="integrity", ok=ok, detail="; ".join(answers), fix=None if ok else "restore a backup"
            )
            broken = len(fetch(db, "PRAGMA foreign_key_check"))
            yield Finding(name="references", ok=not broken, detail=f"{broken} broken")

    def _shadows(self, *, deep: bool) -> Iterator[Finding]:
        with self._database.reading() as db:
            passages = number(db, "SELECT count(*) FROM passages")
            indexed = number(db, "SELECT count(*) FROM passages_fts_docsize")
            yield _agreement("full text", indexed, passages)
            queued = number(db, f"SELECT count(*) {UNQUEUED}")
            yield _missing("vectors", queued, "passages have neither a vector nor a place in the queue")
            orphans = number(db, f"SELECT count(*) {ORPHAN_VECTORS}")
            yield _missing("orphan vectors", orphans, "vectors stand for nothing")
            if deep:
                yield _missing("stale vectors", sum(1 for _ in _stale(db)), "vectors are of an older text")
        if deep:
            agrees = self._fulltext_agrees()
            detail = "agrees with the text" if agrees else "disagrees with the text"
            yield Finding(name="full text content", ok=agrees, detail=detail, fix=None if agrees else REPAIR)

    def _fulltext_agrees(self) -> bool:
        """FTS5 compares the index with the text it was made from, word by word."""
        try:
            with self._database.transaction() as db:
                db.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")
        except CorruptStore:
            return False
        return True


def _as_far_as_it_goes(findings: Iterator[Finding], *, fix: str) -> Iterator[Finding]:
    """The findings, the last of which may be that one can look no further."""
    try:
        yield from findings
    except StoreError as error:
        yield Finding(name="readable", ok=False, detail=str(error.__cause__), fix=fix)


def _stale(db: apsw.Connection) -> Iterator[tuple[int, int]]:
    pairs = fetch(
        db,
        "SELECT p.passage, p.user_no, p.content, v.content_hash FROM passages p JOIN vectors v USING (passage)",
    )
    return ((passage, user_no) for passage, user_no, text, stored in pairs if content_hash(text) != stored)


def _agreement(name: str, found: int, expected: int) -> Finding:
    ok = found == expected
    return Finding(name=name, ok=ok, detail=f"{found} of {expected} passages", fix=None if ok else REPAIR)


def _missing(name: str, count: int, what: str) -> Finding:
    return Finding(name=name, ok=not count, detail=f"{count} {what}", fix=REPAIR if count else None)


def _sizes(db: apsw.Connection) -> dict[str, int]:
    with translated("sizes"):
        used: dict[str, int] = dict(fetch(db, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    sizes = {}
    for part, patterns in PARTS.items():
        names = [name for name in used if any(_like(name, pattern) for pattern in patterns)]
        sizes[part] = sum(used.pop(name) for name in names)
    sizes["other"] = sum(used.values())
    sizes["total"] = sum(sizes.values())
    return sizes


def _like(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("%") else name == pattern
