"""A cache of function results for short texts, since most words occur repeatedly."""

from collections.abc import Callable
from typing import Generic, TypeVar

Computed = TypeVar("Computed")

#: Longer texts hardly ever recur and would fill the cache.
_MAX_KEY_CHARS = 64
#: The cache is cleared when full: evicting the least recently used entry, as `lru_cache` does, takes twice as long.
_MAX_ENTRIES = 32_768


class TextCache(dict[str, Computed], Generic[Computed]):
    """A dict that computes missing values: ``cache[text]`` is the function's result for the text."""

    def __init__(self, compute: Callable[[str], Computed]) -> None:
        self._compute = compute

    def __missing__(self, text: str) -> Computed:
        value = self._compute(text)
        if len(text) <= _MAX_KEY_CHARS:
            if len(self) >= _MAX_ENTRIES:
                self.clear()
            self[text] = value
        return value
