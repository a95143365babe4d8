"""Parser for server-sent events, independent of chunk boundaries."""

import codecs
import json
from collections.abc import Iterable, Iterator


def parse_events(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event. Comments, event names and ids are ignored; the last event may be unterminated."""
    data: list[str] = []
    for line in _split_lines(chunks):
        if not line and data:
            yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
    if data:
        yield "\n".join(data)


def parse_objects(events: Iterable[str]) -> Iterator[dict[str, object]]:
    """Yield the events that are JSON objects, up to ``[DONE]``; others are ignored."""
    for event in events:
        if event.strip() == "[DONE]":
            return
        try:
            parsed = json.loads(event)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, dict):
            yield parsed


def join_surrogates(pieces: Iterable[str]) -> Iterator[str]:
    """Join surrogate pairs that were split between pieces; a lone surrogate becomes U+FFFD."""
    high_surrogate = ""
    for piece in pieces:
        text = high_surrogate + piece
        high_surrogate = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        if text := _repair_surrogates(text.removesuffix(high_surrogate) if high_surrogate else text):
            yield text
    if high_surrogate:
        yield _repair_surrogates(high_surrogate)


def _repair_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _split_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    # Pieces are joined once per line: joining at each chunk would be quadratic for a line in many chunks.
    line_parts: list[str] = []
    ended_with_cr = False
    for chunk in chunks:
        text = decoder.decode(chunk)
        if not text:
            continue
        if ended_with_cr and text.startswith("\n"):
            text = text[1:]
        ended_with_cr = text.endswith("\r")
        first, *rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line_parts.append(first)
        for line in rest:
            yield "".join(line_parts)
            line_parts = [line]
    yield "".join(line_parts) + decoder.decode(b"", final=True)
