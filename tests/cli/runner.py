"""Runs command lines in tests: in this process, in a subprocess, or on a pseudo-terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from recollect.cli.app import run


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def payload(self) -> Any:  # noqa: ANN401 - any JSON object
        """The one JSON object on standard output."""
        [line] = self.stdout.splitlines()
        return json.loads(line)


@dataclass(frozen=True, slots=True)
class InProcessCli:
    """Runs commands in this process, on a memory file in the test's folder."""

    folder: Path

    @property
    def db(self) -> Path:
        return self.folder / "memory.db"

    def __call__(self, *arguments: str | Path, stdin: bytes | None = None) -> CommandResult:
        """Run a command on the test's file."""
        return self.run_raw("--db", self.db, *arguments, stdin=stdin)

    def json(self, *arguments: str | Path, stdin: bytes | None = None) -> Any:  # noqa: ANN401
        """Run a command with --json, assert that it succeeds, and return its object."""
        result = self(*arguments, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.payload

    def run_raw(self, *arguments: str | Path, stdin: bytes | None = None) -> CommandResult:
        """Run a command line without adding --db."""
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = run([str(word) for word in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return CommandResult(
                exit_code=code, stdout=out.getvalue().decode(), stderr=err.getvalue().decode()
            )

    def add_memory(self, text: str) -> str:
        """Store a text; return the id of its memory."""
        return str(self.json("add", text)["results"][0]["id"])


def run_process(
    *arguments: str | Path, stdin: bytes | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a subprocess."""
    return subprocess.run(
        [sys.executable, "-m", "recollect", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=env,
        check=False,
        timeout=60,
    )


def run_on_terminal(
    *arguments: str | Path, keystrokes: bytes = b"", env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command line on a pseudo-terminal and type the keystrokes; return exit code and output."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", *map(str, arguments)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", **(env or {})},
        start_new_session=True,
    ) as running:
        os.close(slave)
        os.write(master, keystrokes)
        output = b""
        try:
            while piece := os.read(master, 65536):
                output += piece
        except OSError:
            # Linux raises EIO when the other end is closed.
            pass
    os.close(master)
    return running.returncode, output.decode()
