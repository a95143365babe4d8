"""Faults of a model provider that tests can inject."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from recollect.testing.answers import FinishReason, ScriptedReply

Json: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Send exactly this response."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedReply:
    """Send chunks with a pause in seconds after each; then complete, stay silent, or disconnect."""

    chunks: tuple[bytes, ...]
    content_type: str = "text/event-stream"
    pause_seconds: float = 0.0
    ending: Literal["well", "silent", "broken"] = "well"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """Begin a valid response and send spaces in many chunks, with a pause in seconds after each."""

    chunk_count: int
    chunk_bytes: int
    pause_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Send nothing until the server is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Reset the connection."""


ServerAction: TypeAlias = Reply | ChunkedReply | Flood | Hang | Reset


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyJson:
    """Respond normally, but modify the JSON first. Not for streamed responses."""

    change: Callable[[Json], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyReply:
    """Respond normally, but with a modified reply."""

    change: Callable[[ScriptedReply], ScriptedReply]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyBytes:
    """Respond normally, but with modified transmission of the bytes."""

    change: Callable[[bytes, str], ServerAction]  #: called with the body and its content type


Fault: TypeAlias = ServerAction | ModifyJson | ModifyReply | ModifyBytes


def _with_first_vector(change: Callable[[list[float]], list[float]]) -> Callable[[Json], Json]:
    def change_answer(answer: Json) -> Json:
        data = answer["data"]
        assert isinstance(data, list)
        [first, *rest] = data
        return {**answer, "data": [{**first, "embedding": change(first["embedding"])}, *rest]}

    return change_answer


def _without_last_vector(answer: Json) -> Json:
    data = answer["data"]
    assert isinstance(data, list)
    return {**answer, "data": data[:-1]}


def _error(status: int, code: str, **headers: str) -> Reply:
    body = json.dumps({"error": {"message": f"this is {code}", "code": code}}).encode()
    return Reply(status=status, headers={"Content-Type": "application/json", **headers}, body=body)


def error_reply(status: int, message: str) -> Reply:
    """Return an error response with a message, in the format of OpenAI and Anthropic."""
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()
    return Reply(status=status, headers={"Content-Type": "application/json"}, body=body)


def with_text(change: Callable[[str], str]) -> ModifyReply:
    """Modify the text of a reply."""
    return ModifyReply(change=lambda saying: replace(saying, text=change(saying.text or "")))


def with_finish_reason(finish_reason: FinishReason, text: str | None = None) -> ModifyReply:
    return ModifyReply(change=lambda saying: replace(saying, text=text, finish_reason=finish_reason))


def rate_limited(retry_after: str) -> Reply:
    return _error(429, "rate_limit_exceeded", **{"Retry-After": retry_after})


def _cut_off(ending: Literal["silent", "broken"]) -> ModifyBytes:
    return ModifyBytes(
        change=lambda body, kind: ChunkedReply(
            chunks=(body[: len(body) // 2],), content_type=kind, ending=ending
        )
    )


def _split_bytes(body: bytes, kind: str) -> ChunkedReply:
    return ChunkedReply(chunks=tuple(bytes([byte]) for byte in body), content_type=kind)


def _with_body(change: Callable[[bytes], bytes]) -> ModifyBytes:
    return ModifyBytes(change=lambda body, kind: ChunkedReply(chunks=(change(body),), content_type=kind))


def _without_done(body: bytes) -> bytes:
    return body.replace(b"data: [DONE]\n\n", b"")


def _with_comments(body: bytes) -> bytes:
    return b": good morning\n\nretry: 10\n\n" + body.replace(b"data:", b": keep-alive\nid: 7\ndata:")


def _with_trailing_commas(text: str) -> str:
    return text.replace("}", ",}").replace("]", ",]")


def _first_element(text: str) -> str:
    parsed_json = json.loads(text)
    return json.dumps(parsed_json[0] if isinstance(parsed_json, list) and parsed_json else parsed_json)


def _with_first_key_twice(text: str) -> str:
    key = text.find('"')
    colon = text.find(":")
    return f"{text[:key]}{text[key:colon]}: null, {text[key:]}" if 0 <= key < colon else text


TIMEOUT = Hang()
CONNECTION_RESET = Reset()
RATE_LIMITED = rate_limited("7")
RATE_LIMITED_UNTIL = rate_limited("Fri, 31 Dec 2038 23:59:59 GMT")
RATE_LIMITED_SINCE = rate_limited("Wed, 21 Oct 2015 07:28:00 GMT")
RATE_LIMITED_ABSURDLY = rate_limited("-99999999999999999999 fortnights")
SERVER_ERROR = _error(500, "server_error")
UNAVAILABLE = _error(503, "overloaded")
OVERLOADED = _error(529, "overloaded_error")
BAD_REQUEST = _error(400, "invalid_request")
BAD_KEY = _error(401, "invalid_api_key")
UNKNOWN_MODEL = _error(404, "model_not_found")
REDIRECT = Reply(status=307, headers={"Location": "/v1/elsewhere"})
MALFORMED_JSON = Reply(headers={"Content-Type": "application/json"}, body=b'{"data": [{"index": 0, "embed')
HTML_PAGE = Reply(headers={"Content-Type": "text/html"}, body=b"<html><body>Please log in.</body></html>")
EMPTY_BODY = Reply(headers={"Content-Type": "application/json"})
ERROR_IN_A_GOOD_REPLY = replace(UNAVAILABLE, status=200)
HUGE_BODY = Flood(chunk_count=1024, chunk_bytes=64 * 1024)
DRIPPING_BODY = Flood(chunk_count=600, chunk_bytes=1, pause_seconds=0.05)

SHORT_LIST = ModifyJson(change=_without_last_vector)
NOT_A_NUMBER = ModifyJson(change=_with_first_vector(lambda vector: [float("nan"), *vector[1:]]))
ZERO_VECTOR = ModifyJson(change=_with_first_vector(lambda vector: [0.0] * len(vector)))
WRONG_DIMENSION = ModifyJson(change=_with_first_vector(lambda vector: vector[:-1]))

SILENT_MIDWAY = _cut_off("silent")
BROKEN_MIDWAY = _cut_off("broken")
SLOW_DRIP = ModifyBytes(change=lambda body, kind: replace(_split_bytes(body, kind), pause_seconds=0.05))
SPLIT_UTF8 = ModifyBytes(change=_split_bytes)
WRONG_CONTENT_TYPE = ModifyBytes(
    change=lambda body, _: ChunkedReply(chunks=(body,), content_type="text/html")
)
NO_DONE = _with_body(_without_done)
CRLF = _with_body(lambda body: body.replace(b"\n", b"\r\n"))
COMMENTS = _with_body(_with_comments)
NO_LAST_LINE_END = _with_body(lambda body: body.rstrip(b"\n"))

PROSE_AROUND = with_text(
    lambda text: f"Sure {{here you go}}! The result:\n\n{text}\n\nLet me know if you need [more]."
)
FENCED = with_text(lambda text: f"```json\n{text}\n```")
TRAILING_COMMAS = with_text(_with_trailing_commas)
ONE_OBJECT = with_text(_first_element)
TRUNCATED = ModifyReply(
    change=lambda saying: replace(
        saying, text=(saying.text or "")[: len(saying.text or "") * 2 // 3], finish_reason="length"
    )
)
REFUSAL = with_finish_reason("refusal", "I'm sorry, but I can't help with that.")
CONTENT_FILTER = with_finish_reason("filter")
TOOL_CALL = with_finish_reason("tool")
EMPTY_CHOICES = ModifyReply(change=lambda saying: replace(saying, choice_count=0))
NULL_CONTENT = with_finish_reason("stop")
EMPTY_TEXT = with_finish_reason("stop", "")
HUGE_OUTPUT = with_text(lambda text: text + " and so on" * 40_000)
WRONG_LANGUAGE = with_text(lambda _: "我不明白你在说什么，请用中文再说一遍。")
NAN_WEIGHT = with_text(lambda text: text.replace('"w":', '"w": NaN, "was":'))
DUPLICATE_KEYS = with_text(_with_first_key_twice)
LONE_SURROGATE = with_text(lambda text: text + "\ud83d")
ECHO = ModifyReply(change=lambda saying: replace(saying, text=saying.prompt))


#: Transport faults after which the same call may work later.
TRANSIENT_FAULTS: tuple[Fault, ...] = (
    CONNECTION_RESET,
    RATE_LIMITED,
    RATE_LIMITED_UNTIL,
    RATE_LIMITED_ABSURDLY,
    SERVER_ERROR,
    UNAVAILABLE,
    OVERLOADED,
    BROKEN_MIDWAY,
)
