"""A model provider for tests: a real HTTP server on this machine that answers well, or badly when told to."""

import json
import socket
import struct
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import MappingProxyType
from typing import Self, TypeAlias, assert_never

from recollect.ports.embedder import Embedder
from recollect.testing.embedders import LetterEmbedder

Json: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What somebody asked of the server. Names of headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Answer with exactly this."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoil:
    """Answer as usual, but change the answer first."""

    change: Callable[[Json], Json]


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


Reaction: TypeAlias = Reply | Flood | Hang | Reset
Fault: TypeAlias = Reaction | Spoil


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


TIMEOUT = Hang()
CONNECTION_RESET = Reset()
RATE_LIMITED = _error(429, "rate_limit_exceeded", **{"Retry-After": "7"})
SERVER_ERROR = _error(500, "server_error")
UNAVAILABLE = _error(503, "overloaded")
BAD_REQUEST = _error(400, "invalid_request")
BAD_KEY = _error(401, "invalid_api_key")
UNKNOWN_MODEL = _error(404, "model_not_found")
REDIRECT = Reply(status=307, headers={"Location": "/v1/elsewhere"})
MALFORMED_JSON = Reply(headers={"Content-Type": "application/json"}, body=b'{"data": [{"index": 0, "embed')
HTML_PAGE = Reply(headers={"Content-Type": "text/html"}, body=b"<html><body>Please log in.</body></html>")
HUGE_BODY = Flood(pieces=1024, size=64 * 1024)
DRIPPING_BODY = Flood(pieces=600, size=1, pause=0.05)
SHORT_LIST = Spoil(change=_without_last_vector)
NOT_A_NUMBER = Spoil(change=_with_first_vector(lambda vector: [float("nan"), *vector[1:]]))
ZERO_VECTOR = Spoil(change=_with_first_vector(lambda vector: [0.0] * len(vector)))
WRONG_DIMENSION = Spoil(change=_with_first_vector(lambda vector: vector[:-1]))


class ModelServer:
    """
    Speaks OpenAI's dialect on a free port of 127.0.0.1 for as long as it is entered, and records every request.

    ``fail_next(RATE_LIMITED, TIMEOUT)`` makes the next two calls fail in these ways; later ones are answered well.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or LetterEmbedder()
        self._faults: deque[Fault] = deque()
        self._http = _Http(self)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.closing = Event()
        self.requests: list[Request] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def fail_next(self, *faults: Fault) -> None:
        self._faults.extend(faults)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def react(self, request: Request) -> Reaction:
        """What to do about a request: the next fault of the script, or a good answer."""
        self.requests.append(request)
        fault = self._faults.popleft() if self._faults else None
        if fault is not None and not isinstance(fault, Spoil):
            return fault
        answer = self._answer(request)
        if isinstance(answer, Reply):
            return answer
        spoilt = fault.change(answer) if fault else answer
        return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(spoilt).encode())

    def _answer(self, request: Request) -> Json | Reply:
        match request.path:
            case "/v1/embeddings":
                return self._embeddings(request.body)
            case _:
                return UNKNOWN_MODEL

    def _embeddings(self, body: Json) -> Json | Reply:
        texts = body.get("input")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return BAD_REQUEST
        data = [
            {"object": "embedding", "index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(self._embedder.embed(texts))
        ]
        # Last first: the dialect promises an index, not an order.
        return {"object": "list", "data": data[::-1], "model": body.get("model")}


class _Http(ThreadingHTTPServer):
    def __init__(self, model_server: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model_server = model_server

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up are what the faults are for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise every answer waits 40 ms for the client to acknowledge its headers.
    disable_nagle_algorithm = True
    server: _Http

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._do(self.server.model_server.react(Request(path=self.path, headers=headers, body=body)))

    def log_message(self, *_: object) -> None:
        """Tests read what was asked from ``requests``."""

    def _do(self, reaction: Reaction) -> None:
        match reaction:
            case Reply():
                self._reply(reaction)
            case Flood():
                self._flood(reaction)
            case Hang():
                self.server.model_server.closing.wait()
                self.close_connection = True
            case Reset():
                self._reset()
            case _:
                assert_never(reaction)

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def _flood(self, flood: Flood) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        for _ in range(flood.pieces):
            self.wfile.write(b" " * flood.size)
            if self.server.model_server.closing.wait(flood.pause):
                break

    def _reset(self) -> None:
        # Closing with a linger of zero sends a reset instead of a polite end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
