"""up and tokens: the server starts, says where it is, and ends when it is told to."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
from tests.cli.runner import InProcessCli


def test_the_server_says_where_it_is_and_ends_well_when_it_is_told_to(tmp_path: Path) -> None:
    words = ["--db", str(tmp_path / "m.db"), "--json", "up", "--port", "0", "--no-browser"]
    settings = {**os.environ, "RECOLLECT_EMBEDDER": "hashing", "RECOLLECT_CONFIG": ""}
    command = [sys.executable, "-m", "recollect", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, cwd=tmp_path) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        with httpx2.Client(base_url=told["url"]) as client:
            health = client.get("/health").json()
            login = client.get(told["login"])
            listed = client.get("/api/memory")
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)

    assert health == {"status": "ok"}
    assert (login.status_code, listed.status_code) == (303, 200)
    assert code == 0
    assert not (tmp_path / "m.db-wal").exists()


def test_an_address_that_others_reach_has_to_be_asked_for(cli: InProcessCli) -> None:
    answer = cli("up", "--host", "0.0.0.0", "--port", "0")

    assert answer.exit_code == 2
    assert "--public" in answer.stderr


def test_a_port_that_is_taken_is_named(cli: InProcessCli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = cli("up", "--port", str(port), "--no-browser")

    assert answer.exit_code == 2
    assert f"port {port}" in answer.stderr


def test_tokens_are_made_listed_and_revoked(cli: InProcessCli) -> None:
    own = cli.json("tokens", "own")["token"]
    made = cli.json("tokens", "add", "phone", "ana")
    listed = cli.json("tokens")["results"]

    assert own == cli("tokens", "own").stdout.strip()
    assert made["token"] != own
    assert [(each["name"], each["user_id"], each["admin"]) for each in listed] == [
        ("owner", "default", True),
        ("phone", "ana", False),
    ]
    assert cli("tokens", "add", "phone", "ana").exit_code == 2
    assert cli.json("tokens", "revoke", "phone") == {"name": "phone", "revoked": True}
    assert cli("tokens", "revoke", "phone").exit_code == 3
    assert made["token"] not in "".join(path.read_text("utf-8") for path in cli.folder.glob("*.json"))
