"""Splitting of long texts into windows that fit a model; joined, the windows are the text."""

import re
from collections.abc import Callable
from itertools import pairwise
from math import ceil

_SPACE_PATTERN = re.compile(r"\s+")

#: A cut moves forward by at most this many characters to reach a space, so that words stay whole.
_MAX_CUT_SHIFT_CHARS = 64

#: Equal parts in characters differ in tokens; this margin usually avoids a second split.
_FILL_RATIO = 0.9


def split_windows(text: str, *, count_tokens: Callable[[str], int], limit: int) -> list[str]:
    """
    Split the text into windows of at most ``limit`` tokens, about equally long, between words where possible.

    Return at least one window; only a window of a single character may exceed the limit.
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
    """Replace each lone surrogate by a question mark: tokenizers and UTF-8 reject them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _slices(text: str, parts: int) -> list[str]:
    cuts = {_cut_position(text, round(len(text) * part / parts)) for part in range(1, parts)}
    return [text[start:end] for start, end in pairwise(sorted({0, *cuts, len(text)}))]


def _cut_position(text: str, target: int) -> int:
    match = _SPACE_PATTERN.search(text, target - 1, target + _MAX_CUT_SHIFT_CHARS)
    # A cut at the very end would leave the text whole, and the recursion would not end.
    return match.end() if match and match.end() < len(text) else target
