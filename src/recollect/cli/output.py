"""Where answers go: one JSON object, or words and tables for people; notes and warnings aside."""

import json
import re
import sys
from typing import IO

from rich.console import Console, RenderableType

from recollect.serialization.serializers import Shape

#: A pipe has no width: one row, one line.
ENDLESS = 1000
#: What could move a terminal's cursor, change its title, or turn text around.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    return UNPRINTABLE.sub("�", text.replace("\r\n", "\n"))


class Output:
    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._out = _console(sys.stdout)
        self.aside = _console(sys.stderr)

    @property
    def for_people(self) -> bool:
        return not self._json

    @property
    def wide(self) -> bool:
        """Whether lines may be as long as they like."""
        return not self._out.is_terminal

    def answer(self, shape: Shape, *people: RenderableType) -> None:
        """The one answer of a command, in the form that was asked for."""
        if self._json:
            sys.stdout.write(json.dumps(shape, ensure_ascii=False) + "\n")
        else:
            self.say(*people)

    def say(self, *people: RenderableType) -> None:
        """Part of an answer for people, as soon as it is known."""
        if self._json:
            return
        with self._out.capture() as captured:
            for each in people:
                self._out.print(each)
        # Rich fills every line up to the width of its table.
        lines = captured.get().split("\n")
        sys.stdout.write("\n".join(line.rstrip(" ") for line in lines))

    def block(self, text: str) -> None:
        """A text as it is; only a terminal is spared what it would obey."""
        sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
        sys.stdout.write("" if not text or text.endswith("\n") else "\n")

    def note(self, text: str) -> None:
        if not self._json:
            self.aside.print(printable(text), style="dim")

    def warn(self, text: str) -> None:
        self.aside.print(f"Warning: {printable(text)}", style="yellow")


def _console(stream: IO[str]) -> Console:
    width = None if stream.isatty() else ENDLESS
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
