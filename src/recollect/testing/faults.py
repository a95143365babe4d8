"""The ways in which a model provider can fail, for tests to choose from."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from recollect.testing.answers import Ending, Saying

Json: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Answer with exactly this."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Answer in pieces with a pause in seconds after each; then end well, say no more, or break off."""

    pieces: tuple[bytes, ...]
    content_type: str = "text/event-stream"
    pause: float = 0.0
    ending: Literal["well", "silent", "broken"] = "well"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """Begin a good answer and send spaces, in so many pieces with a pause in seconds after each."""

    pieces: int
    size: int
    pause: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Say nothing until the server is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Break the connection."""


Reaction: TypeAlias = Reply | Pieces | Flood | Hang | Reset


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoil:
    """Answer as usual, but change the JSON first. An answer that is streamed is none."""

    change: Callable[[Json], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misspeak:
    """Answer as usual, but let the model say something else."""

    change: Callable[[Saying], Saying]


@dataclass(frozen=True, slots=True, kw_only=True)
class Garble:
    """Answer as usual, but send the bytes of the answer in another way."""

    change: Callable[[bytes, str], Reaction]  #: what would be sent, and its content type


Fault: TypeAlias = Reaction | Spoil | Misspeak | Garble


def _with_first_vector(change: Callable[[list[float]], list[float]]) -> Callable[[Json], Json]:
    def changed(answer: Json) -> Json:
        data = answer["data"]
        assert isinstance(data, list)
        [first, *rest] = data
        return {**answer, "data": [{**first, "embedding": change(first["embedding"])}, *rest]}

    return changed


def _without_last_vector(answer: Json) -> Json:
    data = answer["data"]
    assert isinstance(data, list)
    return {**answer, "data": data[:-1]}


def _error(status: int, code: str, **headers: str) -> Reply:
    body = json.dumps({"error": {"message": f"this is {code}", "code": code}}).encode()
    return Reply(status=status, headers={"Content-Type": "application/json", **headers}, body=body)


def refused(status: int, message: str) -> Reply:
    """An error that says what it is about, as OpenAI's and Anthropic's do."""
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()
    return Reply(status=status, headers={"Content-Type": "application/json"}, body=body)


def says(change: Callable[[str], str]) -> Misspeak:
    """Change the words of an answer."""
    return Misspeak(change=lambda saying: replace(saying, text=change(saying.text or "")))


def ends(ending: Ending, text: str | None = None) -> Misspeak:
    return Misspeak(change=lambda saying: replace(saying, text=text, ending=ending))


def rate_limited(retry_after: str) -> Reply:
    return _error(429, "rate_limit_exceeded", **{"Retry-After": retry_after})


def _broken_off(ending: Literal["silent", "broken"]) -> Garble:
    return Garble(
        change=lambda body, kind: Pieces(pieces=(body[: len(body) // 2],), content_type=kind, ending=ending)
    )


def _bytewise(body: bytes, kind: str) -> Pieces:
    return Pieces(pieces=tuple(bytes([byte]) for byte in body), content_type=kind)


def _resent(change: Callable[[bytes], bytes]) -> Garble:
    return Garble(change=lambda body, kind: Pieces(pieces=(change(body),), content_type=kind))


def _without_done(body: bytes) -> bytes:
    return body.replace(b"data: [DONE]\n\n", b"")


def _with_comments(body: bytes) -> bytes:
    return b": good morning\n\nretry: 10\n\n" + body.replace(b"data:", b": keep-alive\nid: 7\ndata:")


def _with_trailing_commas(text: str) -> str:
    return text.replace("}", ",}").replace("]", ",]")


def _of_one(text: str) -> str:
    found = json.loads(text)
    return json.dumps(found[0] if isinstance(found, list) and found else found)


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
HUGE_BODY = Flood(pieces=1024, size=64 * 1024)
DRIPPING_BODY = Flood(pieces=600, size=1, pause=0.05)

SHORT_LIST = Spoil(change=_without_last_vector)
NOT_A_NUMBER = Spoil(change=_with_first_vector(lambda vector: [float("nan"), *vector[1:]]))
ZERO_VECTOR = Spoil(change=_with_first_vector(lambda vector: [0.0] * len(vector)))
WRONG_DIMENSION = Spoil(change=_with_first_vector(lambda vector: vector[:-1]))

SILENT_MIDWAY = _broken_off("silent")
BROKEN_MIDWAY = _broken_off("broken")
SLOW_DRIP = Garble(change=lambda body, kind: replace(_bytewise(body, kind), pause=0.05))
SPLIT_UTF8 = Garble(change=_bytewise)
WRONG_CONTENT_TYPE = Garble(change=lambda body, _: Pieces(pieces=(body,), content_type="text/html"))
NO_DONE = _resent(_without_done)
CRLF = _resent(lambda body: body.replace(b"\n", b"\r\n"))
COMMENTS = _resent(_with_comments)
NO_LAST_LINE_END = _resent(lambda body: body.rstrip(b"\n"))

PROSE_AROUND = says(
    lambda text: f"Sure {{here you go}}! The result:\n\n{text}\n\nLet me know if you need [more]."
)
FENCED = says(lambda text: f"```json\n{text}\n```")
TRAILING_COMMAS = says(_with_trailing_commas)
ONE_OBJECT = says(_of_one)
TRUNCATED = Misspeak(
    change=lambda saying: replace(
        saying, text=(saying.text or "")[: len(saying.text or "") * 2 // 3], ending="length"
    )
)
REFUSAL = ends("refusal", "I'm sorry, but I can't help with that.")
CONTENT_FILTER = ends("filter")
TOOL_CALL = ends("tool")
EMPTY_CHOICES = Misspeak(change=lambda saying: replace(saying, choices=0))
NULL_CONTENT = ends("stop")
EMPTY_TEXT = ends("stop", "")
HUGE_OUTPUT = says(lambda text: text + " and so on" * 40_000)
WRONG_LANGUAGE = says(lambda _: "我不明白你在说什么，请用中文再说一遍。")
NAN_WEIGHT = says(lambda text: text.replace('"w":', '"w": NaN, "was":'))
DUPLICATE_KEYS = says(_with_first_key_twice)
LONE_SURROGATE = says(lambda text: text + "\ud83d")
ECHO = Misspeak(change=lambda saying: replace(saying, text=saying.prompt))


#: What can go wrong on the way, so that no answer arrives and the same call may work later.
PASSING: tuple[Fault, ...] = (
    CONNECTION_RESET,
    RATE_LIMITED,
    RATE_LIMITED_UNTIL,
    RATE_LIMITED_ABSURDLY,
    SERVER_ERROR,
    UNAVAILABLE,
    OVERLOADED,
    BROKEN_MIDWAY,
)
