"""
Run MCP's conformance suite and the inspector's command line against our server: scripts/mcp_conformance.py

Needs npm for the packages below, which go to a folder outside the project. Scenarios that call tools, resources and
prompts of the suite's own example server cannot pass on any other server, and optional parts are not declared: see
FIXTURE_PATTERN and OPTIONAL_PATTERN. Everything else must pass.
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.bootstrap import open_application
from recollect.server.app import create_app
from recollect.server.run import create_auth_config, create_uvicorn_config
from recollect.settings import load_settings

#: The suite by the version of the protocol that it knows. It needs Node 22, which is a package too.
SUITES = {
    "2025-11-25": ("0.1.16", ("--suite", "active", "--spec-version", "2025-11-25")),
    "2026-07-28": ("0.2.0-alpha.12", ("--requirements", "2026-07-28")),
}
NODE_VERSION = "22"
INSPECTOR_VERSION = "2.12.0"
#: Scenarios that call the tools, prompts and resources of the suite's own example server.
FIXTURE_PATTERN = re.compile(
    r"tools-call-|elicitation-|resources-(?:read|templates-read)|prompts-get-|input-required-result-|server-stateless"
    r"|json-schema-2020-12|http-custom-header-server-validation"
)
#: Optional parts that this server does not declare: logging (deprecated), subscriptions, and the extension of tasks.
OPTIONAL_PATTERN = re.compile(r"logging-set-level|resources-(?:un)?subscribe|tasks-")


class WithToken:
    """Adds the owner's token to each request, since the suite cannot send one."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    settings = load_settings(arguments={"db": str(folder / "memory.db")}, environ={}, files=())
    application = open_application(settings, embedder=HashingEmbedder())
    auth_config = create_auth_config(application, host="127.0.0.1")
    app = create_app(application, auth_config=auth_config)
    config = create_uvicorn_config(WithToken(app, auth_config.access.owner_token()), grace_seconds=1)
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.05)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        application.close()


def install(folder: Path, *packages: str) -> Path:
    """Install npm packages; return the folder of their commands."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "node_modules"


def run_suite(modules: Path, url: str, options: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Run all server scenarios; return the lines of those that passed and of those that failed."""
    node = modules / "node" / "bin" / "node"
    script = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [str(node), str(script), "server", "--url", url, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=modules, timeout=1200)
    summary = (
        re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
        .partition("=== SUMMARY ===")[2]
        .partition("Not scored")[0]
    )
    lines = [line.strip() for line in summary.splitlines()]
    passed = [line for line in lines if line.startswith("✓")]
    failed = [line for line in lines if line.startswith("✗")]
    if not passed:
        print(result.stdout[-3000:], result.stderr[-3000:])
    return passed, failed


def run_inspector(modules: Path, target: list[str]) -> int:
    """List the tools with the inspector's command line; return how many there are."""
    node = modules / "node" / "bin" / "node"
    launcher = modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    command = [str(node), str(launcher), "--cli", *target, "--method", "tools/list"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if result.returncode:
        print(result.stdout[-2000:], result.stderr[-2000:])
        return 0
    return len(json.loads(result.stdout)["tools"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mcp-conformance")
    options = parser.parse_args()
    unexpected: list[str] = []
    with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as url:
        for version, (package, arguments) in SUITES.items():
            modules = install(
                options.folder / package,
                f"@modelcontextprotocol/conformance@{package}",
                f"node@{NODE_VERSION}",
            )
            passed, failed = run_suite(modules, url, arguments)
            unexpected += [
                line
                for line in failed
                if not FIXTURE_PATTERN.search(line) and not OPTIONAL_PATTERN.search(line)
            ]
            optional = [line for line in failed if OPTIONAL_PATTERN.search(line)]
            print(
                f"{version} (suite {package}): {len(passed)} scenarios passed, {len(failed)} failed: of these"
            )
            print(
                f"  {len(failed) - len(optional)} need the suite's own tools, {len(optional)} an optional part"
            )
        modules = install(
            options.folder / "inspector",
            f"@modelcontextprotocol/inspector@{INSPECTOR_VERSION}",
            f"node@{NODE_VERSION}",
        )
        # The inspector starts the server with few variables of its own environment.
        python_path = os.environ.get("PYTHONPATH")
        path = ["-e", f"PYTHONPATH={python_path}"] if python_path else []
        stdio = [*path, sys.executable, "-m", "recollect", "--db", str(Path(data) / "stdio.db"), "mcp"]
        for name, target in (("HTTP", [url, "--transport", "http"]), ("stdio", stdio)):
            count = run_inspector(modules, target)
            print(f"inspector over {name}: {count} tools")
            unexpected += [] if count else [f"inspector over {name}"]
    print("\n".join(["Unexpected failures:", *unexpected]) if unexpected else "No unexpected failures.")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
