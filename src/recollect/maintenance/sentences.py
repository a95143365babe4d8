"""What people said, without the code they showed: in sentences, fit to be quoted."""

import re

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(r"[\w./:@#-]+(?:\(\))?")
_SENTENCE = re.compile(r"[^.!?\n]++(?:[.!?]++(?=\S)[^.!?\n]*+)*+[.!?]*+")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|#{1,6}|>)\s+")
_KEYWORD = re.compile(
    r"\s*(?:def |class |import |from \w+ import|const |let |var |function |return\b|public |private |async |elif |"
    r"else:|print\(|console\.|#include|package |func |fn |SELECT |INSERT |UPDATE |DELETE |CREATE |<\w+[ />]|</|//|"
    r"/\*|@\w+\(|\$ )"
)
_SIGNS = frozenset("{}();=<>[]\\|$")
_ENOUGH = 20_000


def sentences(text: str) -> list[str]:
    """The sentences of a message; code blocks, lines of code and quotations are not what somebody said."""
    shown = _INLINE.sub(_named, _FENCE.sub("\n", text[:_ENOUGH]))
    lines = (line for line in shown.splitlines() if not _is_code(line) and not line.lstrip().startswith(">"))
    told = (_BULLET.sub("", line).replace("**", "").replace("__", "") for line in lines)
    return [found for line in told for part in _SENTENCE.findall(line) if (found := " ".join(part.split()))]


def _named(match: re.Match[str]) -> str:
    """A name in code is a name; anything longer is code."""
    return match[1] if _NAME.fullmatch(match[1]) else "…"


def _is_code(line: str) -> bool:
    """One sign in eight is far more than prose has; a keyword at the start needs a sign as well."""
    signs = sum(letter in _SIGNS for letter in line)
    return 8 * signs > len(line.strip()) or (signs > 0 and _KEYWORD.match(line) is not None)


def clipped(text: str, words: int) -> str:
    """The first words, and a sign that there were more."""
    said = text.split()
    return " ".join(said) if len(said) <= words else " ".join(said[: max(words - 1, 1)]).rstrip(",;:") + " …"
