"""Cut a message into sentences and clauses, leaving out code, logs and what is quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.extraction.rules.grammar import Language
from recollect.extraction.rules.tokens import Word, read

_FENCE = "```"
_QUOTES = {'"': '"', "“": "”", "«": "»", "`": "`"}
_LOG = re.compile(
    r"\s*+(?:[\[(]?(?:error|warn|warning|info|debug|fatal|trace|traceback|exception)\b"
    r"|[\[(]?\d{4}-\d\d-\d\d[ T]|at \w+[.(]|File \"|[$#%] \w)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\s*+(?:def|class|import|from \w+ import|const|let|var|function|return|public|private|async def|elif|else:|"
    r"print\(|console\.|#include|package|func|fn|SELECT|INSERT|UPDATE|DELETE|CREATE|<\w+[ />]|</|//|/\*|@\w+\()"
)
_CODE_SIGNS = frozenset("{}();=<>[]\\|$")
_QUOTED_NAME_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    words: tuple[Word, ...]
    gaps: tuple[str, ...]  #: what stands before each word
    end: str  #: what stands after the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    words: tuple[Word, ...]
    link: str  #: the word or sign it hangs on: "", ",", "and", "because", ":"


def visible(text: str) -> str:
    """Blank out what nobody said in this message: the length stays the same."""
    shown = _without_fences(text)
    return "".join(_visible_line(line) for line in shown.splitlines(keepends=True))


def _without_fences(text: str) -> str:
    parts, place = [], 0
    while (start := text.find(_FENCE, place)) >= 0:
        close = text.find(_FENCE, start + len(_FENCE))
        end = len(text) if close < 0 else close + len(_FENCE)
        parts += [text[place:start], "\n" * (end - start)]
        place = end
    return "".join([*parts, text[place:]])


def _visible_line(line: str) -> str:
    bare = line.strip()
    if bare.startswith(">") or _LOG.match(line) or _is_code(bare):
        return "\n" * len(line)
    return _without_quotes(line)


def _is_code(line: str) -> bool:
    """One sign in eight is far more than prose has; a keyword at the start needs a sign as well."""
    signs = sum(letter in _CODE_SIGNS for letter in line)
    return 8 * signs > len(line) or (signs > 1 and _CODE.match(line) is not None)


def _without_quotes(line: str) -> str:
    parts, place, opened = [], 0, 0
    last = {close: line.rfind(close) for close in set(_QUOTES.values())}
    while opened < len(line):
        close = _QUOTES.get(line[opened])
        if close is None or last[close] <= opened:
            opened += 1
            continue
        end = line.find(close, opened + 1)
        if _is_speech(line[opened + 1 : end].split()):
            parts += [line[place : opened + 1], " " * (end - opened - 1)]
            place = end
        opened = end + 1
    return "".join([*parts, line[place:]])


def _is_speech(words: Sequence[str]) -> bool:
    """A name or a title may be part of a fact; a quoted clause is somebody's speech."""
    capitals = sum(word[0].isupper() and len(word.strip(",.!")) > 1 for word in words)
    return len(words) > _QUOTED_NAME_WORDS and 2 * capitals < len(words)


def sentences(shown: str, language: Language) -> Iterator[Sentence]:
    words = language.spoken(read(shown, language.contractions, language.clitics))
    first = 0
    for place, word in enumerate(words):
        after = words[place + 1].start if place + 1 < len(words) else len(shown)
        gap = shown[word.end : after]
        if place + 1 == len(words) or _ends(word, gap, language):
            yield _sentence(words[first : place + 1], shown, gap)
            first = place + 1


def _ends(word: Word, gap: str, language: Language) -> bool:
    if "\n" in gap or any(sign in gap for sign in "!?…"):
        return True
    if "." not in gap:
        return False
    short = word.fold in language.abbreviations or (len(word.text) == 1 and word.text.isupper())
    return not short or word.fold in language.pronouns


def _sentence(words: Sequence[Word], shown: str, end: str) -> Sentence:
    gaps = ["", *(shown[left.end : right.start] for left, right in pairwise(words))]
    return Sentence(words=tuple(words), gaps=tuple(gaps), end=end)


def segments(sentence: Sentence, language: Language) -> list[Clause]:
    """Cut wherever a clause could begin; a list is cut as well, and joined again by whoever knows its verb."""
    found: list[Clause] = []
    current: list[Word] = []
    link = ""
    for word, gap in zip(sentence.words, sentence.gaps, strict=True):
        sign = _sign(gap)
        soft = word.fold in language.soft and not (current and current[-1].fold in language.before_is)
        hard = word.fold in language.hard and not (current and current[-1].fold in language.degree)
        turn = word.fold in language.pronouns and len(current) > 2 and current[0].fold in language.when
        if current and (sign or hard or soft or turn):
            found.append(Clause(words=tuple(current), link=link))
            current, link = [], sign or ","
        if hard or soft:
            link = word.fold if link in {"", ","} else link
        if not soft:
            current.append(word)
    if current:
        found.append(Clause(words=tuple(current), link=link))
    return found


def _sign(gap: str) -> str:
    # "CS:GO" and "10:30" are no clauses.
    if ":" in gap and gap != ":":
        return ":"
    for sign in (";", "—", "–", "(", ")", ","):
        if sign in gap:
            return sign
    return "—" if " - " in gap or "<-" in gap else ""
