"""Split a message into sentences and clauses, without code, logs and quotations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.extraction.rules.grammar import Grammar
from recollect.extraction.rules.tokens import Word, tokenize

_CODE_FENCE = "```"
_QUOTE_PAIRS = {'"': '"', "“": "”", "«": "»", "`": "`"}
_LOG_LINE_PATTERN = re.compile(
    r"\s*+(?:[\[(]?(?:error|warn|warning|info|debug|fatal|trace|traceback|exception)\b"
    r"|[\[(]?\d{4}-\d\d-\d\d[ T]|at \w+[.(]|File \"|[$#%] \w)",
    re.IGNORECASE,
)
_CODE_LINE_PATTERN = re.compile(
    r"\s*+(?:def|class|import|from \w+ import|const|let|var|function|return|public|private|async def|elif|else:|"
    r"print\(|console\.|#include|package|func|fn|SELECT|INSERT|UPDATE|DELETE|CREATE|<\w+[ />]|</|//|/\*|@\w+\()"
)
_CODE_SIGNS = frozenset("{}();=<>[]\\|$")
_MAX_QUOTED_NAME_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    words: tuple[Word, ...]
    gaps: tuple[str, ...]  #: text before each word
    end: str  #: text after the last word


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    words: tuple[Word, ...]
    link: str  #: conjunction or sign before the clause: "", ",", "and", "because", ":"


def blank_non_prose(text: str) -> str:
    """Return the text with code, logs and quotations blanked; the length is unchanged."""
    prose = _blank_fences(text)
    return "".join(_blank_non_prose_line(line) for line in prose.splitlines(keepends=True))


def _blank_fences(text: str) -> str:
    parts, position = [], 0
    while (start := text.find(_CODE_FENCE, position)) >= 0:
        close = text.find(_CODE_FENCE, start + len(_CODE_FENCE))
        end = len(text) if close < 0 else close + len(_CODE_FENCE)
        parts += [text[position:start], "\n" * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def _blank_non_prose_line(line: str) -> str:
    bare = line.strip()
    if bare.startswith(">") or _LOG_LINE_PATTERN.match(line) or _is_code(bare):
        return "\n" * len(line)
    return _blank_quotes(line)


def _is_code(line: str) -> bool:
    """Return whether more than one character in eight is a code sign, or a keyword and two signs occur."""
    signs = sum(letter in _CODE_SIGNS for letter in line)
    return 8 * signs > len(line) or (signs > 1 and _CODE_LINE_PATTERN.match(line) is not None)


def _blank_quotes(line: str) -> str:
    parts, position, opening = [], 0, 0
    last = {close: line.rfind(close) for close in set(_QUOTE_PAIRS.values())}
    while opening < len(line):
        close = _QUOTE_PAIRS.get(line[opening])
        if close is None or last[close] <= opening:
            opening += 1
            continue
        end = line.find(close, opening + 1)
        if _is_quoted_speech(line[opening + 1 : end].split()):
            parts += [line[position : opening + 1], " " * (end - opening - 1)]
            position = end
        opening = end + 1
    return "".join([*parts, line[position:]])


def _is_quoted_speech(words: Sequence[str]) -> bool:
    """Return whether quoted words are speech; a quoted name or title may be part of a fact."""
    capitals = sum(word[0].isupper() and len(word.strip(",.!")) > 1 for word in words)
    return len(words) > _MAX_QUOTED_NAME_WORDS and 2 * capitals < len(words)


def split_sentences(prose: str, grammar: Grammar) -> Iterator[Sentence]:
    words = grammar.normalize_speaker(tokenize(prose, grammar.contractions, grammar.clitics))
    first = 0
    for position, word in enumerate(words):
        after = words[position + 1].start if position + 1 < len(words) else len(prose)
        gap = prose[word.end : after]
        if position + 1 == len(words) or _ends_sentence(word, gap, grammar):
            yield _build_sentence(words[first : position + 1], prose, gap)
            first = position + 1


def _ends_sentence(word: Word, gap: str, grammar: Grammar) -> bool:
    if "\n" in gap or any(sign in gap for sign in "!?…"):
        return True
    if "." not in gap:
        return False
    is_abbreviation = word.fold in grammar.abbreviations or (len(word.text) == 1 and word.text.isupper())
    return not is_abbreviation or word.fold in grammar.pronouns


def _build_sentence(words: Sequence[Word], prose: str, end: str) -> Sentence:
    gaps = ["", *(prose[left.end : right.start] for left, right in pairwise(words))]
    return Sentence(words=tuple(words), gaps=tuple(gaps), end=end)


def split_clauses(sentence: Sentence, grammar: Grammar) -> list[Clause]:
    """Split at every possible clause boundary; `composition` joins the items of a list again."""
    clauses: list[Clause] = []
    current: list[Word] = []
    link = ""
    for word, gap in zip(sentence.words, sentence.gaps, strict=True):
        sign = _clause_separator(gap)
        is_list_link = word.fold in grammar.list_conjunctions and not (
            current and current[-1].fold in grammar.words_before_is
        )
        is_clause_link = word.fold in grammar.clause_conjunctions and not (
            current and current[-1].fold in grammar.degree_verbs
        )
        is_speaker_turn = (
            word.fold in grammar.pronouns
            and len(current) > 2
            and current[0].fold in grammar.temporal_conjunctions
        )
        if current and (sign or is_clause_link or is_list_link or is_speaker_turn):
            clauses.append(Clause(words=tuple(current), link=link))
            current, link = [], sign or ","
        if is_clause_link or is_list_link:
            link = word.fold if link in {"", ","} else link
        if not is_list_link:
            current.append(word)
    if current:
        clauses.append(Clause(words=tuple(current), link=link))
    return clauses


def _clause_separator(gap: str) -> str:
    # The colon of "CS:GO" and "10:30" separates no clauses.
    if ":" in gap and gap != ":":
        return ":"
    for sign in (";", "—", "–", "(", ")", ","):
        if sign in gap:
            return sign
    return "—" if " - " in gap or "<-" in gap else ""
