"""worker --processes and up --processes: several processes, each replaced when it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.postgres_server import create_database, database_name, release_database

from recollect import Memory
from recollect.testing.embedders import LetterEmbedder

WAIT_SECONDS = 60


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "memory.db")
    else:
        yield create_database(database_name(tmp_path))
        release_database(database_name(tmp_path))


@contextmanager
def run_command(folder: Path, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    settings = {**os.environ, "RECOLLECT_EMBEDDER": "hashing", "RECOLLECT_CONFIG": ""}
    command = [sys.executable, "-m", "recollect", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, cwd=folder) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        time.sleep(0.05)


def find_children(process: "subprocess.Popen[bytes]") -> list[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii")
    return [int(number) for number in listed.split()]


def test_a_worker_process_that_is_killed_is_replaced_and_the_work_is_done(db: str, tmp_path: Path) -> None:
    with (
        run_command(tmp_path, "--db", db, "worker", "--processes", "2") as parent,
        Memory(db, embedder=LetterEmbedder(), settings={"worker": False, "embedder": "hashing"}) as memory,
    ):
        wait_for(lambda: len(find_children(parent)) == 2)
        first, _ = find_children(parent)
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: len(find_children(parent)) == 2 and first not in find_children(parent))
        memory.add({"role": "user", "content": "I live in Lisbon."}, chat_id="c")
        wait_for(lambda: [each.text for each in memory.get_all()] == ["lives in Lisbon"])
        children = find_children(parent)
        parent.send_signal(signal.SIGTERM)
        code = parent.wait(30)

    assert code == 0
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_server_processes_share_a_port_and_one_that_is_killed_is_replaced(db: str, tmp_path: Path) -> None:
    words = ["--db", db, "--json", "up", "--port", "0", "--no-browser", "--no-worker", "--processes", "2"]
    with run_command(tmp_path, *words) as parent:
        assert parent.stdout is not None
        addresses = json.loads(parent.stdout.readline())
        with httpx2.Client(base_url=addresses["url"], timeout=60) as client:
            login = client.get(addresses["login"])
            victim = find_children(parent)[0]
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda: len(find_children(parent)) == 2 and victim not in find_children(parent))
            answers = [_try_get(client, "/api/memory") for _ in range(20)]
        parent.send_signal(signal.SIGTERM)
        code = parent.wait(30)

    assert login.status_code == 303
    # A connection that the killed process had accepted is lost; any other is answered.
    assert answers.count(200) >= 19
    assert code == 0


def test_children_stop_when_their_parent_is_killed(db: str, tmp_path: Path) -> None:
    with run_command(tmp_path, "--db", db, "worker", "--processes", "2") as parent:
        wait_for(lambda: len(find_children(parent)) == 2)
        children = find_children(parent)
        parent.kill()

        wait_for(lambda: not any(_is_running(child) for child in children))


def _try_get(client: httpx2.Client, path: str) -> int:
    try:
        return client.get(path).status_code
    except httpx2.TransportError:
        return 0


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_single_run_is_refused_in_several_processes(tmp_path: Path) -> None:
    words: Sequence[str] = ("--db", str(tmp_path / "m.db"), "worker", "--once", "--processes", "2")
    with run_command(tmp_path, *words) as process:
        code = process.wait(30)

    assert code == 2
