"""Test servers: an attacker's site, and a memory API without any protection."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DELETED = "(deleted)"
BLANK = b"<!doctype html><meta charset=utf-8><title>A harmless page</title>"


@dataclass(slots=True)
class UnprotectedServer:
    """A memory API without authentication, as many local servers have."""

    memories: list[str]
    port: int = 0
    reads: int = 0  #: number of requests that returned memories
    changed: list[str] = field(default_factory=list)  #: bodies of changing requests, in order

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class QuietHandler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Discard the log."""

    def answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def attacker() -> Iterator[int]:
    """Serve a blank page for every path; yield the port."""

    class Site(QuietHandler):
        def do_GET(self) -> None:
            self.answer(200, BLANK, "text/html")

    with _running(Site) as port:
        yield port


@contextmanager
def unprotected_server(*memories: str) -> Iterator[UnprotectedServer]:
    state = UnprotectedServer(list(memories))

    class Open(QuietHandler):
        def do_GET(self) -> None:
            state.reads += self.path.startswith("/api/memory")
            self._say({"results": [{"memory": each} for each in state.memories]})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            state.changed.append(sent)
            self._say({"ok": True})

        def do_DELETE(self) -> None:
            state.changed.append(DELETED)
            self._say({"ok": True})

        def do_OPTIONS(self) -> None:
            self._say({})

        def _say(self, shape: object) -> None:
            origin = self.headers.get("Origin", "*")
            self.answer(
                200,
                json.dumps(shape).encode(),
                "application/json",
                Access_Control_Allow_Origin=origin,
                Access_Control_Allow_Credentials="true",
                Access_Control_Allow_Headers="content-type",
                Access_Control_Allow_Methods="GET, POST, DELETE",
            )

    with _running(Open) as state.port:
        yield state


@contextmanager
def _running(site: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
