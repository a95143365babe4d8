"""Sets keys in the user's settings file (TOML) and preserves everything else, comments included."""

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
    Return the text with these keys set, on their existing lines or after the leading comments.

    Raises ValueError if another value would change, or if the text is not TOML.
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
        raise ValueError("another value in the file would change")
    return new_text


def _key_line_pattern(key: str) -> re.Pattern[str]:
    """Return a pattern for the line of a key with a one-line string value; `rest` is the trailing comment."""
    string = r"(?:\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')"
    return re.compile(
        rf"^{re.escape(key)}[ \t]*=[ \t]*{string}(?P<rest>[ \t]*(?:#[^\r\n]*)?\r?)$", re.MULTILINE
    )


def write_values(path: Path, values: Mapping[str, str]) -> None:
    """Set keys in a settings file atomically; create the file if needed."""
    lines = "\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    try:
        target = path.resolve()
        old_text = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        new_text = set_values(old_text, values)
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace_file(target, new_text.encode())
    except (ValueError, OSError) as error:
        raise ConfigError(
            f"Cannot update {path} safely ({error}), so it was not changed. Add these lines yourself:\n{lines}"
        ) from error


def _replace_file(path: Path, content: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(content)
    temporary_path = Path(file.name)
    temporary_path.chmod(mode)
    temporary_path.replace(path)
