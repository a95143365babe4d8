"""Tell the words of a clause as a short fact, with relative dates made absolute."""

import re
from collections.abc import Sequence

from recollect.extraction.rules.dates import When
from recollect.extraction.rules.tokens import Word

_SPACES = re.compile(r"\s+")
_MARKS = str.maketrans("", "", '"“”«»`*_')
_TRIM = " \t,;:.-—–([]*_\"'“”«»`!?…<>/|~"


def plain(words: Sequence[Word], shown: str) -> str:
    """The words as they were written."""
    return joined(words, [word.text for word in words], shown)


def joined(words: Sequence[Word], told: Sequence[str | None], shown: str) -> str:
    """Put retold words where the old ones stood, with what stood between them."""
    pieces: list[str] = []
    last: Word | None = None
    for word, text in zip(words, told, strict=True):
        if text is None:
            continue
        if last is not None:
            pieces.append(_between(last, word, shown))
        pieces.append(text)
        last = word
    return "".join(pieces).lstrip(_TRIM + ")").rstrip(_TRIM)


def _between(left: Word, right: Word, shown: str) -> str:
    gap = shown[left.end : right.start]
    # Words that were left out stand in the gap as well; only what touches the neighbours is kept.
    if any(letter.isalnum() for letter in gap) and not _is_link(gap):
        return " "
    kept = _SPACES.sub(" ", gap.translate(_MARKS))
    return kept or " "


def _is_link(gap: str) -> bool:
    return gap.strip(" ,") in {"and", "or", "e", "ou", "&", "nor", "nem"}


def dated(told: Sequence[str | None], whens: Sequence[When]) -> list[str | None]:
    """Write each date behind the words that mean it."""
    labels = {when.last: when.label for when in whens if when.label}
    return [
        f"{text} ({labels[place]})" if text is not None and place in labels else text
        for place, text in enumerate(told)
    ]
