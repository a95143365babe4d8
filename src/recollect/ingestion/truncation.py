"""Keep the beginning of a tool's long output, and say how much there was."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

Arguments = ParamSpec("Arguments")

#: What stands in place of an output that was cut: what was kept, and the size of the whole.
NOTICE = (
    "%s\n... [Output truncated. Original size: %d bytes."
    " Hint: Use standard unix tools like grep/head to read specific parts]"
)
_BEFORE_SIZE, _AFTER_SIZE = NOTICE.removeprefix("%s").split("%d")

#: How far a cut moves back to leave a letter with its accents; longer heaps of accents are no letter.
_REACH = 16
_JOINER = "\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    text: str
    original_bytes: int | None = None  #: size of the whole in UTF-8; None when nothing was cut


def clip(text: str, limit: int) -> Clipped:
    """Keep the first ``limit`` characters and add the notice; 0 keeps all. Clipping twice is clipping once."""
    if limit <= 0 or len(text) <= limit:
        return Clipped(text=text)
    kept, size = _clipped_before(text) or (text, len(text.encode("utf-8", "surrogatepass")))
    if len(kept) <= limit:
        return Clipped(text=text, original_bytes=size)
    return Clipped(text=NOTICE % (kept[: _cut(kept, limit)], size), original_bytes=size)


def clipped(limit: int = 2000) -> Callable[[Callable[Arguments, str]], Callable[Arguments, str]]:
    """Clip what a tool function returns: ``@clipped()`` above its ``def``."""

    def decorate(tool: Callable[Arguments, str]) -> Callable[Arguments, str]:
        @wraps(tool)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> str:
            return clip(tool(*args, **kwargs), limit).text

        return run

    return decorate


def _clipped_before(text: str) -> tuple[str, int] | None:
    # A tool that clips its own output must not lose its true size when the message is stored.
    kept, notice, rest = text.rpartition(_BEFORE_SIZE)
    size = rest.removesuffix(_AFTER_SIZE)
    if notice and size != rest and size.isascii() and size.isdecimal() and len(size) <= 18:
        return kept, int(size)
    return None


def _cut(text: str, limit: int) -> int:
    for cut in range(limit, max(limit - _REACH, 0), -1):
        if not _belongs_together(text[cut - 1], text[cut]):
            return cut
    return limit


def _belongs_together(left: str, right: str) -> bool:
    return (
        unicodedata.category(right) in {"Mn", "Mc", "Me"}
        or "🏻" <= right <= "🏿"
        or _JOINER in {left, right}
        or (left, right) == ("\r", "\n")
    )
