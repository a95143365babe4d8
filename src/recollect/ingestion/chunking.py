"""Cut a long message into code blocks and passages of prose that can be found by themselves."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.message import Chunk, ChunkKind
from recollect.domain.policy import Chunking
from recollect.text.tokens import estimate

# Each pattern is tried once per place and never takes a step back, so that no text can make it slow.
_FENCE = re.compile(r"`{3,}|~{3,}")
_FENCES = ("```", "~~~")
_LINE = re.compile(r"[^\r\n]*+")
_BLANK_LINES = re.compile(r"(?>\r\n|\n|\r)(?>[^\S\r\n]*+(?>\r\n|\n|\r))++")
_SPACE = re.compile(r"\s++")
_SENTENCE_END = re.compile(
    r"""
    (?: (?<=[.!?…:;]) | (?<=[.!?…:;]["')\]}»”’*_]) | (?<=[.!?…:;]["')\]}»”’*_]{2}) ) \s++
    | [\r\n]\s*+
    | [。！？｡]++[」』”’）]*+
    """,
    re.VERBOSE,
)

#: What follows a fence is a language if it is no longer than this.
_LONGEST_LANGUAGE = 40

#: Longer words are cut like any row of characters, and longer heaps of accents too.
_LONGEST_WORD = 64
_MOST_ACCENTS = 16

#: A text of this many characters per token has blanks in it; visible text has fewer.
_SPARSE = 16


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    kind: ChunkKind
    language: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    tokens: int


def chunks(text: str, policy: Chunking) -> tuple[Chunk, ...]:
    """
    Return the chunks of a long message in order, or nothing when it stays in one piece.

    Every visible character is in exactly one chunk. Code blocks are whole, whatever their size;
    prose is cut between paragraphs, then sentences, then words, and never exceeds ``max_tokens``.
    """
    if not policy.enabled or _tokens(text, policy.min_tokens) <= policy.min_tokens:
        return ()
    found = [(block, piece) for block in _blocks(text) for piece in _passages(text, block, policy.max_tokens)]
    if len(found) < 2:
        return ()
    return tuple(_chunk(text, index, block, piece) for index, (block, piece) in enumerate(found))


def _chunk(text: str, index: int, block: _Block, piece: _Piece) -> Chunk:
    return Chunk(
        index=index,
        kind=block.kind,
        content=text[piece.start : piece.end],
        start=piece.start,
        tokens=piece.tokens,
        language=block.language,
    )


def _tokens(text: str, limit: int) -> int:
    """The tokens of the text; of a long one that is over the limit anyway only those of its beginning."""
    beginning = text[: _SPARSE * max(limit, 1)]
    tokens = estimate(beginning)
    return tokens if tokens > limit or len(beginning) == len(text) else estimate(text)


def _blocks(text: str) -> Iterator[_Block]:
    """Fenced code, and what stands between, in order. A fence that nobody closes reaches to the end."""
    if not any(fence in text for fence in _FENCES):
        yield _Block(0, len(text), ChunkKind.PROSE)
        return
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if (line := _line_start(text, fence.start())) is None:
            continue
        after = _rest_of_line(text, fence.end())
        if opening is None and _opens(fence, after):
            if text[at:line].strip():
                yield _Block(at, line, ChunkKind.PROSE)
            at, opening = line, fence
        elif opening is not None and _closes(opening, fence, after):
            yield _code(text, at, fence.end(), opening)
            at, opening = fence.end(), None
    yield _Block(at, len(text), ChunkKind.PROSE) if opening is None else _code(text, at, len(text), opening)


def _line_start(text: str, at: int) -> int | None:
    """Where the line begins if only up to three spaces stand before ``at``."""
    start = at
    while start > 0 and text[start - 1] == " " and at - start < 4:
        start -= 1
    begins = start == 0 or text[start - 1] in "\r\n"
    return start if begins and at - start < 4 else None


def _rest_of_line(text: str, at: int) -> str:
    found = _LINE.match(text, at)
    return found.group() if found else ""


def _opens(fence: re.Match[str], after: str) -> bool:
    # "```like this```" at the start of a line is inline code.
    return not (fence.group().startswith("`") and "`" in after)


def _closes(opening: re.Match[str], fence: re.Match[str], after: str) -> bool:
    return fence.group().startswith(opening.group()) and not after.strip()


def _code(text: str, start: int, end: int, opening: re.Match[str]) -> _Block:
    end = start + len(text[start:end].rstrip())
    words = _rest_of_line(text, opening.end()).split(maxsplit=1)
    language = words[0] if words and len(words[0]) <= _LONGEST_LANGUAGE else None
    return _Block(start, end, ChunkKind.CODE, language)


def _passages(text: str, block: _Block, limit: int) -> Iterator[_Piece]:
    if block.kind is ChunkKind.CODE:
        yield _Piece(block.start, block.end, estimate(text[block.start : block.end]))
    else:
        yield from _packed(text, _pieces(text, block.start, block.end, limit), limit)


def _packed(text: str, pieces: Iterator[_Piece], limit: int) -> Iterator[_Piece]:
    """As many pieces in a row as fit together, then the next."""
    row: list[_Piece] = []
    total = 0
    for piece in pieces:
        added = piece.tokens + (_between(text, row[-1], piece) if row else 0)
        while row and total + added > limit:
            passage, row = _joined(text, row, limit)
            total = sum(left.tokens for left in row)
            yield passage
        row.append(piece)
        total += added
    while row:
        passage, row = _joined(text, row, limit)
        yield passage


def _between(text: str, left: _Piece, right: _Piece) -> int:
    # The single space between two words is part of the second one's token.
    return estimate(text[left.end : right.start]) if right.start - left.end > 1 else 0


def _joined(text: str, row: list[_Piece], limit: int) -> tuple[_Piece, list[_Piece]]:
    """The passage of the whole row, and none left; or without the last pieces should they not fit."""
    # A row is filled by adding up, since to count it again at each piece would be quadratic. Counted as a whole
    # it may be a little larger than the sum, so that a piece has to wait for the next passage.
    for last in range(len(row) - 1, 0, -1):
        start, end = row[0].start, row[last].end
        tokens = estimate(text[start:end])
        if tokens <= limit:
            return _Piece(start, end, tokens), row[last + 1 :]
    return row[0], row[1:]


def _pieces(text: str, start: int, end: int, limit: int, fineness: int = 0) -> Iterator[_Piece]:
    """Paragraphs; of those too large the sentences; of those too large runs of words."""
    for cut in (*_cuts(text, start, end, limit, fineness), end):
        piece = _trimmed(text, start, cut, limit)
        start = cut
        if piece.tokens > limit and piece.end - piece.start > 1:
            yield from _pieces(text, piece.start, piece.end, limit, fineness + 1)
        elif piece.end > piece.start:
            yield piece


def _cuts(text: str, start: int, end: int, limit: int, fineness: int) -> Iterator[int]:
    # Tiny neighbours stay together at first, so that a million lines of one letter are not counted one by one.
    tiny = limit // 16
    match fineness:
        case 0:
            return _ends(_BLANK_LINES, text, start, end, tiny)
        case 1:
            return _ends(_BLANK_LINES, text, start, end, 0)
        case 2:
            return _ends(_SENTENCE_END, text, start, end, tiny)
        case 3:
            return _ends(_SENTENCE_END, text, start, end, 0)
        case _:
            return _runs(text, start, end, max((limit // 8) >> (fineness - 4), 1), limit)


def _ends(pattern: re.Pattern[str], text: str, start: int, end: int, least: int) -> Iterator[int]:
    """Where paragraphs or sentences end, at least so many characters apart."""
    while gap := pattern.search(text, start + least, end):
        start = gap.end()
        yield start


def _runs(text: str, start: int, end: int, step: int, limit: int) -> Iterator[int]:
    """Where runs of about ``step`` characters end: between words, or else not between a letter and its accent."""
    while start + step < end:
        aim = start + step
        space = _SPACE.search(text, aim, min(aim + _LONGEST_WORD, end))
        if not space and end - aim < _LONGEST_WORD and estimate(text[start:end]) <= limit:
            # The last word of a text has no space behind it.
            return
        start = space.end() if space else _before_accents(text, start, aim)
        yield start


def _before_accents(text: str, start: int, aim: int) -> int:
    cut = aim
    while start + 1 < cut and unicodedata.combining(text[cut]) and aim - cut < _MOST_ACCENTS:
        cut -= 1
    return cut


def _trimmed(text: str, start: int, end: int, limit: int) -> _Piece:
    content = text[start:end].lstrip()
    start = end - len(content)
    content = content.rstrip()
    return _Piece(start, start + len(content), _tokens(content, limit))
