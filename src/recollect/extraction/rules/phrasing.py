"""Join the words of a clause to the text of a fact, with resolved dates."""

import re
from collections.abc import Sequence

from recollect.extraction.rules.tokens import Word
from recollect.text.dates import DateMention

_WHITESPACE_PATTERN = re.compile(r"\s+")
_MARKUP_CHARACTERS = str.maketrans("", "", '"“”«»`*_')
_EDGE_CHARACTERS = " \t,;:.-—–([]*_\"'“”«»`!?…<>/|~"


def original_text(words: Sequence[Word], prose: str) -> str:
    """Return the words as written, with the original text between them."""
    return join_words(words, [word.text for word in words], prose)


def join_words(words: Sequence[Word], texts: Sequence[str | None], prose: str) -> str:
    """Join rewritten words with the original text between them; None omits a word."""
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
    # The gap may contain omitted words; then only a space is kept.
    if any(letter.isalnum() for letter in gap) and not _is_conjunction(gap):
        return " "
    cleaned_gap = _WHITESPACE_PATTERN.sub(" ", gap.translate(_MARKUP_CHARACTERS))
    return cleaned_gap or " "


def _is_conjunction(gap: str) -> bool:
    return gap.strip(" ,") in {"and", "or", "e", "ou", "&", "nor", "nem"}


def append_dates(texts: Sequence[str | None], date_mentions: Sequence[DateMention]) -> list[str | None]:
    """Append each resolved date in parentheses to the last word of its mention."""
    labels = {mention.last_word: mention.label for mention in date_mentions if mention.label}
    return [
        f"{text} ({labels[index]})" if text is not None and index in labels else text
        for index, text in enumerate(texts)
    ]
