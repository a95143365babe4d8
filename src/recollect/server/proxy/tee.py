"""Hears an answer while it passes, without holding up a byte of it."""

import json
import logging
from collections.abc import Iterator

from recollect.server.proxy.dialects.content_parts import Fold
from recollect.server.proxy.json_splice import Json
from recollect.server.proxy.request_view import Said

log = logging.getLogger("recollect.proxy")

#: Bytes of an answer that comes at once, or of one line of a stream, beyond which it is not listened to.
MOST = 8_000_000
#: Bytes of a stream that are listened to.
LONGEST = 64_000_000


class Listener:
    """Reads what passes as far as it can be read; whatever else it is, it passes all the same."""

    def __init__(self, fold: Fold, content_type: str, encoding: str) -> None:
        kind = content_type.partition(";")[0].strip().lower()
        self._fold = fold
        self._streams = kind in {"text/event-stream", "application/x-ndjson"}
        self._events = kind == "text/event-stream"
        # A compressed answer passes as it is; what it says is not worth the risk of unpacking it.
        self._deaf = encoding.strip().lower() not in {"", "identity"}
        self._heard = 0
        self._rest = bytearray()
        self._data: list[bytes] = []

    @property
    def response_id(self) -> str | None:
        return self._fold.response_id

    def hear(self, piece: bytes) -> None:
        try:
            self._hear(piece)
        except Exception:  # a mistake of the listener must not cut off the speaker
            log.exception("an answer was not understood")
            self._deaf = True

    def _hear(self, piece: bytes) -> None:
        if self._deaf:
            return
        self._rest += piece
        if self._streams and b"\n" in piece:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            for event in self._in(lines):
                self._fold.event(event)
        self._heard += len(piece)
        if len(self._rest) > MOST or self._heard > LONGEST:
            self._deaf = True
            self._rest.clear()

    def said(self) -> tuple[Said, ...]:
        """What was said; an answer that broke off counts as far as it came."""
        try:
            return self._said()
        except Exception:  # nor end the exchange
            log.exception("an answer was not understood")
            return ()

    def _said(self) -> tuple[Said, ...]:
        last = bytes(self._rest)
        self._rest.clear()
        if self._streams:
            for event in self._in([last, b""]):
                self._fold.event(event)
        elif found := _parsed(last):
            self._fold.whole(found)
        return tuple(each for each in self._fold.said() if each.is_worth_keeping)

    def _in(self, lines: list[bytes]) -> Iterator[Json]:
        for line in lines:
            bare = line.rstrip(b"\r")
            if not self._events:
                data = bare
            elif bare.startswith(b"data:"):
                self._data.append(bare[5:])
                continue
            elif bare:
                continue
            else:
                data = b"\n".join(self._data)
                self._data.clear()
            if found := _parsed(data):
                yield found


def _parsed(data: bytes) -> Json | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
