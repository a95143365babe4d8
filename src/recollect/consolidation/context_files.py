"""Detect facts that a context file already contains."""

from recollect.domain.memory import normalize_fact
from recollect.text.analyzer import fold_text

#: Shorter texts occur in any file by chance.
MIN_CONTAINED_CHARS = 10
MIN_CONTAINED_WORDS = 2


def is_contained(fact: str, content: str) -> bool:
    """Whether one text contains the other, ignoring case, accents, punctuation and spacing."""
    shorter, longer = sorted((_comparable_text(fact), _comparable_text(content)), key=len)
    if len(shorter) < MIN_CONTAINED_CHARS or len(shorter.split()) < MIN_CONTAINED_WORDS:
        return False
    return f" {shorter} " in f" {longer} "


def _comparable_text(text: str) -> str:
    """Return the folded words joined by single spaces."""
    bare = "".join(letter if letter.isalnum() else " " for letter in fold_text(normalize_fact(text)))
    return " ".join(bare.split())
