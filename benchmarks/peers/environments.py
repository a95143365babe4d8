"""Virtual environments made by the benchmark, kept in the user's cache, so that a second run finds them there."""

import hashlib
import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks.fill import said
from benchmarks.peers.systems import CHECKOUT, Needs

MOST_SECONDS = 1200
#: Written when all is installed: what was asked for.
STAMP = "made-of.json"


class CannotInstall(Exception):
    """What pip said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    python: Path
    size: int  #: bytes
    versions: Mapping[str, str]


def default_folder() -> Path:
    return user_cache_path("recollect") / "peers"


@cache
def prepare(needs: Needs, folder: Path, *, fresh: bool = False) -> Environment:
    """The environment as it was made before, if it was made of the same; else a new one. Looked at once a run."""
    home, wanted = folder / needs.name, _stamp(needs)
    stamp = home / STAMP
    if fresh or not stamp.exists() or stamp.read_text("utf-8") != wanted:
        said(f"installing {needs.name}")
        _make(needs, home)
        stamp.write_text(wanted, "utf-8")
    versions = {each.name: each.version for each in distributions(path=[str(_packages(home))])}
    return Environment(
        python=home / "bin" / "python",
        size=size(home),
        versions={name: versions[name] for name in needs.told},
    )


def size(folder: Path) -> int:
    """The bytes of all files in there."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _make(needs: Needs, home: Path) -> None:
    if home.exists():
        shutil.rmtree(home)
    venv.create(home, symlinks=True, with_pip=False)
    if not needs.packages:
        return
    pip = [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet", *needs.packages]
    try:
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.CalledProcessError as error:
        raise CannotInstall(f"pip could not install {needs.name}: {_complaint(error.stderr)}") from error
    except subprocess.TimeoutExpired as error:
        raise CannotInstall(
            f"pip took more than {MOST_SECONDS} s to install {needs.name} and was stopped"
        ) from error


def _stamp(needs: Needs) -> str:
    own = _digest() if str(CHECKOUT) in needs.packages else ""
    packages = [package for package in needs.packages if package != str(CHECKOUT)]
    return json.dumps({"python": sys.version, "packages": packages, "checkout": own})


def _digest() -> str:
    """Of what the checkout is installed from."""
    whole = hashlib.sha256()
    for path in sorted(_sources()):
        whole.update(f"{path.relative_to(CHECKOUT).as_posix()}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def _sources() -> Iterator[Path]:
    yield CHECKOUT / "pyproject.toml"
    for path in (CHECKOUT / "src").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _packages(home: Path) -> Path:
    return home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def _complaint(text: str) -> str:
    """The last error among all that pip writes, warnings too."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it said nothing"])[-1]
