"""Cut a long text into pieces that each fit a model, and that join back to the text."""

import re
from collections.abc import Callable
from itertools import pairwise
from math import ceil

_SPACE = re.compile(r"\s+")

#: How many characters past an even cut a space may be, so that words stay whole.
_REACH = 64

#: Even cuts by characters are uneven in tokens; a little room saves a second round of cutting.
_ROOM = 0.9


def windows(text: str, *, tokens: Callable[[str], int], limit: int) -> list[str]:
    """
    Cut the text into pieces of at most ``limit`` tokens, about equally long, between words where there are any.

    At least one piece comes back, and only a piece of one character may be over the limit.
    """
    count = tokens(text)
    if count <= limit or len(text) < 2:
        return [text]
    parts = min(len(text), ceil(count / (limit * _ROOM)))
    return [window for piece in _slices(text, parts) for window in windows(piece, tokens=tokens, limit=limit)]


def encodable(text: str) -> str:
    """Put a question mark for each lone surrogate: no tokenizer and no wire takes them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _slices(text: str, parts: int) -> list[str]:
    cuts = {_cut(text, round(len(text) * part / parts)) for part in range(1, parts)}
    return [text[start:end] for start, end in pairwise(sorted({0, *cuts, len(text)}))]


def _cut(text: str, aim: int) -> int:
    found = _SPACE.search(text, aim - 1, aim + _REACH)
    # A cut at the very end would cut nothing, and the pieces would never get shorter.
    return found.end() if found and found.end() < len(text) else aim
