"""Whether a fact stands already in a file that the user keeps at hand."""

from recollect.domain.memory import normalize_fact
from recollect.text.analyzer import fold_text

#: Shorter texts stand in any file by chance.
MIN_CONTAINED_CHARS = 10
MIN_CONTAINED_WORDS = 2


def is_contained(fact: str, content: str) -> bool:
    """Whether one stands in the other, word for word; case, accents and spaces do not matter."""
    shorter, longer = sorted((_comparable_text(fact), _comparable_text(content)), key=len)
    if len(shorter) < MIN_CONTAINED_CHARS or len(shorter.split()) < MIN_CONTAINED_WORDS:
        return False
    return f" {shorter} " in f" {longer} "


def _comparable_text(text: str) -> str:
    """Words and single spaces only, so that a stop or a line break between them is no difference."""
    bare = "".join(letter if letter.isalnum() else " " for letter in fold_text(normalize_fact(text)))
    return " ".join(bare.split())
