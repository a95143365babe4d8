"""init, migrate and move."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.cli.runner import InProcessCli
from tests.postgres_server import create_empty_database, database_name, drop_database

from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.scope import Scope
from recollect.testing.builders import ANA, a_message


@pytest.fixture
def empty_database(tmp_path: Path) -> Iterator[str]:
    name = database_name(tmp_path)
    yield create_empty_database(name)
    drop_database(name)


def fetch(url: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture(params=["sqlite", "postgres"])
def empty_db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "new.db")
    url: str = request.getfixturevalue("empty_database")
    return url


def test_migrations_are_listed_before_they_are_applied(cli: InProcessCli, empty_db: str) -> None:
    words = ("--db", empty_db, "--json", "migrate")
    planned = cli.run_raw(*words, "--dry-run").payload
    applied = cli.run_raw(*words).payload
    again = cli.run_raw("--db", empty_db, "migrate")

    assert planned["migrations"] == applied["migrations"] != []
    assert again.stdout == "The schema is up to date.\n"


def test_a_database_is_initialized_once(cli: InProcessCli, empty_db: str) -> None:
    first = cli.run_raw("--db", empty_db, "init")
    again = cli.run_raw("--db", empty_db, "init")

    assert (first.exit_code, again.exit_code) == (0, 4)
    assert "has a schema already" in again.stderr


def test_a_newer_schema_is_refused(cli: InProcessCli, empty_database: str) -> None:
    cli.run_raw("--db", empty_database, "init")
    with psycopg.connect(empty_database) as connection:
        connection.execute("INSERT INTO migrations VALUES (9999, 'from_the_future')")
    results = [
        cli.run_raw("--db", empty_database, *words) for words in (("migrate", "--dry-run"), ("worker",))
    ]

    assert [result.exit_code for result in results] == [1, 1]
    assert all("schema 9999" in result.stderr for result in results)


def test_tables_of_user_data_have_partitions(cli: InProcessCli, empty_database: str) -> None:
    cli.run_raw("--db", empty_database, "init", "--partitions", "4")
    store = PostgresStore(empty_database)
    for user in (ANA, "bruno", "carla"):
        store.messages.add(a_message("Hello", user=user), ())
    texts = [message.content for message in store.messages.list(Scope(ANA))]
    sizes = store.maintenance.stats(Scope(ANA)).sizes
    store.close()
    partitions = fetch(
        empty_database,
        "SELECT inhparent::regclass::text, count(*) FROM pg_inherits JOIN pg_class ON oid = inhparent"
        " WHERE relkind = 'p' GROUP BY 1 HAVING count(*) <> 4",
    )

    assert texts == ["Hello"]
    assert partitions == []
    assert fetch(empty_database, "SELECT relkind FROM pg_class WHERE relname = 'jobs'") == [("r",)]
    assert sizes["messages"] > 0
    assert fetch(empty_database, "SELECT count(*) FROM messages") == [(0,)]


def test_partitions_and_citus_need_what_they_need(cli: InProcessCli, empty_database: str) -> None:
    on_file = cli("init", "--partitions", "4")
    without_citus = cli.run_raw("--db", empty_database, "init", "--citus")
    both = cli.run_raw("--db", empty_database, "init", "--citus", "--partitions", "4")

    assert (on_file.exit_code, without_citus.exit_code, both.exit_code) == (2, 4, 2)
    assert "CREATE EXTENSION citus" in without_citus.stderr
    assert fetch(empty_database, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_tables_are_distributed_by_user_before_those_that_refer_to_them(
    cli: InProcessCli, empty_database: str
) -> None:
    """The function of Citus is replaced by one that notes its calls."""
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE distributed (no serial, name text, key text, colocated text)")
        connection.execute(
            "CREATE FUNCTION create_distributed_table(t regclass, k text, colocate_with text DEFAULT 'default')"
            " RETURNS void LANGUAGE sql AS"
            " 'INSERT INTO distributed (name, key, colocated) VALUES (t::text, k, colocate_with)'"
        )
    # Only an administrator may store a setting of an extension that is not loaded.
    url = f"{empty_database}&options=-c%20citus.propagate_set_commands%3Dlocal"
    result = cli.run_raw("--db", url, "init", "--citus")
    calls = fetch(empty_database, "SELECT name, key, colocated FROM distributed ORDER BY no")
    names = [str(name) for name, _, _ in calls]
    references = fetch(
        empty_database,
        "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'",
    )

    assert result.exit_code == 0
    assert {key for _, key, _ in calls} == {"user_id"}
    assert [colocated for _, _, colocated in calls] == ["default", *["users"] * (len(calls) - 1)]
    assert {"users", "messages", "memories", "vectors"} <= set(names)
    assert not {"jobs", "sessions", "migrations"} & set(names)
    assert all(names.index(str(parent)) <= names.index(str(child)) for child, parent in references)


def test_a_move_that_is_killed_goes_on_and_loses_nothing(cli: InProcessCli, empty_database: str) -> None:
    for user in ("ana", "bruno", "carla", "default"):
        for number in range(20):
            cli("--user", user, "add", f"note {number} of {user}")
    words = ["move", "--from", str(cli.db), "--to", empty_database, "--json"]
    for wait in (0.7, 0.9, 1.1, 1.3):
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = cli.run_raw(*words).payload
    stored = cli.json("--user", "carla", "memories", "list", "--limit", "100")["results"]
    moved = cli.run_raw(
        "--db", empty_database, "--user", "carla", "--json", "memories", "list", "--limit", "100"
    )
    back = cli.run_raw(
        "move", "--from", empty_database, "--to", str(cli.folder / "back.db"), "--json"
    ).payload

    assert last["moved_users"] + last["known_users"] == 4
    assert moved.payload["results"] == stored
    assert len(stored) == 20
    assert back["digest"] == last["digest"]


def test_a_move_from_a_file_that_does_not_exist_creates_none(cli: InProcessCli) -> None:
    result = cli.run_raw("move", "--from", str(cli.folder / "none.db"), "--to", str(cli.folder / "new.db"))

    assert result.exit_code == 3
    assert not (cli.folder / "none.db").exists()
    assert not (cli.folder / "new.db").exists()
