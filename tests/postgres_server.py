"""
A PostgreSQL server for tests: started once per test process, on a unix socket, and stopped when the process ends.

`RECOLLECT_TEST_POSTGRES=postgresql://…` names another server instead. Its role must be allowed to create databases, and
pgvector must be installed there. Processes that a test starts inherit the variable, and so use the same server.
"""

import atexit
import hashlib
import os
import shutil
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from tests.postgres_process import VARIABLE, PostgresFailed, PostgresProcess

from recollect.adapters.postgres.store import PostgresStore

ROLE = "recollect_test"
TEMPLATE = "recollect_template"
DATABASE_PREFIX = "recollect_test_"
#: Which test has which database; one without a name is free.
CREATE_LIST = """
    CREATE TABLE IF NOT EXISTS test_databases (
        number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE
    )
"""
TAKE_DATABASE = """
    UPDATE test_databases SET name = %s
    WHERE number = (SELECT number FROM test_databases WHERE name IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING number
"""
EMPTY_TABLES = """
    DO $$
    DECLARE
        name text;
        filled text[] := '{}';
        has_rows boolean;
    BEGIN
        SET LOCAL recollect.all_users = 'on';
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
            EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', name) INTO has_rows;
            IF has_rows THEN filled := filled || quote_ident(name); END IF;
        END LOOP;
        IF filled <> '{}' THEN EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE'; END IF;
    END
    $$
"""
#: Data files in memory: their fsync takes no time.
MEMORY_FOLDER = Path("/dev/shm")
SERVER_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "autovacuum": "off",
}


def server_url() -> str:
    """Return the URL of a database with the list of the tests' databases, as the role that owns them."""
    return os.environ.get(VARIABLE) or _start_server()


def create_database(name: str) -> str:
    """Take an empty database for this name, unless it has one; return its URL."""
    url = server_url()
    _prepare(url)
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT number FROM test_databases WHERE name = %s", (name,)).fetchone()
        row = row or connection.execute(TAKE_DATABASE, (name,)).fetchone()
        if row is None:
            row = connection.execute(
                "INSERT INTO test_databases (name) VALUES (%s) RETURNING number", (name,)
            ).fetchone()
            assert row is not None
            statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            database = sql.Identifier(f"{DATABASE_PREFIX}{row[0]}")
            connection.execute(statement.format(database, sql.Identifier(TEMPLATE)))
    return _with_database(url, f"{DATABASE_PREFIX}{row[0]}")


def release_database(name: str) -> None:
    """Empty the database of this name and let another test take it: creating one takes a hundred times as long."""
    url = server_url()
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT number FROM test_databases WHERE name = %s", (name,)).fetchone()
        if row is None:
            return
        with psycopg.connect(_with_database(url, f"{DATABASE_PREFIX}{row[0]}"), autocommit=True) as database:
            database.execute(EMPTY_TABLES)
        connection.execute("UPDATE test_databases SET name = NULL WHERE number = %s", (row[0],))


def create_empty_database(name: str) -> str:
    """Create a database without a schema; return its URL."""
    drop_database(name)
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return _with_database(server_url(), name)


def drop_database(name: str) -> None:
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def database_name(folder: Path) -> str:
    """Return the name of the database that belongs to a test's folder."""
    return "test_" + hashlib.sha256(str(folder).encode()).hexdigest()[:20]


def _exists(connection: "psycopg.Connection[tuple[object, ...]]", name: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is not None


@cache
def _prepare(url: str) -> None:
    """Create the template of all tests' databases, and the list of these."""
    with psycopg.connect(url, autocommit=True) as connection:
        # Processes that share a server do this once.
        connection.execute("SELECT pg_advisory_lock(1)")
        connection.execute(CREATE_LIST)
        if not _exists(connection, TEMPLATE):
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
        PostgresStore(_with_database(url, TEMPLATE)).close()


def _with_database(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()


@cache
def _start_server() -> str:
    folder = Path(
        tempfile.mkdtemp(prefix="recollect-postgres-", dir=MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None)
    )
    try:
        server = PostgresProcess(folder, SERVER_SETTINGS)
        server.start()
    except PostgresFailed as error:
        pytest.exit(str(error), returncode=3)
    atexit.register(_stop_server, server, os.getpid())
    url = server.create_role(ROLE)
    os.environ[VARIABLE] = url
    return url


def _stop_server(server: PostgresProcess, process: int) -> None:
    if os.getpid() != process:
        # A forked child has a copy of this registration.
        return
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdout.write(f"{server_url()}\n")
    sys.stdout.flush()
    signal.pause()
