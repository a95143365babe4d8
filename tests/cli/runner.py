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
class Answer:
    code: int
    out: str
    err: str

    @property
    def shape(self) -> Any:  # noqa: ANN401 - whatever the command printed
        """The one JSON object on standard output."""
        [line] = self.out.splitlines()
        return json.loads(line)


@dataclass(frozen=True, slots=True)
class Cli:
    """Commands run in this process on one file, in and on a folder of their own."""

    folder: Path

    @property
    def db(self) -> Path:
        return self.folder / "memory.db"

    def __call__(self, *words: str | Path, given: bytes | None = None) -> Answer:
        """Run a command on the test's file."""
        return self.bare("--db", self.db, *words, given=given)

    def json(self, *words: str | Path, given: bytes | None = None) -> Any:  # noqa: ANN401
        """The JSON object of a command that went well."""
        answer = self(*words, "--json", given=given)
        assert answer.code == 0, answer.err
        return answer.shape

    def bare(self, *words: str | Path, given: bytes | None = None) -> Answer:
        """Run a command line as it is."""
        with CliRunner().isolation(input=given) as (out, err, _):
            code = run([str(word) for word in words])
            sys.stdout.flush()
            sys.stderr.flush()
            return Answer(code=code, out=out.getvalue().decode(), err=err.getvalue().decode())

    def id_of(self, text: str) -> str:
        """Remember a text; return the memory's id."""
        return str(self.json("add", text)["results"][0]["id"])


def process(
    *words: str | Path, given: bytes | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "recollect", *map(str, words)],
        input=given,
        capture_output=True,
        env=env,
        check=False,
        timeout=60,
    )


def on_a_terminal(
    *words: str | Path, typed: bytes = b"", env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command line as somebody who sits at a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", *map(str, words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **(env or {})},
        start_new_session=True,
    ) as running:
        os.close(theirs)
        os.write(ours, typed)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:
            # Linux says so when the other end was closed.
            pass
    os.close(ours)
    return running.returncode, seen.decode()
