"""Through PgBouncer in transaction mode: each transaction may have another connection of the server."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.scope import Scope
from recollect.testing.builders import a_memory, a_message

PORT = 6432
CONFIGURATION = """
[databases]
{database} = {target}
[pgbouncer]
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 100
"""
MISSING = "The tests need PgBouncer. Install the system's package `pgbouncer` (scripts/setup --dev does)."


@pytest.fixture
def pooled_url(url: str) -> Iterator[str]:
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.fail(MISSING)
    parameters = psycopg.conninfo.conninfo_to_dict(url)
    folder = Path(tempfile.mkdtemp(prefix="recollect-pgbouncer-"))
    target = " ".join(f"{name}={value}" for name, value in parameters.items())
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(
        CONFIGURATION.format(database=parameters["dbname"], target=target, port=PORT, folder=folder), "utf-8"
    )
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:
        # It refuses to run as root.
        account = pwd.getpwnam("nobody")
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        for path in (folder, configuration):
            os.chown(path, account.pw_uid, account.pw_gid)
    with subprocess.Popen(
        [program, "-q", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **identity
    ) as process:
        pooled = f"postgresql://{parameters['user']}@/{parameters['dbname']}?host={folder}&port={PORT}"
        _wait_until_ready(pooled)
        yield pooled
        process.send_signal(signal.SIGTERM)
    shutil.rmtree(folder)


def _wait_until_ready(url: str) -> None:
    for attempt in range(200):
        try:
            psycopg.connect(url, prepare_threshold=None).close()
        except psycopg.OperationalError:
            if attempt == 199:
                raise
            time.sleep(0.05)
        else:
            return


def test_transactions_of_many_users_share_three_connections_of_the_server(pooled_url: str) -> None:
    store = PostgresStore(pooled_url, prepares=False, pool_size=16)
    users = [f"user{number}" for number in range(12)]

    def use(user: str) -> tuple[list[str], list[str]]:
        for number in range(10):
            store.messages.add(a_message(f"Message {number} of {user}", user=user), ())
            store.memories.add(a_memory(f"likes number {number} and {user}", user=user))
        scope = Scope(user)
        return (
            [message.content for message in store.messages.list(scope)],
            [memory.text for memory in store.memories.list(scope)],
        )

    with ThreadPoolExecutor(len(users)) as pool:
        found = dict(zip(users, pool.map(use, users), strict=True))
    server_connections = _count_connections(pooled_url)
    failed = [check.name for check in store.maintenance.check() if not check.ok]
    store.close()

    assert {user: len(texts) for user, (texts, _) in found.items()} == dict.fromkeys(users, 10)
    assert all(user in text.split() for user, (texts, _) in found.items() for text in texts)
    assert all(text.endswith(user) for user, (_, texts) in found.items() for text in texts)
    assert server_connections <= 3
    assert failed == []


def _count_connections(url: str) -> int:
    with psycopg.connect(url, prepare_threshold=None) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        ).fetchone()
        assert row is not None
        return int(row[0])
