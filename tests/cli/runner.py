"""The command line as a test uses it: words in; exit code, output and messages out."""

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
    def payload(self) -> Any:  # noqa: ANN401 - whatever the command printed
        """The one JSON object on standard output."""
        [line] = self.stdout.splitlines()
        return json.loads(line)


@dataclass(frozen=True, slots=True)
class InProcessCli:
    """Commands run in this process on one file, in and on a folder of their own."""

    folder: Path

    @property
    def db(self) -> Path:
        return self.folder / "memory.db"

    def __call__(self, *arguments: str | Path, stdin: bytes | None = None) -> CommandResult:
        """Run a command on the test's file."""
        return self.run_raw("--db", self.db, *arguments, stdin=stdin)

    def json(self, *arguments: str | Path, stdin: bytes | None = None) -> Any:  # noqa: ANN401
        """The JSON object of a command that went well."""
        result = self(*arguments, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.payload

    def run_raw(self, *arguments: str | Path, stdin: bytes | None = None) -> CommandResult:
        """Run a command line as it is."""
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = run([str(word) for word in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return CommandResult(
                exit_code=code, stdout=out.getvalue().decode(), stderr=err.getvalue().decode()
            )

    def add_memory(self, text: str) -> str:
        """Remember a text; return the memory's id."""
        return str(self.json("add", text)["results"][0]["id"])


def run_process(
    *arguments: str | Path, stdin: bytes | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a process of its own."""
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
    """Run a command line as somebody who sits at a terminal."""
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
            # Linux says so when the other end was closed.
            pass
    os.close(master)
    return running.returncode, output.decode()
