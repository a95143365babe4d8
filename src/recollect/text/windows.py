"""Cut a long text into pieces that each fit a model, and that join back to the text."""

import re
from collections.abc import Callable
from itertools import pairwise
from math import ceil

_SPACE_PATTERN = re.compile(r"\s+")

#: How many characters past an even cut a space may be, so that words stay whole.
_MAX_CUT_SHIFT_CHARS = 64

#: Even cuts by characters are uneven in tokens; a little room saves a second round of cutting.
_FILL_RATIO = 0.9


def split_windows(text: str, *, count_tokens: Callable[[str], int], limit: int) -> list[str]:
    """
    Cut the text into pieces of at most ``limit`` tokens, about equally long, between words where there are any.

    At least one piece comes back, and only a piece of one character may be over the limit.
    """
    count = count_tokens(text)
    if count <= limit or len(text) < 2:
        return [text]
    parts = min(len(text), ceil(count / (limit * _FILL_RATIO)))
    return [
        window
        for piece in _slices(text, parts)
        for window in split_windows(piece, count_tokens=count_tokens, limit=limit)
    ]


def replace_lone_surrogates(text: str) -> str:
    """Put a question mark for each lone surrogate: no tokenizer and no wire takes them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _slices(text: str, parts: int) -> list[str]:
    cuts = {_cut_position(text, round(len(text) * part / parts)) for part in range(1, parts)}
    return [text[start:end] for start, end in pairwise(sorted({0, *cuts, len(text)}))]


def _cut_position(text: str, target: int) -> int:
    match = _SPACE_PATTERN.search(text, target - 1, target + _MAX_CUT_SHIFT_CHARS)
    # A cut at the very end would cut nothing, and the pieces would never get shorter.
    return match.end() if match and match.end() < len(text) else target
