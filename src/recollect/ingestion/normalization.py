"""Normalize and validate the content of an incoming message."""

import unicodedata

from recollect.errors import EmptyText, TextTooLong

#: Separators, control and format characters. Unassigned code points (Cn) count as visible, since emoji newer than
#: Python's Unicode tables are among them.
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

#: Letters and symbols that render as blank: Hangul fillers and the empty Braille cell.
_BLANK_CHARACTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def normalize_content(text: str, *, max_bytes: int) -> str:
    """
    Return the text without NUL and with U+FFFD for each lone surrogate; everything else is unchanged.

    Raises EmptyText when nothing visible is left and TextTooLong above ``max_bytes`` bytes of UTF-8.
    """
    text = text.replace("\0", "")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        text = _repair_surrogates(text)
        size = len(text.encode())
    if size > max_bytes:
        raise TextTooLong(
            f"The text has {size:,} bytes of UTF-8; the limit for one message is {max_bytes:,}."
            " Split it into several messages, or raise collect.max_message_bytes."
        )
    if not any(map(_is_visible, text)):
        raise EmptyText
    return text


def _repair_surrogates(text: str) -> str:
    # An adjacent pair of surrogates becomes its character; only unpaired ones are replaced.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _INVISIBLE_CATEGORIES and character not in _BLANK_CHARACTERS
