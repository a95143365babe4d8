"""Remembers what was made of short texts: people say most words more than once."""

from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")

#: Longer texts are hardly ever seen again, and would fill the memory.
_LONGEST = 64
#: How many are remembered; then we begin anew. To keep the latest, as `lru_cache` does, would take twice as long.
_MOST = 32_768


class Remembered(dict[str, Made], Generic[Made]):
    """Look texts up in it: ``remembered[text]`` is what the function makes of the text."""

    def __init__(self, make: Callable[[str], Made]) -> None:
        self._make = make

    def __missing__(self, text: str) -> Made:
        made = self._make(text)
        if len(text) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[text] = made
        return made
