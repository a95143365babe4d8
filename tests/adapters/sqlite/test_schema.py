"""Migrations from every earlier schema with data, including failures and crashes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.errors import OutdatedStore, StoreError

LATEST_VERSION = schema.list_migrations()[-1][0]
#: A file as a version before 0.1 left it: the same application, another first migration.
OUTDATED_FILE_SQL = """
    CREATE TABLE users (no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL);
    CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    INSERT INTO migrations (number, name) VALUES (1, 'create_messages');
    PRAGMA user_version = {version};
    PRAGMA application_id = {application_id}
"""


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    register_fulltext(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


@pytest.mark.spec("E20", "U1")
def test_migrations_are_numbered_without_a_gap_and_named_after_what_they_do() -> None:
    steps = schema.list_migrations()

    assert [number for number, _, _ in steps] == list(range(1, len(steps) + 1))
    verbs = {"add", "create", "drop", "index", "link", "log", "rename"}
    assert all(name.partition("_")[0] in verbs and "_" in name for _, name, _ in steps)


@pytest.mark.spec("E20", "U1", "U6")
@pytest.mark.parametrize("version", [1, 11])
def test_a_file_from_before_the_first_release_is_refused_and_not_changed(path: Path, version: int) -> None:
    connection = connect(path)
    connection.execute(OUTDATED_FILE_SQL.format(version=version, application_id=schema.APPLICATION_ID))
    connection.close()
    before = path.read_bytes()

    with pytest.raises(OutdatedStore, match=r"recollect export.*recollect --db NEW_FILE import"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_the_file_records_applied_migrations(path: Path) -> None:
    store = SqliteStore(path)
    recorded = list(store._database._writer.execute("SELECT number, name FROM migrations ORDER BY number"))
    store.close()

    assert recorded == [(number, name) for number, name, _ in schema.list_migrations()]


def test_opening_a_current_file_writes_nothing(path: Path) -> None:
    SqliteStore(path).close()
    before = path.read_bytes()
    SqliteStore(path).close()

    assert path.read_bytes() == before


def test_a_file_of_the_first_release_gets_the_statistics_of_its_users(path: Path) -> None:
    connection = connect(path)
    _, name, sql = schema.list_migrations()[0]
    schema._apply_migration(connection, 1, name, sql)
    connection.execute(
        """
        INSERT INTO users VALUES (1, 'ana', 0), (2, 'bruno', 0);
        INSERT INTO chats (no, user_no, id, created_at, updated_at) VALUES (1, 1, 'c', 0, 0), (2, 2, 'c', 0, 0);
        INSERT INTO messages (user_no, chat_no, id, role, content, tokens, created_at) VALUES
            (1, 1, 'a', 'user', 'Salmon soup with salt', 4, 0), (1, 1, 'b', 'user', 'Bread', 1, 0),
            (2, 2, 'c', 'user', 'Salt', 1, 0), (2, 2, 'd', 'system', 'Be brief', 2, 0);
        """
    )
    connection.close()
    path.chmod(0o600)
    store = SqliteStore(path)
    statistics = list(store._database._writer.execute("SELECT * FROM passage_statistics"))
    checks = store.maintenance.check(deep=True)
    store.close()

    # Each passage has one term more than its words: the marker of its chat.
    assert statistics == [(1, 2, 7), (2, 1, 2)]
    assert [check for check in checks if not check.ok] == []


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


def test_a_migration_that_fails_at_any_statement_leaves_an_empty_file(path: Path) -> None:
    failed = 0
    for _ in interrupt_migration(path):
        failed += 1
        connection = connect(path)
        assert connection.pragma("user_version") == 0
        assert list(connection.execute("SELECT name FROM sqlite_schema")) == []
        connection.close()

    assert failed >= 40
    SqliteStore(path).close()


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


@pytest.mark.parametrize("statement", [12, 35, 70])
def test_a_process_killed_inside_a_migration_leaves_a_file_that_opens(path: Path, statement: int) -> None:
    died = subprocess.run(
        [sys.executable, "-c", KILLED_MIGRATION_PROGRAM, str(path), str(statement)], check=False, timeout=60
    )

    assert died.returncode == -9
    store = SqliteStore(path)
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []
    store.close()


OPEN_STORE_PROGRAM = """
import sys
from recollect.adapters.sqlite.store import SqliteStore
sys.stdin.readline()
for path in sys.argv[1:]:
    SqliteStore(path).close()
"""


def test_processes_can_migrate_the_same_file_concurrently(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.db" for n in range(8)]
    command = [sys.executable, "-c", OPEN_STORE_PROGRAM, *map(str, paths)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    outputs = [process.communicate("go\n", timeout=120)[1] for process in processes]

    assert outputs == [""] * 3
    for path in paths:
        store = SqliteStore(path)
        [schema_check] = [check for check in store.maintenance.check() if check.name == "schema"]
        assert schema_check.detail == str(LATEST_VERSION)
        store.close()


def test_an_incompletely_created_file_is_completed(path: Path) -> None:
    path.write_bytes(b"")
    store = SqliteStore(path)
    store.close()

    assert path.read_bytes()[:16] == b"SQLite format 3\x00"


def test_an_error_inside_a_migration_is_translated(path: Path) -> None:
    connection = connect(path)
    connection.execute(
        f"PRAGMA application_id = {schema.APPLICATION_ID}; CREATE TABLE memories (others INTEGER)"
    )
    connection.close()

    with pytest.raises(StoreError, match="already exists"):
        SqliteStore(path)
