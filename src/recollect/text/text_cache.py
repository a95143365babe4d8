"""Remembers what was made of short texts: people say most words more than once."""

from collections.abc import Callable
from typing import Generic, TypeVar

Computed = TypeVar("Computed")

#: Longer texts are hardly ever seen again, and would fill the memory.
_MAX_KEY_CHARS = 64
#: How many are remembered; then we begin anew. To keep the latest, as `lru_cache` does, would take twice as long.
_MAX_ENTRIES = 32_768


class TextCache(dict[str, Computed], Generic[Computed]):
    """Look texts up in it: ``remembered[text]`` is what the function makes of the text."""

    def __init__(self, compute: Callable[[str], Computed]) -> None:
        self._compute = compute

    def __missing__(self, text: str) -> Computed:
        value = self._compute(text)
        if len(text) <= _MAX_KEY_CHARS:
            if len(self) >= _MAX_ENTRIES:
                self.clear()
            self[text] = value
        return value
