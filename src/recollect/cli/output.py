"""Where answers go: one JSON object, or words and tables for people; notes and warnings aside."""

import json
import re
import sys
from typing import IO

from rich.console import Console, RenderableType

from recollect.serialization.serializers import JsonObject

#: A pipe has no width: one row, one line.
PIPE_WIDTH_COLUMNS = 1000
#: What could move a terminal's cursor, change its title, or turn text around.
UNPRINTABLE_PATTERN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def replace_unprintable(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
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
        """Whether lines may be as long as they like."""
        return not self._stdout.is_terminal

    def print_result(self, result: JsonObject, *renderables: RenderableType) -> None:
        """The one answer of a command, in the form that was asked for."""
        if self._json:
            sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
        else:
            self.print_text(*renderables)

    def print_text(self, *renderables: RenderableType) -> None:
        """Part of an answer for people, as soon as it is known."""
        if self._json:
            return
        with self._stdout.capture() as captured:
            for renderable in renderables:
                self._stdout.print(renderable)
        # Rich fills every line up to the width of its table.
        lines = captured.get().split("\n")
        sys.stdout.write("\n".join(line.rstrip(" ") for line in lines))

    def print_raw(self, text: str) -> None:
        """A text as it is; only a terminal is spared what it would obey."""
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
