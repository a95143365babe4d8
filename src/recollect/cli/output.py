"""Output of commands: JSON or text on stdout; notes, warnings and errors on stderr."""

import json
import re
import sys
from typing import IO

from rich.console import Console, RenderableType

from recollect.serialization.serializers import JsonObject

#: Width for pipes and files, so that a table row stays on one line.
PIPE_WIDTH_COLUMNS = 1000
#: Control and bidirectional characters, with which text could control the terminal.
UNPRINTABLE_PATTERN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def replace_unprintable(text: str) -> str:
    """Replace control characters with U+FFFD, so that stored text cannot control the terminal."""
    return UNPRINTABLE_PATTERN.sub("�", text.replace("\r\n", "\n"))


class Output:
    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._stdout = _make_console(sys.stdout)
        self.stderr = _make_console(sys.stderr)

    @property
    def is_text(self) -> bool:
        return not self._json

    @property
    def is_wide(self) -> bool:
        """Return whether stdout is not a terminal, so that lines may have any length."""
        return not self._stdout.is_terminal

    def print_result(self, result: JsonObject, *renderables: RenderableType) -> None:
        """Print the result of the command: `result` with --json, else the renderables."""
        if self._json:
            sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
        else:
            self.print_text(*renderables)

    def print_text(self, *renderables: RenderableType) -> None:
        """Print text immediately; nothing with --json."""
        if self._json:
            return
        with self._stdout.capture() as captured:
            for renderable in renderables:
                self._stdout.print(renderable)
        # Rich pads every line to the width of its table.
        lines = captured.get().split("\n")
        sys.stdout.write("\n".join(line.rstrip(" ") for line in lines))

    def print_raw(self, text: str) -> None:
        """Print a text unchanged; on a terminal control characters are replaced."""
        sys.stdout.write(replace_unprintable(text) if sys.stdout.isatty() else text)
        sys.stdout.write("" if not text or text.endswith("\n") else "\n")

    def info(self, text: str) -> None:
        if not self._json:
            self.stderr.print(replace_unprintable(text), style="dim")

    def warn(self, text: str) -> None:
        self.stderr.print(f"Warning: {replace_unprintable(text)}", style="yellow")


def _make_console(stream: IO[str]) -> Console:
    width = None if stream.isatty() else PIPE_WIDTH_COLUMNS
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
