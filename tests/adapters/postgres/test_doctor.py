"""What `doctor` reports about a PostgreSQL server."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres_process import PostgresProcess

from recollect.adapters.postgres.store import PostgresStore

SETTINGS = {"listen_addresses": "", "max_connections": "20", "shared_buffers": "16MB", "fsync": "off"}


@pytest.fixture
def careless_server() -> Iterator[PostgresProcess]:
    """A server that loses data in a crash."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-doctor-"))
    process = PostgresProcess(folder, SETTINGS)
    process.start()
    yield process
    process.stop()
    shutil.rmtree(folder)


def failed_checks(url: str) -> set[str]:
    store = PostgresStore(url)
    failed = {check.name for check in store.maintenance.check(deep=True) if not check.ok}
    store.close()
    return failed


def test_a_server_in_order_passes_all_checks(store: PostgresStore) -> None:
    checks = {check.name: check for check in store.maintenance.check(deep=True)}

    assert {
        "postgresql", "pgvector", "fsync", "full_page_writes", "row-level security", "connections", "connection pool",
        "standbys", "bloat", "passages", "index content",
    } <= set(checks)  # fmt: skip
    assert all(check.ok for check in checks.values())
    assert checks["connection pool"].detail == "1 of 16 in use, 0 requests waiting"


def test_settings_that_lose_data_and_a_role_that_sees_everything_are_reported(
    careless_server: PostgresProcess,
) -> None:
    url = careless_server.create_role("recollect")

    assert failed_checks(url) == {"fsync"}
    assert failed_checks(url.replace("recollect@", "postgres@")) == {"fsync", "row-level security"}
