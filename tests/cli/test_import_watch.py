"""`recollect import AGENT`, and `--watch`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli
from tests.interchange.samples import CLAUDE_CODE, CODEX

from recollect.library.transcript_watch import TranscriptFolder, TranscriptWatcher

SESSION = "0b6f7f0e-6d3c-4a52-9c59-0a3c0d3f0001"
OLD = time.time() - 3600


def line(number: int, text: str, role: str = "user") -> str:
    return (
        json.dumps(
            {
                "type": role,
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": SESSION,
                "timestamp": f"2026-03-01T12:00:{number:02}.000Z",
                "message": {"role": role, "content": text},
            }
        )
        + "\n"
    )


def write(path: Path, text: str, *, modified: float = OLD) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, (modified, modified))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_the_transcripts_of_an_agent_are_found(cli: InProcessCli, home: Path) -> None:
    write(home / ".claude/projects/-work-shop/session.jsonl", CLAUDE_CODE.content())
    write(home / ".codex/sessions/2026/03/01/rollout-1.jsonl", CODEX.content())
    claude = cli.json("import", "claude-code")
    codex = cli.json("import", "codex")
    listed = cli.json("import", "--list")["results"]

    assert (claude["files"], codex["files"]) == ({"claude-code": 1}, {"codex": 1})
    assert claude["messages"] > 0
    assert [each["source"] for each in listed] == ["transcripts of codex", "transcripts of claude-code"]


def test_an_agent_without_transcripts_is_an_error(cli: InProcessCli, home: Path) -> None:
    missing = cli.run_raw("import", "cursor")
    unknown = cli.run_raw("import", "--watch", "emacs")
    nothing = cli.run_raw("import", "--watch")

    assert [each.exit_code for each in (missing, unknown, nothing)] == [2, 2, 2]
    assert "no transcripts of cursor" in missing.stderr
    assert "no coding agent of this name" in unknown.stderr


def test_a_transcript_is_taken_once_after_each_change(tmp_path: Path) -> None:
    path = tmp_path / "a" / "session.jsonl"
    write(path, line(0, "I live in Lisbon."))
    watcher = TranscriptWatcher(folders=[TranscriptFolder(path=tmp_path, pattern="**/*.jsonl")])
    first, again = watcher.take_changed(), watcher.take_changed()
    write(path, line(0, "I live in Lisbon.") + line(1, "I am vegan."), modified=OLD + 10)
    grown = watcher.take_changed()
    write(path, "half a li", modified=time.time())
    unfinished = watcher.take_changed()
    path.unlink()

    assert [len(each) for each in (first, again, grown, unfinished)] == [1, 0, 1, 0]
    assert watcher.take_changed() == []


def test_a_database_changes_with_its_log(tmp_path: Path) -> None:
    write(tmp_path / "opencode.db", "x")
    watcher = TranscriptWatcher(folders=[TranscriptFolder(path=tmp_path, pattern="opencode.db")])
    first = watcher.take_changed()
    write(tmp_path / "opencode.db-wal", "y", modified=OLD + 10)

    assert [len(first), len(watcher.take_changed())] == [1, 1]


def test_watching_imports_what_is_added_until_it_is_interrupted(tmp_path: Path) -> None:
    transcript, db = tmp_path / "t" / "session.jsonl", tmp_path / "memory.db"
    write(transcript, line(0, "I live in Lisbon.") + line(1, "Noted.", "assistant"))
    command = [sys.executable, "-m", "recollect", "--db", str(db), "--json"]
    environ = {**os.environ, "RECOLLECT_EMBEDDER": "none"}
    with subprocess.Popen(
        [*command, "import", "--watch", str(transcript.parent), "--every", "0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        write(transcript, transcript.read_text() + line(2, "I am vegan."), modified=OLD + 10)
        second = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        exit_code = process.wait(30)
    listed = subprocess.run(
        [*command, "import", "--list"], capture_output=True, check=True, env=environ
    ).stdout

    assert (first["messages"], second["messages"], exit_code) == (2, 1, 0)
    assert first["import_id"] == second["import_id"]
    assert len(json.loads(listed)["results"]) == 1
