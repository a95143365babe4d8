"""Set up connections of this machine's programs: the commands that they run, the record of connections, a test."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_data_path

from recollect.hosts.hooks import HOOK_FORMATS
from recollect.hosts.programs import ConnectCommands
from recollect.library.connections import Connections
from recollect.library.hook_failures import read_failures
from recollect.settings import MachineSettings, parse_store_url

PROBE_TIMEOUT_SECONDS = 30


def open_connections() -> Connections:
    record = user_data_path("recollect", appauthor=False) / "connections.json"
    return Connections(record, home=Path.home(), environ=os.environ, platform=sys.platform)


def make_commands(machine: MachineSettings, *, with_mcp: bool) -> ConnectCommands:
    """Return the commands by absolute path, since agents may start with another PATH."""
    default, url = MachineSettings(), parse_store_url(machine.db)
    path = Path(url.target).absolute().as_posix() if url.scheme == "sqlite" else machine.db
    db = ("--db", path) if machine.db != default.db else ()
    user = ("--user", machine.user) if machine.user != default.user else ()
    has_mcp = with_mcp and find_spec("mcp") is not None
    return ConnectCommands(
        hook=(*_executable("recollect-hook", "recollect.cli.hook"), *db, *user),
        mcp=(*_executable("recollect", "recollect"), *db, *user, "mcp") if has_mcp else None,
    )


def _executable(name: str, module: str) -> tuple[str, ...]:
    python = Path(sys.executable)
    script = python.with_name(f"{name}.exe" if sys.platform == "win32" else name)
    return (script.as_posix(),) if script.exists() else (python.as_posix(), "-m", module)


def run_probe(host: str, machine: MachineSettings, commands: ConnectCommands) -> str | None:
    """Return why the hook fails, or None. The probe is a prompt of a temporary chat, which leaves no trace."""
    known = len(read_failures(machine.db))
    text = json.dumps(HOOK_FORMATS[host].probe)
    try:
        result = subprocess.run(  # noqa: S603 - our own command, without a shell
            [*commands.hook, host],
            input=text.encode(),
            capture_output=True,
            timeout=PROBE_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    failures = read_failures(machine.db)[known:]
    if failures:
        return str(failures[-1].get("error"))
    return None if result.returncode == 0 else result.stderr.decode("utf-8", "replace")[-500:]
