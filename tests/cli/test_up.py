"""up and tokens: start and stop of the server, and access tokens."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
from tests.cli.runner import InProcessCli


def test_the_server_prints_its_url_and_exits_with_0_on_sigterm(tmp_path: Path) -> None:
    words = ["--db", str(tmp_path / "m.db"), "--json", "up", "--port", "0", "--no-browser"]
    settings = {**os.environ, "RECOLLECT_EMBEDDER": "hashing", "RECOLLECT_CONFIG": ""}
    command = [sys.executable, "-m", "recollect", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, cwd=tmp_path) as process:
        assert process.stdout is not None
        addresses = json.loads(process.stdout.readline())
        with httpx2.Client(base_url=addresses["url"]) as client:
            health = client.get("/health").json()
            login = client.get(addresses["login"])
            memories = client.get("/api/memory")
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)

    assert health == {"status": "ok"}
    assert (login.status_code, memories.status_code) == (303, 200)
    assert code == 0
    assert not (tmp_path / "m.db-wal").exists()


def test_a_public_address_needs_the_public_option(cli: InProcessCli) -> None:
    result = cli("up", "--host", "0.0.0.0", "--port", "0")

    assert result.exit_code == 2
    assert "--public" in result.stderr


def test_a_port_in_use_is_reported(cli: InProcessCli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        result = cli("up", "--port", str(port), "--no-browser")

    assert result.exit_code == 2
    assert f"Port {port} is already in use" in result.stderr


def test_tokens_are_created_listed_and_revoked(cli: InProcessCli) -> None:
    own = cli.json("tokens", "own")["token"]
    token_payload = cli.json("tokens", "add", "phone", "ana")
    tokens = cli.json("tokens")["results"]

    assert own == cli("tokens", "own").stdout.strip()
    assert token_payload["token"] != own
    assert [(each["name"], each["user_id"], each["admin"]) for each in tokens] == [
        ("owner", "default", True),
        ("phone", "ana", False),
    ]
    assert cli("tokens", "add", "phone", "ana").exit_code == 2
    assert cli.json("tokens", "revoke", "phone") == {"name": "phone", "revoked": True}
    assert cli("tokens", "revoke", "phone").exit_code == 3
    assert token_payload["token"] not in "".join(
        path.read_text("utf-8") for path in cli.folder.glob("*.json")
    )
