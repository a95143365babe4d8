"""`recollect-hook` as a process, as agents start it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from tests.cli.runner import InProcessCli
from tests.server.live_server import LiveServer, run_server

from recollect.cli import hook
from recollect.library.hook_failures import MAX_LOG_BYTES, failures_path, log_failure, read_failures
from recollect.server.announcement import announced, announcement_path, find_server

PROMPT = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Where do I live?"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    db = str(tmp_path / "memory.db")
    with (
        run_server(tmp_path) as running,
        announced(
            db,
            host="127.0.0.1",
            port=running.port,
            name="localhost",
            token=running.access.owner_token(),
        ),
    ):
        yield running


def run_hook(
    folder: Path, host: str, payload: object, *, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    command = [sys.executable, "-m", "recollect.cli.hook", host, "--db", str(folder / "memory.db")]
    return subprocess.run(
        command,
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environ,
        encoding="utf-8",
    )


def test_the_running_server_answers(server: LiveServer, tmp_path: Path) -> None:
    with server.client() as client:
        client.post("/api/memory", json={"content": "Lives in Lisbon."}).raise_for_status()
    server.drain_jobs()

    result = run_hook(tmp_path, "codex", PROMPT)

    assert "Lisbon" in json.loads(result.stdout)["hookSpecificOutput"]["additionalContext"]
    assert result.stderr == ""
    assert read_failures(str(tmp_path / "memory.db")) == []


def test_without_a_server_the_hook_opens_the_memory_file_and_learns(tmp_path: Path) -> None:
    payload = {**PROMPT, "session_id": "s0", "prompt": "I live in Lisbon."}
    stopped = {"session_id": "s0", "hook_event_name": "Stop", "last_assistant_message": "Noted."}

    outputs = [run_hook(tmp_path, "claude-code", each).stdout for each in (payload, stopped, PROMPT)]

    assert outputs[:2] == ["", ""]
    assert "lives in Lisbon" in json.loads(outputs[2])["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("payload", ["", "no json", "[]", "null", {"session_id": "s1"}])
def test_a_failure_prints_nothing_and_is_logged(tmp_path: Path, payload: object) -> None:
    result = run_hook(tmp_path, "gemini", payload)

    assert (result.stdout, result.stderr) == ("", "")
    [failure] = read_failures(str(tmp_path / "memory.db"))
    assert failure["host"] == "gemini"


def test_doctor_reports_failures(cli: InProcessCli, tmp_path: Path) -> None:
    run_hook(tmp_path, "gemini", "no json")

    [finding] = [
        each for each in cli("doctor", "--json").payload["findings"] if each["name"] == "agent hooks"
    ]

    assert finding["level"] == "warn"
    assert finding["detail"].startswith("1 failures in the last week; the newest, of gemini: JSONDecodeError")


def test_a_refusal_of_the_server_is_logged(server: LiveServer, tmp_path: Path) -> None:
    result = run_hook(tmp_path, "notepad", PROMPT)

    assert result.stdout == ""
    [failure] = read_failures(str(tmp_path / "memory.db"))
    assert "404" in str(failure["error"])


def test_the_environment_of_an_agent_turns_its_hooks_off(tmp_path: Path) -> None:
    environ = {**os.environ, hook.MODE_VARIABLE: "off"}

    result = run_hook(tmp_path, "codex", PROMPT, environ=environ)

    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_crashed_is_not_asked(tmp_path: Path) -> None:
    db = str(tmp_path / "memory.db")
    announcement = {"host": "127.0.0.1", "port": 9, "name": "localhost", "token": "rk"}
    Path(announcement_path(db)).write_text(json.dumps(announcement), "utf-8")

    assert find_server(db) is None


def test_a_second_server_is_not_announced_and_keeps_the_announcement(tmp_path: Path) -> None:
    db = str(tmp_path / "memory.db")

    with announced(db, host="0.0.0.0", port=1, name="a", token="rk-a"):
        with announced(db, host="127.0.0.1", port=2, name="b", token="rk-b"):
            pass
        address = find_server(db)

    assert address == ("127.0.0.1", 1, "a", "rk-a")
    assert find_server(db) is None


def test_the_log_of_failures_is_bounded(tmp_path: Path) -> None:
    db = str(tmp_path / "memory.db")
    for number in range(400):
        log_failure(db, host="codex", error=f"{number} " + "x" * 480)

    assert Path(failures_path(db)).stat().st_size <= MAX_LOG_BYTES + 1_000
    assert str(read_failures(db)[-1]["error"]).startswith("399 ")


@pytest.mark.parametrize("data_home", [None, "/data"])
@pytest.mark.parametrize(("platform", "folders"), [("linux", Unix), ("darwin", MacOS)])
def test_the_default_file_is_where_the_settings_look(
    monkeypatch: pytest.MonkeyPatch, platform: str, folders: type[Unix | MacOS], data_home: str | None
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if data_home:
        monkeypatch.setenv("XDG_DATA_HOME", data_home)

    assert hook.default_db() == str(folders("recollect", appauthor=False).user_data_path / "memory.db")


def test_the_hook_imports_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; before = set(sys.modules); import recollect.cli.hook;"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.split() == ["recollect"]
