"""Make what a client sent fit to be stored, or say why it cannot be."""

import unicodedata

from recollect.errors import EmptyText, TextTooLong

#: Separators, controls and format characters. Unassigned ones are not here: tomorrow's emoji look so today.
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

#: Letters and symbols by name that show nothing: Hangul fillers and the empty Braille cell.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def clean(text: str, *, largest: int) -> str:
    """
    Return the text without NUL and with U+FFFD for each lone surrogate; all else stays as it was.

    Raises EmptyText when nothing visible is left and TextTooLong above ``largest`` bytes of UTF-8.
    """
    text = text.replace("\0", "")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        text = _mend(text)
        size = len(text.encode())
    if size > largest:
        raise TextTooLong(
            f"The text has {size:,} bytes of UTF-8, and one message may have {largest:,}."
            " Split it into several messages, or raise collect.largest_message."
        )
    if not any(map(_visible, text)):
        raise EmptyText
    return text


def _mend(text: str) -> str:
    # Two halves that stand side by side are one character; only halves without a partner are lost.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _BLANK
