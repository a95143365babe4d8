"""A system in a process of its own, asked through its standard input."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from benchmarks.peers.environments import Environment
from benchmarks.peers.systems import CHECKOUT, System

#: After which a process is stopped, whatever it does.
MOST_SECONDS = 900.0
QUIETLY = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "LANG": "C.UTF-8",
}
REASON_AT_MOST = 200


class SystemFailed(Exception):
    """The last thing that it said."""


class Process:
    def __init__(self, popen: subprocess.Popen[str], log: Path, most: float) -> None:
        self._popen = popen
        self._log = log
        self._most = most
        self.overdue = False

    def call(self, **request: object) -> dict[str, Any]:
        to, back = _pipes(self._popen)
        # A process that ended early is told of by what it does not answer.
        with suppress(BrokenPipeError):
            to.write(json.dumps(request) + "\n")
            to.flush()
        line = back.readline()
        if not line:
            raise SystemFailed(self._reason())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def peak(self) -> int:
        """Bytes of memory it held at most, as Linux tells; 0 elsewhere."""
        status = Path(f"/proc/{self._popen.pid}/status")
        lines = status.read_text("ascii").splitlines() if status.exists() else []
        held = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        return held[0] * 1024 if held else 0

    def finish(self) -> None:
        """Let it close what it has open, and make sure that it could."""
        _pipes(self._popen)[0].close()
        if self._popen.wait() != 0:
            raise SystemFailed(self._reason())

    def stop(self) -> None:
        self.overdue = True
        self._popen.kill()

    def _reason(self) -> str:
        if self.overdue:
            return f"took more than {self._most:.0f} s and was stopped"
        self._popen.wait()
        said = [line.strip() for line in self._log.read_text("utf-8", "replace").splitlines() if line.strip()]
        return said[-1][:REASON_AT_MOST] if said else f"ended with {self._popen.returncode} and said nothing"


@contextmanager
def running(
    system: System,
    environment: Environment,
    options: Mapping[str, object],
    *,
    log: Path,
    home: Path,
    most: float = MOST_SECONDS,
) -> Iterator[Process]:
    """The system with a home of its own, stopped when `most` seconds have passed."""
    home.mkdir(parents=True, exist_ok=True)
    command = [
        str(environment.python),
        "-m",
        f"benchmarks.peers.runners.{system.runner}",
        json.dumps(options),
    ]
    variables = {"PATH": os.environ["PATH"], "HOME": str(home), **QUIETLY, **system.environment}
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            cwd=CHECKOUT,
            env=variables,
        ) as popen,
    ):
        process = Process(popen, log, most)
        watch = threading.Timer(most, process.stop)
        watch.start()
        try:
            yield process
            process.finish()
        finally:
            watch.cancel()
            popen.kill()
            # What a process that ended early did not read is lost.
            with suppress(BrokenPipeError):
                _pipes(popen)[0].close()


def _pipes(popen: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert popen.stdin is not None
    assert popen.stdout is not None
    return popen.stdin, popen.stdout
