"""A database that goes away: writes are refused at once, recalls are degraded, and all recovers when it returns."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.postgres_process import PostgresProcess
from tests.server.live_server import LiveServer, run_server

SETTINGS = {"listen_addresses": "", "max_connections": "50", "shared_buffers": "16MB", "fsync": "off"}
#: Longest time that a request may take while the database is away: the wait for a connection, on a busy machine.
MAX_SECONDS = 12.0


@pytest.fixture
def database() -> Iterator[PostgresProcess]:
    folder = Path(tempfile.mkdtemp(prefix="recollect-outage-"))
    process = PostgresProcess(folder, SETTINGS)
    process.start()
    yield process
    process.stop()
    shutil.rmtree(folder)


@pytest.fixture
def server(database: PostgresProcess, tmp_path: Path) -> Iterator[LiveServer]:
    with run_server(tmp_path, db=database.create_role("recollect")) as opened:
        yield opened


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not recover"
        time.sleep(0.1)


def test_an_outage_is_answered_at_once_and_ends_by_itself(
    database: PostgresProcess, server: LiveServer
) -> None:
    with server.client() as client:
        stored = client.post("/api/memory", json={"content": "I am vegetarian."})
        server.drain_jobs()
        database.kill()
        # The processes of open connections notice it a moment later.
        wait_for(lambda: client.get("/ready").status_code == 503)
        started = time.monotonic()
        write = client.post("/api/memory", json={"content": "I live in Lisbon."})
        ready = client.get("/ready")
        seconds = time.monotonic() - started
        started = time.monotonic()
        later = [client.post("/api/memory", json={"content": "I live in Porto."}) for _ in range(5)]
        later_seconds = time.monotonic() - started
        alive = client.get("/health")
        recalled = client.post("/api/memory/context", json={"query": "What can I cook?"})
        database.start()
        wait_for(lambda: client.get("/ready").status_code == 200)
        written = client.post("/api/memory", json={"content": "I live in Braga."})
        server.drain_jobs()
        memories = client.get("/api/memory").json()["results"]

    assert (stored.status_code, write.status_code, ready.status_code, alive.status_code) == (
        201,
        503,
        503,
        200,
    )
    assert write.headers["Retry-After"] == ready.headers["Retry-After"] == "1"
    assert seconds < MAX_SECONDS
    assert {answer.status_code for answer in later} == {503}
    assert later_seconds < MAX_SECONDS
    assert recalled.status_code in {200, 503}
    assert written.status_code == 201
    assert sorted(each["memory"] for each in memories) == ["I am vegetarian.", "I live in Braga."]
