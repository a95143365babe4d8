"""Truncate long tool output and add a notice with its original size."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

Arguments = ParamSpec("Arguments")

#: Template of a truncated output: the beginning, and the size of the whole output in bytes.
TRUNCATION_NOTICE = (
    "%s\n... [Output truncated. Original size: %d bytes."
    " Hint: Use standard unix tools like grep/head to read specific parts]"
)
_NOTICE_BEFORE_SIZE, _NOTICE_AFTER_SIZE = TRUNCATION_NOTICE.removeprefix("%s").split("%d")

#: How far a cut moves back to keep a letter together with its combining marks.
_MAX_CUT_SHIFT_CHARS = 16
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    text: str
    original_bytes: int | None = None  #: UTF-8 size before truncation; None if nothing was cut


def truncate(text: str, limit: int) -> Truncation:
    """Keep the first ``limit`` characters and add the notice; 0 keeps all. Idempotent."""
    if limit <= 0 or len(text) <= limit:
        return Truncation(text=text)
    head, size = _parse_notice(text) or (text, len(text.encode("utf-8", "surrogatepass")))
    if len(head) <= limit:
        return Truncation(text=text, original_bytes=size)
    return Truncation(text=TRUNCATION_NOTICE % (head[: _find_cut(head, limit)], size), original_bytes=size)


def truncate_output(limit: int = 2000) -> Callable[[Callable[Arguments, str]], Callable[Arguments, str]]:
    """Decorate a tool function so that its return value is truncated: ``@truncate_output()``."""

    def decorate(tool: Callable[Arguments, str]) -> Callable[Arguments, str]:
        @wraps(tool)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> str:
            return truncate(tool(*args, **kwargs), limit).text

        return run

    return decorate


def _parse_notice(text: str) -> tuple[str, int] | None:
    # A tool may truncate its own output; its original size must survive when the message is stored.
    head, notice, rest = text.rpartition(_NOTICE_BEFORE_SIZE)
    size = rest.removesuffix(_NOTICE_AFTER_SIZE)
    if notice and size != rest and size.isascii() and size.isdecimal() and len(size) <= 18:
        return head, int(size)
    return None


def _find_cut(text: str, limit: int) -> int:
    for cut in range(limit, max(limit - _MAX_CUT_SHIFT_CHARS, 0), -1):
        if not _is_inseparable(text[cut - 1], text[cut]):
            return cut
    return limit


def _is_inseparable(left: str, right: str) -> bool:
    return (
        unicodedata.category(right) in {"Mn", "Mc", "Me"}
        or "🏻" <= right <= "🏿"
        or _ZERO_WIDTH_JOINER in {left, right}
        or (left, right) == ("\r", "\n")
    )
