"""Tell the words of a clause as a short fact, with relative dates made absolute."""

import re
from collections.abc import Sequence

from recollect.extraction.rules.dates import DateMention
from recollect.extraction.rules.tokens import Word

_WHITESPACE_PATTERN = re.compile(r"\s+")
_MARKUP_CHARACTERS = str.maketrans("", "", '"“”«»`*_')
_EDGE_CHARACTERS = " \t,;:.-—–([]*_\"'“”«»`!?…<>/|~"


def original_text(words: Sequence[Word], prose: str) -> str:
    """The words as they were written."""
    return join_words(words, [word.text for word in words], prose)


def join_words(words: Sequence[Word], texts: Sequence[str | None], prose: str) -> str:
    """Put retold words where the old ones stood, with what stood between them."""
    pieces: list[str] = []
    last: Word | None = None
    for word, text in zip(words, texts, strict=True):
        if text is None:
            continue
        if last is not None:
            pieces.append(_gap_text(last, word, prose))
        pieces.append(text)
        last = word
    return "".join(pieces).lstrip(_EDGE_CHARACTERS + ")").rstrip(_EDGE_CHARACTERS)


def _gap_text(left: Word, right: Word, prose: str) -> str:
    gap = prose[left.end : right.start]
    # Words that were left out stand in the gap as well; only what touches the neighbours is kept.
    if any(letter.isalnum() for letter in gap) and not _is_conjunction(gap):
        return " "
    cleaned_gap = _WHITESPACE_PATTERN.sub(" ", gap.translate(_MARKUP_CHARACTERS))
    return cleaned_gap or " "


def _is_conjunction(gap: str) -> bool:
    return gap.strip(" ,") in {"and", "or", "e", "ou", "&", "nor", "nem"}


def append_dates(texts: Sequence[str | None], date_mentions: Sequence[DateMention]) -> list[str | None]:
    """Write each date behind the words that mean it."""
    labels = {when.last_word: when.label for when in date_mentions if when.label}
    return [
        f"{text} ({labels[place]})" if text is not None and place in labels else text
        for place, text in enumerate(texts)
    ]
