"""Whether a fact stands already in a file that the user keeps at hand."""

from recollect.domain.memory import normalised
from recollect.text.analyzer import folded

#: Shorter texts stand in any file by chance.
SHORTEST = 10
FEWEST_WORDS = 2


def contained(fact: str, content: str) -> bool:
    """Whether one stands in the other, word for word; case, accents and spaces do not matter."""
    shorter, longer = sorted((_plain(fact), _plain(content)), key=len)
    if len(shorter) < SHORTEST or len(shorter.split()) < FEWEST_WORDS:
        return False
    return f" {shorter} " in f" {longer} "


def _plain(text: str) -> str:
    """Words and single spaces only, so that a stop or a line break between them is no difference."""
    bare = "".join(letter if letter.isalnum() else " " for letter in folded(normalised(text)))
    return " ".join(bare.split())
