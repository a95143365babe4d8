"""Split messages into sentences of prose, without code and quotations."""

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
    """Return the sentences of a message without code blocks, lines of code and quotations."""
    prose = _INLINE_CODE_PATTERN.sub(
        _replace_inline_code, _CODE_FENCE_PATTERN.sub("\n", text[:_MAX_TEXT_CHARS])
    )
    lines = (line for line in prose.splitlines() if not _is_code(line) and not line.lstrip().startswith(">"))
    plain_lines = (_BULLET_PATTERN.sub("", line).replace("**", "").replace("__", "") for line in lines)
    return [
        sentence
        for line in plain_lines
        for part in _SENTENCE_PATTERN.findall(line)
        if (sentence := " ".join(part.split()))
    ]


def _replace_inline_code(match: re.Match[str]) -> str:
    """Keep a single identifier; replace longer code by an ellipsis."""
    return match[1] if _CODE_NAME_PATTERN.fullmatch(match[1]) else "…"


def _is_code(line: str) -> bool:
    """Return whether more than one character in eight is a code sign, or a keyword and a sign occur."""
    signs = sum(letter in _CODE_SIGNS for letter in line)
    return 8 * signs > len(line.strip()) or (signs > 0 and _CODE_KEYWORD_PATTERN.match(line) is not None)


def truncate_words(text: str, max_words: int) -> str:
    """Return at most ``max_words`` words, with an ellipsis if some were cut."""
    words = text.split()
    return (
        " ".join(words)
        if len(words) <= max_words
        else " ".join(words[: max(max_words - 1, 1)]).rstrip(",;:") + " …"
    )
