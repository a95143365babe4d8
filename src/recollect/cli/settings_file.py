"""Writes into the user's own settings file, and leaves everything else in it as it is."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from recollect.errors import ConfigError

_PREAMBLE_PATTERN = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*")


def set_values(text: str, values: Mapping[str, str]) -> str:
    """
    The text of a file with these keys set, each on its own line where it stood, or behind the first comments.

    Raises ValueError if that would change anything else, or if the file is no TOML.
    """
    new_text = text
    for key, value in values.items():
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        if key_line := _key_line_pattern(key).search(new_text):
            new_text = new_text[: key_line.start()] + line + new_text[key_line.start("rest") :]
        else:
            preamble = _PREAMBLE_PATTERN.match(new_text)
            preamble_end = preamble.end() if preamble else 0
            newline = "\r\n" if "\r\n" in new_text else "\n"
            new_text = new_text[:preamble_end] + line + newline + new_text[preamble_end:]
    if tomllib.loads(new_text) != {**tomllib.loads(text), **values}:
        raise ValueError("another line of the file would change its meaning")
    return new_text


def _key_line_pattern(key: str) -> re.Pattern[str]:
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
        old_text = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        new_text = set_values(old_text, values)
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace_file(target, new_text.encode())
    except (ValueError, OSError) as error:
        raise ConfigError(
            f"{path} was left as it is, for it cannot be changed safely ({error}). Write there yourself:\n{lines}"
        ) from error


def _replace_file(path: Path, content: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(content)
    temporary_path = Path(file.name)
    temporary_path.chmod(mode)
    temporary_path.replace(path)
