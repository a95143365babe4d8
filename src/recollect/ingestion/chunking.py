"""
Split a long message into chunks that are indexed separately: hierarchical splitting, then greedy packing.

1. `_split_blocks` scans for Markdown fences and yields code and prose blocks. A code block is one chunk, whatever
   its size.
2. `_split_prose` splits prose at paragraph breaks; a part above ``max_tokens`` is split at sentence ends, then
   between words, then between characters (levels 0 to 4 and up of `_cut_points`; levels 0 and 2 leave cut points
   out that are less than ``max_tokens // 16`` characters apart, so that there are fewer parts to count).
3. `_pack_spans` merges neighbouring parts greedily while their sum stays within ``max_tokens``.

Invariants: each visible character is in exactly one chunk, ``text[chunk.start:][:len(chunk.content)]`` is the
content, chunks are in text order, and a prose chunk has at most ``max_tokens`` tokens.
Cost: linear in the length of the text; the patterns are possessive or atomic and cannot backtrack.

Example: with ``max_tokens=100``, paragraphs of 60, 30 and 250 tokens give a chunk of the first two (90 tokens) and
chunks of whole sentences of the third.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.domain.message import Chunk, ChunkKind
from recollect.domain.policy import ChunkingPolicy
from recollect.text.tokens import estimate_tokens

# Each pattern matches in linear time: quantifiers are possessive, so that no text causes backtracking.
_FENCE_PATTERN = re.compile(r"`{3,}|~{3,}")
_FENCE_MARKERS = ("```", "~~~")
_LINE_PATTERN = re.compile(r"[^\r\n]*+")
_BLANK_LINES_PATTERN = re.compile(r"(?>\r\n|\n|\r)(?>[^\S\r\n]*+(?>\r\n|\n|\r))++")
_WHITESPACE_PATTERN = re.compile(r"\s++")
_SENTENCE_END_PATTERN = re.compile(
    r"""
    (?: (?<=[.!?…:;]) | (?<=[.!?…:;]["')\]}»”’*_]) | (?<=[.!?…:;]["')\]}»”’*_]{2}) ) \s++
    | [\r\n]\s*+
    | [。！？｡]++[」』”’）]*+
    """,
    re.VERBOSE,
)

#: A longer word after an opening fence is not taken for the language.
_MAX_LANGUAGE_CHARS = 40

#: Longer words, and longer runs of combining marks, are cut anywhere.
_MAX_WORD_CHARS = 64
_MAX_COMBINING_MARKS = 16

#: Upper bound for visible text; only white space has more characters per token.
_MAX_CHARS_PER_TOKEN = 16


@dataclass(frozen=True, slots=True)
class _TextBlock:
    start: int
    end: int
    kind: ChunkKind
    language: str | None = None


@dataclass(frozen=True, slots=True)
class _TextSpan:
    start: int
    end: int
    tokens: int


def chunk_text(text: str, policy: ChunkingPolicy) -> tuple[Chunk, ...]:
    """
    Return the chunks of a long message in text order; an empty tuple when it needs no splitting.

    Every visible character is in exactly one chunk. Code blocks stay whole, whatever their size;
    prose is cut between paragraphs, then sentences, then words, and never exceeds ``max_tokens``.
    """
    if not policy.enabled or _count_tokens(text, policy.min_tokens) <= policy.min_tokens:
        return ()
    spans = [
        (block, piece)
        for block in _split_blocks(text)
        for piece in _split_block(text, block, policy.max_tokens)
    ]
    if len(spans) < 2:
        return ()
    return tuple(_build_chunk(text, index, block, piece) for index, (block, piece) in enumerate(spans))


def _build_chunk(text: str, index: int, block: _TextBlock, piece: _TextSpan) -> Chunk:
    return Chunk(
        index=index,
        kind=block.kind,
        content=text[piece.start : piece.end],
        start=piece.start,
        tokens=piece.tokens,
        language=block.language,
    )


def _count_tokens(text: str, limit: int) -> int:
    """Return the token count; for a text above the limit the count of a prefix that already exceeds it."""
    beginning = text[: _MAX_CHARS_PER_TOKEN * max(limit, 1)]
    tokens = estimate_tokens(beginning)
    return tokens if tokens > limit or len(beginning) == len(text) else estimate_tokens(text)


def _split_blocks(text: str) -> Iterator[_TextBlock]:
    """Yield fenced code blocks and the prose between them in order. An unclosed fence extends to the end."""
    if not any(fence in text for fence in _FENCE_MARKERS):
        yield _TextBlock(0, len(text), ChunkKind.PROSE)
        return
    position = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE_PATTERN.finditer(text):
        if (line := _fence_line_start(text, fence.start())) is None:
            continue
        rest = _rest_of_line(text, fence.end())
        if opening is None and _opens_block(fence, rest):
            if text[position:line].strip():
                yield _TextBlock(position, line, ChunkKind.PROSE)
            position, opening = line, fence
        elif opening is not None and _closes_block(opening, fence, rest):
            yield _code_block(text, position, fence.end(), opening)
            position, opening = fence.end(), None
    yield (
        _TextBlock(position, len(text), ChunkKind.PROSE)
        if opening is None
        else _code_block(text, position, len(text), opening)
    )


def _fence_line_start(text: str, position: int) -> int | None:
    """Return the start of the line if at most three spaces precede ``position``, else None."""
    start = position
    while start > 0 and text[start - 1] == " " and position - start < 4:
        start -= 1
    begins = start == 0 or text[start - 1] in "\r\n"
    return start if begins and position - start < 4 else None


def _rest_of_line(text: str, position: int) -> str:
    match = _LINE_PATTERN.match(text, position)
    return match.group() if match else ""


def _opens_block(fence: re.Match[str], rest: str) -> bool:
    # "```like this```" at the start of a line is inline code.
    return not (fence.group().startswith("`") and "`" in rest)


def _closes_block(opening: re.Match[str], fence: re.Match[str], rest: str) -> bool:
    return fence.group().startswith(opening.group()) and not rest.strip()


def _code_block(text: str, start: int, end: int, opening: re.Match[str]) -> _TextBlock:
    end = start + len(text[start:end].rstrip())
    words = _rest_of_line(text, opening.end()).split(maxsplit=1)
    language = words[0] if words and len(words[0]) <= _MAX_LANGUAGE_CHARS else None
    return _TextBlock(start, end, ChunkKind.CODE, language)


def _split_block(text: str, block: _TextBlock, limit: int) -> Iterator[_TextSpan]:
    if block.kind is ChunkKind.CODE:
        yield _TextSpan(block.start, block.end, estimate_tokens(text[block.start : block.end]))
    else:
        yield from _pack_spans(text, _split_prose(text, block.start, block.end, limit), limit)


def _pack_spans(text: str, spans: Iterator[_TextSpan], limit: int) -> Iterator[_TextSpan]:
    """Merge neighbouring spans greedily while they fit into the limit."""
    row: list[_TextSpan] = []
    total = 0
    for piece in spans:
        added = piece.tokens + (_separator_tokens(text, row[-1], piece) if row else 0)
        while row and total + added > limit:
            passage, row = _merge_row(text, row, limit)
            total = sum(left.tokens for left in row)
            yield passage
        row.append(piece)
        total += added
    while row:
        passage, row = _merge_row(text, row, limit)
        yield passage


def _separator_tokens(text: str, left: _TextSpan, right: _TextSpan) -> int:
    # The single space between two words is part of the second one's token.
    return estimate_tokens(text[left.end : right.start]) if right.start - left.end > 1 else 0


def _merge_row(text: str, row: list[_TextSpan], limit: int) -> tuple[_TextSpan, list[_TextSpan]]:
    """Return one span for as much of the row as fits, and the spans left over."""
    # Rows are filled by summing token counts, since counting the joined text for each span would be quadratic.
    # The count of the joined text may exceed the sum a little; then the last spans move to the next row.
    for last in range(len(row) - 1, 0, -1):
        start, end = row[0].start, row[last].end
        tokens = estimate_tokens(text[start:end])
        if tokens <= limit:
            return _TextSpan(start, end, tokens), row[last + 1 :]
    return row[0], row[1:]


def _split_prose(text: str, start: int, end: int, limit: int, level: int = 0) -> Iterator[_TextSpan]:
    """Yield paragraphs; split those above the limit into sentences, and those into runs of words."""
    for cut in (*_cut_points(text, start, end, limit, level), end):
        piece = _trim_span(text, start, cut, limit)
        start = cut
        if piece.tokens > limit and piece.end - piece.start > 1:
            yield from _split_prose(text, piece.start, piece.end, limit, level + 1)
        elif piece.end > piece.start:
            yield piece


def _cut_points(text: str, start: int, end: int, limit: int, level: int) -> Iterator[int]:
    # Short neighbours stay together at first, so that a million lines of one letter are not counted one by one.
    min_distance = limit // 16
    match level:
        case 0:
            return _boundaries(_BLANK_LINES_PATTERN, text, start, end, min_distance)
        case 1:
            return _boundaries(_BLANK_LINES_PATTERN, text, start, end, 0)
        case 2:
            return _boundaries(_SENTENCE_END_PATTERN, text, start, end, min_distance)
        case 3:
            return _boundaries(_SENTENCE_END_PATTERN, text, start, end, 0)
        case _:
            return _word_boundaries(text, start, end, max((limit // 8) >> (level - 4), 1), limit)


def _boundaries(
    pattern: re.Pattern[str], text: str, start: int, end: int, min_distance: int
) -> Iterator[int]:
    """Yield the ends of paragraphs or sentences that are at least ``min_distance`` characters apart."""
    while gap := pattern.search(text, start + min_distance, end):
        start = gap.end()
        yield start


def _word_boundaries(text: str, start: int, end: int, run_chars: int, limit: int) -> Iterator[int]:
    """Yield the ends of runs of about ``run_chars`` characters: between words, never before a combining mark."""
    while start + run_chars < end:
        target = start + run_chars
        space = _WHITESPACE_PATTERN.search(text, target, min(target + _MAX_WORD_CHARS, end))
        if not space and end - target < _MAX_WORD_CHARS and estimate_tokens(text[start:end]) <= limit:
            # No white space follows the last word of a text.
            return
        start = space.end() if space else _skip_combining_marks(text, start, target)
        yield start


def _skip_combining_marks(text: str, start: int, target: int) -> int:
    cut = target
    while start + 1 < cut and unicodedata.combining(text[cut]) and target - cut < _MAX_COMBINING_MARKS:
        cut -= 1
    return cut


def _trim_span(text: str, start: int, end: int, limit: int) -> _TextSpan:
    content = text[start:end].lstrip()
    start = end - len(content)
    content = content.rstrip()
    return _TextSpan(start, start + len(content), _count_tokens(content, limit))
