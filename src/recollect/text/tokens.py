"""Estimates how many tokens a language model makes of a text."""

import re
from math import ceil

_PIECES = re.compile(r"[A-Za-z]+|\d+|\s+|[^\x00-\x7f]|[^\w\s]")


def estimate(text: str) -> int:
    total = 0.0
    for piece in _PIECES.findall(text):
        if piece.isspace():
            total += 0.02 + 0.3 * piece.count("\n")
        elif piece.isascii() and piece.isalpha():
            total += 1 if len(piece) <= 7 else 1 + (len(piece) - 7) / 5
        elif piece.isdigit():
            total += ceil(len(piece) / 3)
        else:
            total += 0.8
    return ceil(total)


def clip_to(text: str, budget: int) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[:low]
