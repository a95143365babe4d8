"""Make what a client sent fit to be stored, or say why it cannot be."""

import unicodedata

from recollect.errors import EmptyText, TextTooLong

#: Separators, controls and format characters. Unassigned ones are not here: tomorrow's emoji look so today.
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

#: Letters and symbols by name that show nothing: Hangul fillers and the empty Braille cell.
_BLANK_CHARACTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def normalize_content(text: str, *, max_bytes: int) -> str:
    """
    Return the text without NUL and with U+FFFD for each lone surrogate; all else stays as it was.

    Raises EmptyText when nothing visible is left and TextTooLong above ``largest`` bytes of UTF-8.
    """
    text = text.replace("\0", "")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        text = _repair_surrogates(text)
        size = len(text.encode())
    if size > max_bytes:
        raise TextTooLong(
            f"The text has {size:,} bytes of UTF-8, and one message may have {max_bytes:,}."
            " Split it into several messages, or raise collect.max_message_bytes."
        )
    if not any(map(_is_visible, text)):
        raise EmptyText
    return text


def _repair_surrogates(text: str) -> str:
    # Two halves that stand side by side are one character; only halves without a partner are lost.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _INVISIBLE_CATEGORIES and character not in _BLANK_CHARACTERS
