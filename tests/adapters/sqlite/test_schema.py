"""Migrations from every earlier schema with data, including failures and crashes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import apsw
import pytest

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.tokenizer import make_tokenizer
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import Scope
from recollect.errors import StoreError

TableRows: TypeAlias = dict[str, list[dict[str, object]]]

LATEST_VERSION = schema.list_migrations()[-1][0]
USER_SCOPE = Scope("ana")

INSERT_MESSAGES_SQL = """
    INSERT INTO users (no, id, created_at) VALUES (1, 'ana', 1000), (2, 'bruno', 1000);
    INSERT INTO preferences VALUES (1, 'preset', 'dev');
    INSERT INTO chats (no, user_no, id, title, created_at, updated_at)
    VALUES (1, 1, 'kitchen', 'Cooking', 1000, 2000), (2, 2, 'kitchen', NULL, 1000, 1000);
    INSERT INTO messages (no, user_no, chat_no, id, role, content, tokens, created_at, client_id, importance)
    VALUES (1, 1, 1, 'm1', 'user', 'The soup needs saffron', 5, 1000, 'c1', 40),
        (2, 1, 1, 'm2', 'assistant', 'Saffron it is', 3, 2000, NULL, NULL),
        (3, 1, 1, 'm3', 'system', 'You are a saffron cook', 5, 2000, NULL, NULL),
        (4, 2, 2, 'm4', 'user', 'No saffron for me', 4, 1000, 'c1', NULL);
    INSERT INTO message_chunks
        (no, user_no, chat_no, message_no, chunk_index, chunk_kind, content, start, tokens, created_at)
    VALUES (1, 1, 1, 1, 0, 'prose', 'needs saffron', 9, 2, 1000);
"""
INSERT_MEMORIES_SQL = """
    INSERT INTO memories (no, user_no, chat_no, id, text, kind, weight, status, origin, speaker, fact_hash,
        tokens, created_at, updated_at, last_stated_at)
    VALUES (1, 1, 1, 'f1', 'likes saffron', 'preference', 0.7, 'active', 'rules', 'user', 'h1', 2, 1000, 1000, 1000);
    INSERT INTO memory_spans VALUES (1, 1, 1, 0, 22);
    INSERT INTO memory_versions
        (user_no, memory_no, version, change, text, kind, weight, status, changed_at)
    VALUES (1, 1, 1, 'ADD', 'likes saffron', 'preference', 0.7, 'active', 1000);
    INSERT INTO conversation_summaries (no, user_no, chat_no, id, kind, text, tokens, created_at)
    VALUES (1, 1, 1, 's1', 'conversation', 'They cook with saffron', 4, 2000);
"""
INSERT_JOBS_SQL = """
    INSERT INTO jobs (user_no, kind, key, payload, state, run_at, created_at)
    VALUES (1, 'embed', 'embed', '{}', 'ready', 1000, 1000);
"""
#: Rows that each schema version introduced.
DATA_SQL_BY_VERSION = {1: INSERT_MESSAGES_SQL, 2: INSERT_MEMORIES_SQL, 4: INSERT_JOBS_SQL}


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.register_fts5_tokenizer("recollect", make_tokenizer)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def create_old_file(path: Path, version: int) -> None:
    """Create a file as that version would have written it."""
    path.touch(mode=0o600)
    connection = connect(path)
    schema.migrate(connection, path, target=version)
    for number, sql in DATA_SQL_BY_VERSION.items():
        if number <= version:
            connection.execute(sql)
    connection.close()


def read_source_rows(path: Path) -> TableRows:
    """Return every row of every table that is not derived."""
    connection = connect(path)
    shadows = ("sqlite_", "passages", "vectors", "unembedded", "embedding_models", "migrations")
    tables = [
        str(name)
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        if not str(name).startswith(shadows)
    ]
    truth = {}
    for table in tables:
        columns = [str(column[1]) for column in connection.execute(f"PRAGMA table_info({table})")]
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        truth[table] = [dict(zip(columns, row, strict=True)) for row in rows]
    connection.close()
    return truth


def find_lost_tables(before: TableRows, after: TableRows) -> list[str]:
    """Return the tables with missing or changed rows; new columns are allowed."""
    return [
        table
        for table, rows in before.items()
        if rows
        != [
            {column: row[column] for column in old}
            for old, row in zip(rows, after.get(table, []), strict=False)
        ]
    ]


def search_texts(store: SqliteStore, user: str) -> set[str]:
    scope = Scope(user)
    hits = store.search.lexical(scope, "saffron", limit=20, search_filter=SearchFilter())
    return {
        c.text
        for c in store.search.load(
            scope, [hit.passage_id for hit in hits], search_filter=SearchFilter()
        ).values()
    }


@pytest.mark.spec("E20", "U1")
def test_migrations_are_numbered_without_a_gap_and_named_after_what_they_do() -> None:
    steps = schema.list_migrations()

    assert [number for number, _, _ in steps] == list(range(1, len(steps) + 1))
    verbs = {"add", "create", "drop", "index", "link", "log", "rename"}
    assert all(name.partition("_")[0] in verbs and "_" in name for _, name, _ in steps)


@pytest.mark.spec("E20", "U1", "U6")
@pytest.mark.parametrize("version", range(1, LATEST_VERSION + 1))
def test_migrating_from_any_version_keeps_all_data_searchable(path: Path, version: int) -> None:
    create_old_file(path, version)
    before = read_source_rows(path)
    store = SqliteStore(path)
    texts = {"The soup needs saffron", "Saffron it is", "needs saffron"}
    learned = {"likes saffron", "They cook with saffron"} if version >= 2 else set()

    assert store._database._writer.pragma("user_version") == LATEST_VERSION
    assert search_texts(store, "ana") == texts | learned
    assert search_texts(store, "bruno") == {"No saffron for me"}
    assert store.vectors.count_queued("ana") == len(texts | learned)
    assert store.messages.add(store.messages.get(USER_SCOPE, "m1"), ())[1] is False
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []
    store.close()
    assert find_lost_tables(before, read_source_rows(path)) == []


def test_the_file_records_applied_migrations(path: Path) -> None:
    create_old_file(path, 2)
    store = SqliteStore(path)
    recorded = list(store._database._writer.execute("SELECT number, name FROM migrations ORDER BY number"))
    store.close()

    assert recorded == [(number, name) for number, name, _ in schema.list_migrations()]


def test_opening_a_current_file_writes_nothing(path: Path) -> None:
    create_old_file(path, LATEST_VERSION)
    SqliteStore(path).close()
    before = path.read_bytes()
    SqliteStore(path).close()

    assert path.read_bytes() == before


def interrupt_migration(path: Path) -> Iterator[int]:
    """Migrate with a failure at the first statement, then at the second, until it succeeds."""
    for stop in range(1000):
        connection = connect(path)
        run = 0

        def trace(_cursor: apsw.Cursor, _sql: str, _bindings: object, stop: int = stop) -> bool:
            nonlocal run
            run += 1
            return run <= stop

        connection.exec_trace = trace
        try:
            schema.migrate(connection, path)
        except apsw.ExecTraceAbort:
            yield stop
        else:
            return
        finally:
            connection.exec_trace = None
            connection.close()


@pytest.mark.parametrize("version", range(1, LATEST_VERSION))
def test_a_migration_that_fails_at_any_statement_leaves_the_old_version(path: Path, version: int) -> None:
    create_old_file(path, version)
    before = read_source_rows(path)
    failed = 0
    for _ in interrupt_migration(path):
        failed += 1
        connection = connect(path)
        assert connection.pragma("user_version") == version
        assert connection.execute("SELECT max(number) FROM migrations").fetchone() == (version,)
        connection.close()

    assert failed >= 4
    assert find_lost_tables(before, read_source_rows(path)) == []


KILLED_MIGRATION_PROGRAM = """
import os, signal, sys
from pathlib import Path
import apsw
from recollect.adapters.sqlite import connection
opened = connection.Database._open
seen = 0
def trace(cursor, sql, bindings):
    global seen
    seen += 1
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return True
def traced(self, pragmas):
    db = opened(self, pragmas)
    db.exec_trace = trace
    return db
connection.Database._open = traced
connection.Database(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("statement", [12, 25, 33])
def test_a_process_killed_inside_a_migration_leaves_a_file_that_opens(path: Path, statement: int) -> None:
    create_old_file(path, 1)
    before = read_source_rows(path)
    died = subprocess.run(
        [sys.executable, "-c", KILLED_MIGRATION_PROGRAM, str(path), str(statement)], check=False, timeout=60
    )

    assert died.returncode == -9
    store = SqliteStore(path)
    assert len(search_texts(store, "ana")) == 3
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []
    store.close()
    assert find_lost_tables(before, read_source_rows(path)) == []


OPEN_STORE_PROGRAM = """
import sys
from recollect.adapters.sqlite.store import SqliteStore
sys.stdin.readline()
for path in sys.argv[1:]:
    SqliteStore(path).close()
"""


def test_processes_can_migrate_the_same_file_concurrently(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.db" for n in range(8)]
    for path in paths[4:]:
        create_old_file(path, 2)
    command = [sys.executable, "-c", OPEN_STORE_PROGRAM, *map(str, paths)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    outputs = [process.communicate("go\n", timeout=120)[1] for process in processes]

    assert outputs == [""] * 3
    for path in paths:
        store = SqliteStore(path)
        assert store.maintenance.check(deep=True)[2].detail == str(LATEST_VERSION)
        assert len(search_texts(store, "ana")) == (5 if path in paths[4:] else 0)
        store.close()


def test_an_incompletely_created_file_is_completed(path: Path) -> None:
    path.write_bytes(b"")
    store = SqliteStore(path)
    store.close()

    assert path.read_bytes()[:16] == b"SQLite format 3\x00"


def test_an_error_inside_a_migration_is_translated(path: Path) -> None:
    create_old_file(path, 1)
    connection = connect(path)
    connection.execute("CREATE TABLE memories (somebody_elses INTEGER)")
    connection.close()

    with pytest.raises(StoreError, match="already exists"):
        SqliteStore(path)
