"""Virtual environments of the compared systems, cached in the user's cache folder."""

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

from benchmarks.fill import print_progress
from benchmarks.peers.systems import CHECKOUT_FOLDER, Requirements

INSTALL_TIMEOUT_SECONDS = 1200
#: Written when the installation is complete; contains the requirements.
STAMP_FILE_NAME = "made-of.json"


class InstallError(Exception):
    """pip failed; the message has its last error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    python: Path
    size: int  #: bytes
    versions: Mapping[str, str]


def default_folder() -> Path:
    return user_cache_path("recollect") / "peers"


@cache
def prepare_environment(needs: Requirements, folder: Path, *, fresh: bool = False) -> Environment:
    """Return the cached environment if its requirements are unchanged; otherwise create it. Checked once per run."""
    home, expected_stamp = folder / needs.name, _format_stamp(needs)
    stamp_file = home / STAMP_FILE_NAME
    if fresh or not stamp_file.exists() or stamp_file.read_text("utf-8") != expected_stamp:
        print_progress(f"installing {needs.name}")
        _create(needs, home)
        stamp_file.write_text(expected_stamp, "utf-8")
    versions = {each.name: each.version for each in distributions(path=[str(_site_packages(home))])}
    return Environment(
        python=home / "bin" / "python",
        size=folder_size(home),
        versions={name: versions[name] for name in needs.reported_packages},
    )


def folder_size(folder: Path) -> int:
    """Return the total size of all files in a folder, in bytes."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _create(needs: Requirements, home: Path) -> None:
    if home.exists():
        shutil.rmtree(home)
    venv.create(home, symlinks=True, with_pip=False)
    if not needs.packages:
        return
    pip = [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet", *needs.packages]
    try:
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_SECONDS)
    except subprocess.CalledProcessError as error:
        raise InstallError(f"pip could not install {needs.name}: {_last_error(error.stderr)}") from error
    except subprocess.TimeoutExpired as error:
        raise InstallError(
            f"pip took more than {INSTALL_TIMEOUT_SECONDS} s to install {needs.name} and was stopped"
        ) from error


def _format_stamp(needs: Requirements) -> str:
    checkout_digest = _checkout_digest() if str(CHECKOUT_FOLDER) in needs.packages else ""
    packages = [package for package in needs.packages if package != str(CHECKOUT_FOLDER)]
    return json.dumps({"python": sys.version, "packages": packages, "checkout": checkout_digest})


def _checkout_digest() -> str:
    """Return a digest of the sources of this checkout."""
    hasher = hashlib.sha256()
    for path in sorted(_source_files()):
        hasher.update(f"{path.relative_to(CHECKOUT_FOLDER).as_posix()}\0".encode())
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def _source_files() -> Iterator[Path]:
    yield CHECKOUT_FOLDER / "pyproject.toml"
    for path in (CHECKOUT_FOLDER / "src").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _site_packages(home: Path) -> Path:
    return home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def _last_error(text: str) -> str:
    """Return the last error line of pip's output."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it said nothing"])[-1]
