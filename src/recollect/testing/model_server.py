"""A model provider for tests: a real HTTP server on loopback with injectable faults."""

import json
import select
import socket
import struct
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Event, Lock, Thread
from typing import Self, assert_never

from recollect.ports.chat_model import ModelMessage
from recollect.ports.embedder import Embedder
from recollect.testing import dialects, ollama, responses
from recollect.testing.answers import ReplyScript, ReplySource, ScriptedReply
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.faults import (
    BAD_KEY,
    BAD_REQUEST,
    CONNECTION_RESET,
    DRIPPING_BODY,
    HTML_PAGE,
    HUGE_BODY,
    MALFORMED_JSON,
    NOT_A_NUMBER,
    RATE_LIMITED,
    REDIRECT,
    SERVER_ERROR,
    SHORT_LIST,
    TIMEOUT,
    UNAVAILABLE,
    UNKNOWN_MODEL,
    WRONG_DIMENSION,
    ZERO_VECTOR,
    ChunkedReply,
    Fault,
    Flood,
    Hang,
    Json,
    ModifyBytes,
    ModifyJson,
    ModifyReply,
    Reply,
    Reset,
    ServerAction,
)

__all__ = [
    "BAD_KEY",
    "BAD_REQUEST",
    "CONNECTION_RESET",
    "DRIPPING_BODY",
    "HTML_PAGE",
    "HUGE_BODY",
    "MALFORMED_JSON",
    "NOT_A_NUMBER",
    "RATE_LIMITED",
    "REDIRECT",
    "SERVER_ERROR",
    "SHORT_LIST",
    "TIMEOUT",
    "UNAVAILABLE",
    "UNKNOWN_MODEL",
    "WRONG_DIMENSION",
    "ZERO_VECTOR",
    "Fault",
    "ModelServer",
    "Reply",
    "Request",
]


@dataclass(frozen=True, slots=True)
class Dialect:
    parse_messages: Callable[
        [Json], Sequence[ModelMessage] | None
    ]  #: None if a request is not in the dialect
    max_tokens: Callable[[Json], int]
    respond: Callable[[ScriptedReply, object], Json]
    respond_stream: Callable[[ScriptedReply, object], bytes]


#: The dialect of each path.
DIALECTS: Mapping[str, Dialect] = {
    "/v1/chat/completions": Dialect(
        dialects.parse_openai_messages,
        dialects.openai_max_tokens,
        dialects.openai_response,
        dialects.openai_stream,
    ),
    "/v1/messages": Dialect(
        dialects.parse_anthropic_messages,
        dialects.anthropic_max_tokens,
        dialects.anthropic_response,
        dialects.anthropic_stream,
    ),
    "/v1/responses": Dialect(
        responses.parse_responses_messages,
        responses.responses_max_tokens,
        responses.responses_response,
        responses.responses_stream,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request received by the server. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json
    raw: bytes = b""  #: the body as received


class ModelServer:
    """
    Context manager that serves the OpenAI, Anthropic and Ollama APIs on a free port of 127.0.0.1.

    It serves embeddings, models and chat, and records every request. ``answer("NOTHING")`` sets the reply,
    ``fail_next(RATE_LIMITED, TIMEOUT)`` makes the next two calls fail with these faults, and ``fail_at(0.7, FAULTS)``
    a share of all calls until ``heal()``.
    """

    def __init__(
        self, embedder: Embedder | None = None, *, models: Sequence[str] = ("letters", "echo")
    ) -> None:
        self._embedder = embedder or LetterEmbedder()
        self._models = models
        self._script = ReplyScript()
        self._lock = Lock()
        self._faults: deque[Fault] = deque()
        self._rate = 0.0
        self._choices: Sequence[Fault] = ()
        self._random = Random(0)
        self._http = _Http(self)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.closing = Event()
        self.requests: list[Request] = []
        self.abandoned_paths: list[str] = []  #: paths of requests whose client hung up before the end

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def counts(self) -> Counter[str]:
        """Return the number of requests per path."""
        return Counter(request.path for request in self.requests)

    def answer(self, answer: ReplySource | Sequence[ReplySource]) -> None:
        """Set the answer (a text or a function of the messages); a list is returned once, in order."""
        self._script.set_reply(answer)

    def fail_next(self, *faults: Fault) -> None:
        with self._lock:
            self._faults.extend(faults)

    def fail_at(self, rate: float, faults: Sequence[Fault], *, seed: int = 0) -> None:
        """Make a share of all calls fail with one of these faults; the same seed fails the same calls."""
        with self._lock:
            self._rate, self._choices, self._random = rate, faults, Random(seed)

    def heal(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._rate = 0.0
            self._faults.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def choose_action(self, request: Request) -> ServerAction:
        """Return the action for a request: the next scripted fault, or a normal response."""
        fault = self._next_fault(request)
        match fault:
            case None | ModifyJson() | ModifyReply() | ModifyBytes():
                return self._respond(request, fault)
            case _:
                return fault

    def _next_fault(self, request: Request) -> Fault | None:
        with self._lock:
            self.requests.append(request)
            if self._faults:
                return self._faults.popleft()
            return self._random.choice(self._choices) if self._random.random() < self._rate else None

    def _respond(
        self, request: Request, fault: ModifyJson | ModifyReply | ModifyBytes | None
    ) -> ServerAction:
        answer = self._answer(request, fault if isinstance(fault, ModifyReply) else None)
        if isinstance(answer, Reply):
            return answer
        kind = "text/event-stream" if isinstance(answer, bytes) else "application/json"
        if not isinstance(answer, bytes):
            answer = json.dumps(fault.change(answer) if isinstance(fault, ModifyJson) else answer).encode()
        if isinstance(fault, ModifyBytes):
            return fault.change(answer, kind)
        if kind == "text/event-stream":
            return ChunkedReply(chunks=(answer,))
        return Reply(headers={"Content-Type": kind}, body=answer)

    def _answer(self, request: Request, fault: ModifyReply | None) -> Json | bytes | Reply:
        path = request.path
        match path:
            case "/v1/embeddings":
                return self._embeddings(request.body)
            case "/v1/models":
                return dialects.models_response(self._models)
            case "/api/chat":
                return self._ollama(request.body)
            case "/v1/messages" if "anthropic-version" not in request.headers:
                return BAD_REQUEST
            case _ if path in DIALECTS:
                return self._chat(request.body, DIALECTS[path], fault)
            case _:
                return UNKNOWN_MODEL

    def _chat(self, body: Json, dialect: Dialect, fault: ModifyReply | None) -> Json | bytes | Reply:
        messages = dialect.parse_messages(body)
        if messages is None:
            return BAD_REQUEST
        reply = self._script.next_reply(messages, dialect.max_tokens(body))
        final_reply = fault.change(reply) if fault else reply
        return (dialect.respond_stream if body.get("stream") else dialect.respond)(
            final_reply, body.get("model")
        )

    def _ollama(self, body: Json) -> Json | Reply:
        messages = dialects.parse_openai_messages(body)
        if messages is None:
            return BAD_REQUEST
        reply = self._script.next_reply(messages, 1_000_000)
        if body.get("stream") is False:
            return ollama.ollama_response(reply, body.get("model"))
        lines = ollama.ollama_stream(reply, body.get("model"))
        return Reply(headers={"Content-Type": "application/x-ndjson"}, body=lines)

    def _embeddings(self, body: Json) -> Json | Reply:
        texts = body.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return BAD_REQUEST
        data = [
            {"object": "embedding", "index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(self._embedder.embed(texts))
        ]
        # In reverse order: the API guarantees an index, not an order.
        return {"object": "list", "data": data[::-1], "model": body.get("model")}


class _Http(ThreadingHTTPServer):
    # Tests open hundreds of connections at once.
    request_queue_size = 512

    def __init__(self, model_server: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model_server = model_server

    def handle_error(self, request: object, client_address: object) -> None:
        """Log nothing: the faults make clients disconnect on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # TCP_NODELAY: otherwise each response waits 40 ms for the client to acknowledge its headers.
    disable_nagle_algorithm = True
    server: _Http

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = {}
        self._answer(body if isinstance(body, dict) else {}, raw)

    def do_GET(self) -> None:
        self._answer({}, b"")

    def log_message(self, *_: object) -> None:
        """Log nothing: tests read ``requests``."""

    def _answer(self, body: Json, raw: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(path=self.path, headers=headers, body=body, raw=raw)
        try:
            self._perform(self.server.model_server.choose_action(request))
        except (BrokenPipeError, ConnectionResetError):
            self.server.model_server.abandoned_paths.append(self.path)
            self.close_connection = True

    def _perform(self, action: ServerAction) -> None:
        match action:
            case Reply():
                self._reply(action)
            case ChunkedReply():
                self._send_pieces(action)
            case Flood():
                self._flood(action)
            case Hang():
                self._hang()
            case Reset():
                self._reset()
            case _:
                assert_never(action)

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def _send_pieces(self, reply: ChunkedReply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in filter(None, reply.chunks):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if reply.pause_seconds and self.server.model_server.closing.wait(reply.pause_seconds):
                break
        match reply.ending:
            case "well":
                self.wfile.write(b"0\r\n\r\n")
            case "silent":
                self._hang()
            case "broken":
                self.close_connection = True

    def _flood(self, flood: Flood) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        for _ in range(flood.chunk_count):
            self.wfile.write(b" " * flood.chunk_bytes)
            if self.server.model_server.closing.wait(flood.pause_seconds):
                break

    def _hang(self) -> None:
        while not self.server.model_server.closing.wait(0.01):
            if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(
                1, socket.MSG_PEEK
            ):
                raise ConnectionResetError
        self.close_connection = True

    def _reset(self) -> None:
        # Closing with a linger time of zero sends RST instead of FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
