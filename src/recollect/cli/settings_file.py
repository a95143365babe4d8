"""Writes into the user's own settings file, and leaves everything else in it as it is."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from recollect.errors import ConfigError

_PREAMBLE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*")


def with_values(text: str, values: Mapping[str, str]) -> str:
    """
    The text of a file with these keys set, each on its own line where it stood, or behind the first comments.

    Raises ValueError if that would change anything else, or if the file is no TOML.
    """
    changed = text
    for key, value in values.items():
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        if found := _line(key).search(changed):
            changed = changed[: found.start()] + line + changed[found.start("rest") :]
        else:
            start = _PREAMBLE.match(changed)
            end = start.end() if start else 0
            ending = "\r\n" if "\r\n" in changed else "\n"
            changed = changed[:end] + line + ending + changed[end:]
    if tomllib.loads(changed) != {**tomllib.loads(text), **values}:
        raise ValueError("another line of the file would change its meaning")
    return changed


def _line(key: str) -> re.Pattern[str]:
    """A key at the top of the file, a plain string, and whatever is said behind it."""
    string = r"(?:\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')"
    return re.compile(
        rf"^{re.escape(key)}[ \t]*=[ \t]*{string}(?P<rest>[ \t]*(?:#[^\r\n]*)?\r?)$", re.MULTILINE
    )


def write_values(path: Path, values: Mapping[str, str]) -> None:
    """Set keys in a settings file, which is made if it is not there; all of it is written, or none."""
    lines = "\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    try:
        target = path.resolve()
        before = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        after = with_values(before, values)
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, after.encode())
    except (ValueError, OSError) as error:
        raise ConfigError(
            f"{path} was left as it is, for it cannot be changed safely ({error}). Write there yourself:\n{lines}"
        ) from error


def _replace(path: Path, content: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(content)
    made = Path(file.name)
    made.chmod(mode)
    made.replace(path)
