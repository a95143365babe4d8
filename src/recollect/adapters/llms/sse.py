"""Read a stream of server-sent events, however it is cut into pieces."""

import codecs
import json
from collections.abc import Iterable, Iterator


def events(pieces: Iterable[bytes]) -> Iterator[str]:
    """The data of each event. Comments, names and ids are passed over; a last event need not be finished."""
    data: list[str] = []
    for line in _lines(pieces):
        if not line and data:
            yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
    if data:
        yield "\n".join(data)


def objects(events: Iterable[str]) -> Iterator[dict[str, object]]:
    """Those events that are JSON objects, up to ``[DONE]``; whatever else a server sends is passed over."""
    for event in events:
        if event.strip() == "[DONE]":
            return
        try:
            found = json.loads(event)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def whole(pieces: Iterable[str]) -> Iterator[str]:
    """Join the halves of characters that were sent in two pieces; a half that stays alone becomes U+FFFD."""
    held = ""
    for piece in pieces:
        text = held + piece
        held = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        if text := _mended(text.removesuffix(held) if held else text):
            yield text
    if held:
        yield _mended(held)


def _mended(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    # Pieces are kept apart until their line ends: joining each time would be quadratic for a line that drips.
    begun: list[str] = []
    ended_with_cr = False
    for piece in pieces:
        text = decoder.decode(piece)
        if not text:
            continue
        if ended_with_cr and text.startswith("\n"):
            text = text[1:]
        ended_with_cr = text.endswith("\r")
        first, *rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        begun.append(first)
        for line in rest:
            yield "".join(begun)
            begun = [line]
    yield "".join(begun) + decoder.decode(b"", final=True)
