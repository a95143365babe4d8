"""Make recalled text safe for a prompt: no hidden characters, no active markup, no escape from its line."""

import re
from functools import lru_cache

from recollect.context.neutralize import neutralize

#: A passage is rendered several times for one block: measured, compared and shown, and again in the next turn.
MAX_CACHED_TEXTS = 1_024

#: Characters that are invisible to people but not to a model: controls, bidirectional marks, zero widths, fillers,
#: variation selectors (but not the one that makes an emoji of a symbol), tags, lone surrogates and noncharacters.
HIDDEN_CHARACTERS_PATTERN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0e\ufeff"
    r"\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def strip_hidden(text: str) -> str:
    """Return the text neutralized and without hidden characters; every kind of line break becomes a newline."""
    stripped = HIDDEN_CHARACTERS_PATTERN.sub("", "\n".join(text.splitlines()))
    return neutralize(stripped.strip("\n").rstrip()) if stripped.strip() else ""


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def to_single_line(text: str) -> str:
    """Return the text neutralized and on one line."""
    # Lines are neutralized before they are joined, since afterwards they no longer begin a line; and the joined line
    # again, since parts of a marker may have come together.
    return neutralize(" ".join(strip_hidden(text).split()))


def indent_continuation(text: str) -> str:
    """Return the text with all lines but the first indented, so that they stay inside their bullet."""
    first, *rest = strip_hidden(text).split("\n")
    return "\n".join([first, *(f"  {line}" if line.strip() else "" for line in rest)])
