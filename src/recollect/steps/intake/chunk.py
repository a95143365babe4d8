"""Cut a long message into code blocks and passages of prose that can be found by themselves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.model.message import Chunk, ChunkKind
from recollect.model.policy import Chunking
from recollect.text.tokens import estimate
from recollect.text.windows import windows

# Each pattern is tried once per place and never takes a step back, so that no text can make it slow.
_FENCE = re.compile(r"`{3,}|~{3,}")
_LINE = re.compile(r"[^\r\n]*+")
_BLANK_LINES = re.compile(r"(?>\r\n|\n|\r)(?>[^\S\r\n]*+(?>\r\n|\n|\r))++")
_PAUSE = re.compile(r"\s++|[。！？｡]++[」』”’）]*+")

_SENTENCE_ENDS = frozenset(".!?…:;")
_CLOSERS = "\"')]}»”’*_"

#: What follows a fence is a language if it is no longer than this.
_LONGEST_LANGUAGE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    start: int
    end: int
    kind: ChunkKind = ChunkKind.PROSE
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    if not policy.enabled or estimate(text) <= policy.min_tokens:
        return ()
    spans = [span for block in _blocks(text) for span in _passages(text, block, policy.max_tokens)]
    if len(spans) < 2:
        return ()
    return tuple(_chunk(text, index, span) for index, span in enumerate(spans))


def _chunk(text: str, index: int, span: _Span) -> Chunk:
    content = text[span.start : span.end]
    return Chunk(
        index=index,
        kind=span.kind,
        content=content,
        start=span.start,
        tokens=estimate(content),
        language=span.language,
    )


def _blocks(text: str) -> Iterator[_Span]:
    """Fenced code, and what stands between, in order. A fence that nobody closes reaches to the end."""
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if (line := _line_start(text, fence.start())) is None:
            continue
        after = _rest_of_line(text, fence.end())
        if opening is None and _opens(fence, after):
            yield _Span(start=at, end=line)
            at, opening = line, fence
        elif opening is not None and _closes(opening, fence, after):
            yield _code(text, at, fence.end(), opening)
            at, opening = fence.end(), None
    yield _Span(start=at, end=len(text)) if opening is None else _code(text, at, len(text), opening)


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


def _code(text: str, start: int, end: int, opening: re.Match[str]) -> _Span:
    end = start + len(text[start:end].rstrip())
    words = _rest_of_line(text, opening.end()).split(maxsplit=1)
    language = words[0] if words and len(words[0]) <= _LONGEST_LANGUAGE else None
    return _Span(start=start, end=end, kind=ChunkKind.CODE, language=language)


def _passages(text: str, block: _Span, limit: int) -> Iterator[_Span]:
    if block.kind is ChunkKind.CODE:
        yield block
    else:
        yield from _packed(text, _pieces(text, block, limit), limit)


def _packed(text: str, pieces: Iterator[_Piece], limit: int) -> Iterator[_Span]:
    """As many pieces in a row as fit together, then the next."""
    packed: _Piece | None = None
    for piece in pieces:
        joined = _joined(text, packed, piece) if packed else piece
        if packed and joined.tokens > limit:
            yield _Span(start=packed.start, end=packed.end)
            joined = piece
        packed = joined
    if packed:
        yield _Span(start=packed.start, end=packed.end)


def _joined(text: str, left: _Piece, right: _Piece) -> _Piece:
    # Adding up is an upper bound that costs nothing; counting the growing passage again would be quadratic.
    tokens = left.tokens + estimate(text[left.end : right.start]) + right.tokens
    return _Piece(start=left.start, end=right.end, tokens=tokens)


def _pieces(text: str, block: _Span, limit: int) -> Iterator[_Piece]:
    """Paragraphs; of those too large the sentences; of those too large runs of words."""
    for paragraph in _paragraphs(text, block.start, block.end):
        if paragraph.tokens <= limit:
            yield paragraph
            continue
        for sentence in _sentences(text, paragraph.start, paragraph.end):
            if sentence.tokens <= limit:
                yield sentence
            else:
                yield from _runs(text, sentence.start, sentence.end, limit)


def _paragraphs(text: str, start: int, end: int) -> Iterator[_Piece]:
    for gap in _BLANK_LINES.finditer(text, start, end):
        yield from _piece(text, start, gap.start())
        start = gap.end()
    yield from _piece(text, start, end)


def _sentences(text: str, start: int, end: int) -> Iterator[_Piece]:
    for pause in _PAUSE.finditer(text, start, end):
        if _ends_sentence(text, pause):
            yield from _piece(text, start, pause.end())
            start = pause.end()
    yield from _piece(text, start, end)


def _ends_sentence(text: str, pause: re.Match[str]) -> bool:
    found = pause.group()
    if not found.isspace() or "\n" in found or "\r" in found:
        return True
    before = text[max(pause.start() - 4, 0) : pause.start()].rstrip(_CLOSERS)
    return before[-1:] in _SENTENCE_ENDS


def _runs(text: str, start: int, end: int, limit: int) -> Iterator[_Piece]:
    for window in windows(text[start:end], tokens=estimate, limit=limit):
        yield from _piece(text, start, start + len(window))
        start += len(window)


def _piece(text: str, start: int, end: int) -> Iterator[_Piece]:
    """The piece without the white space around it, if anything is left."""
    content = text[start:end].strip()
    if content:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        yield _Piece(start=start, end=start + len(content), tokens=estimate(content))
