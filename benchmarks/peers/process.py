"""Runs a system in its own process, with requests on standard input."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from benchmarks.peers.environments import Environment
from benchmarks.peers.systems import CHECKOUT_FOLDER, System

#: Time limit of a process.
PROCESS_TIMEOUT_SECONDS = 900.0
QUIET_ENVIRONMENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "LANG": "C.UTF-8",
}
MAX_REASON_CHARS = 200


class SystemFailure(Exception):
    """The system failed; the message is its last line of output."""


class SystemProcess:
    def __init__(self, popen: subprocess.Popen[str], log: Path, timeout_seconds: float) -> None:
        self._popen = popen
        self._log = log
        self._timeout_seconds = timeout_seconds
        self.timed_out = False

    def call(self, **request: object) -> dict[str, Any]:
        stdin, stdout = _pipes(self._popen)
        # A process that ended early is detected by its missing response.
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
        line = stdout.readline()
        if not line:
            raise SystemFailure(self._failure_reason())
        response: dict[str, Any] = json.loads(line)
        return response

    def peak_memory_bytes(self) -> int:
        """Peak resident memory of the process in bytes (Linux); 0 on other systems."""
        status = Path(f"/proc/{self._popen.pid}/status")
        lines = status.read_text("ascii").splitlines() if status.exists() else []
        peaks_kib = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        return peaks_kib[0] * 1024 if peaks_kib else 0

    def finish(self) -> None:
        """Close its input, wait for it to end, and raise if it failed."""
        _pipes(self._popen)[0].close()
        if self._popen.wait() != 0:
            raise SystemFailure(self._failure_reason())

    def stop(self) -> None:
        self.timed_out = True
        self._popen.kill()

    def _failure_reason(self) -> str:
        if self.timed_out:
            return f"took more than {self._timeout_seconds:.0f} s and was stopped"
        self._popen.wait()
        lines = [
            line.strip() for line in self._log.read_text("utf-8", "replace").splitlines() if line.strip()
        ]
        return (
            lines[-1][:MAX_REASON_CHARS]
            if lines
            else f"ended with code {self._popen.returncode} without output"
        )


@contextmanager
def run_system(
    system: System,
    environment: Environment,
    options: Mapping[str, object],
    *,
    log: Path,
    home: Path,
    timeout_seconds: float = PROCESS_TIMEOUT_SECONDS,
) -> Iterator[SystemProcess]:
    """Run a system with its own home folder and a time limit."""
    home.mkdir(parents=True, exist_ok=True)
    command = [
        str(environment.python),
        "-m",
        f"benchmarks.peers.runners.{system.runner}",
        json.dumps(options),
    ]
    variables = {"PATH": os.environ["PATH"], "HOME": str(home), **QUIET_ENVIRONMENT, **system.environment}
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            cwd=CHECKOUT_FOLDER,
            env=variables,
        ) as popen,
    ):
        process = SystemProcess(popen, log, timeout_seconds)
        timer = threading.Timer(timeout_seconds, process.stop)
        timer.start()
        try:
            yield process
            process.finish()
        finally:
            timer.cancel()
            popen.kill()
            # A process that ended early did not read all of its input.
            with suppress(BrokenPipeError):
                _pipes(popen)[0].close()


def _pipes(popen: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert popen.stdin is not None
    assert popen.stdout is not None
    return popen.stdin, popen.stdout
