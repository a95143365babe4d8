"""What people said, without the code they showed: in sentences, fit to be quoted."""

import re

_CODE_FENCE_PATTERN = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_INLINE_CODE_PATTERN = re.compile(r"`([^`\n]{1,200})`")
_CODE_NAME_PATTERN = re.compile(r"[\w./:@#-]+(?:\(\))?")
_SENTENCE_PATTERN = re.compile(r"[^.!?\n]++(?:[.!?]++(?=\S)[^.!?\n]*+)*+[.!?]*+")
_BULLET_PATTERN = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|#{1,6}|>)\s+")
_CODE_KEYWORD_PATTERN = re.compile(
    r"\s*(?:def |class |import |from \w+ import|const |let |var |function |return\b|public |private |async |elif |"
    r"else:|print\(|console\.|#include|package |func |fn |SELECT |INSERT |UPDATE |DELETE |CREATE |<\w+[ />]|</|//|"
    r"/\*|@\w+\(|\$ )"
)
_CODE_SIGNS = frozenset("{}();=<>[]\\|$")
_MAX_TEXT_CHARS = 20_000


def split_sentences(text: str) -> list[str]:
    """The sentences of a message; code blocks, lines of code and quotations are not what somebody said."""
    prose = _INLINE_CODE_PATTERN.sub(
        _replace_inline_code, _CODE_FENCE_PATTERN.sub("\n", text[:_MAX_TEXT_CHARS])
    )
    lines = (line for line in prose.splitlines() if not _is_code(line) and not line.lstrip().startswith(">"))
    plain_lines = (_BULLET_PATTERN.sub("", line).replace("**", "").replace("__", "") for line in lines)
    return [
        found
        for line in plain_lines
        for part in _SENTENCE_PATTERN.findall(line)
        if (found := " ".join(part.split()))
    ]


def _replace_inline_code(match: re.Match[str]) -> str:
    """A name in code is a name; anything longer is code."""
    return match[1] if _CODE_NAME_PATTERN.fullmatch(match[1]) else "…"


def _is_code(line: str) -> bool:
    """One sign in eight is far more than prose has; a keyword at the start needs a sign as well."""
    signs = sum(letter in _CODE_SIGNS for letter in line)
    return 8 * signs > len(line.strip()) or (signs > 0 and _CODE_KEYWORD_PATTERN.match(line) is not None)


def truncate_words(text: str, max_words: int) -> str:
    """The first words, and a sign that there were more."""
    said = text.split()
    return (
        " ".join(said)
        if len(said) <= max_words
        else " ".join(said[: max(max_words - 1, 1)]).rstrip(",;:") + " …"
    )
