"""Parses a response while it is relayed, without delaying it."""

import json
import logging
from collections.abc import Iterator

from recollect.server.proxy.dialects.content_parts import ResponseAccumulator
from recollect.server.proxy.json_splice import JsonDict
from recollect.server.proxy.request_view import ProxyMessage

log = logging.getLogger("recollect.proxy")

#: Limit for a response that is not streamed, or for one line of a stream; larger ones are not parsed.
MAX_BUFFERED_BYTES = 8_000_000
#: Limit for a stream; the rest is not parsed.
MAX_STREAM_BYTES = 64_000_000


class ResponseTee:
    """Parses chunks as far as possible. Failures disable parsing, never the relay."""

    def __init__(self, accumulator: ResponseAccumulator, content_type: str, encoding: str) -> None:
        kind = content_type.partition(";")[0].strip().lower()
        self._accumulator = accumulator
        self._is_stream = kind in {"text/event-stream", "application/x-ndjson"}
        self._is_event_stream = kind == "text/event-stream"
        # Compressed responses are relayed but not parsed: decompression could exhaust memory.
        self._is_disabled = encoding.strip().lower() not in {"", "identity"}
        self._byte_count = 0
        self._buffer = bytearray()
        self._event_lines: list[bytes] = []

    @property
    def response_id(self) -> str | None:
        return self._accumulator.response_id

    def feed(self, chunk: bytes) -> None:
        try:
            self._feed(chunk)
        except Exception:  # a parser error must not interrupt the response
            log.exception("response not parsed")
            self._is_disabled = True

    def _feed(self, chunk: bytes) -> None:
        if self._is_disabled:
            return
        self._buffer += chunk
        if self._is_stream and b"\n" in chunk:
            *lines, rest = bytes(self._buffer).split(b"\n")
            self._buffer = bytearray(rest)
            for event in self._parse_lines(lines):
                self._accumulator.add_event(event)
        self._byte_count += len(chunk)
        if len(self._buffer) > MAX_BUFFERED_BYTES or self._byte_count > MAX_STREAM_BYTES:
            self._is_disabled = True
            self._buffer.clear()

    def messages(self) -> tuple[ProxyMessage, ...]:
        """Return the answer's messages; of an interrupted answer, what arrived."""
        try:
            return self._finish()
        except Exception:  # a parser error must not fail the exchange
            log.exception("response not parsed")
            return ()

    def _finish(self) -> tuple[ProxyMessage, ...]:
        last = bytes(self._buffer)
        self._buffer.clear()
        if self._is_stream:
            for event in self._parse_lines([last, b""]):
                self._accumulator.add_event(event)
        elif response := _parse_object(last):
            self._accumulator.add_response(response)
        return tuple(each for each in self._accumulator.messages() if each.has_content)

    def _parse_lines(self, lines: list[bytes]) -> Iterator[JsonDict]:
        for line in lines:
            stripped = line.rstrip(b"\r")
            if not self._is_event_stream:
                data = stripped
            elif stripped.startswith(b"data:"):
                self._event_lines.append(stripped[5:])
                continue
            elif stripped:
                continue
            else:
                data = b"\n".join(self._event_lines)
                self._event_lines.clear()
            if parsed := _parse_object(data):
                yield parsed


def _parse_object(data: bytes) -> JsonDict | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
