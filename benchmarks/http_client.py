"""Minimal HTTP client with little overhead, and a stub server, for load tests."""

import asyncio
import json
import multiprocessing
import os
import socket
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import uvicorn
from starlette.types import Receive, Scope, Send

LOCAL_HOST = "127.0.0.1"
#: Pause between the two chunks of a streamed response, to detect a proxy that buffers the first one.
STREAM_PAUSE_SECONDS = 0.05
FIRST_EVENT, LAST_EVENT = b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', b"data: [DONE]\n\n"
COMPLETION_BODY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        ],
    }
).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedResponse:
    status: int
    first_byte_ms: float  #: milliseconds until the first byte of the body
    total_ms: float


class HttpConnection:
    """A keep-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, request: bytes) -> TimedResponse:
        started = time.perf_counter()
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        first_byte_ms = await (
            self._read_chunks(started) if b"chunked" in head else self._read_body(head, started)
        )
        return TimedResponse(
            status=status, first_byte_ms=first_byte_ms, total_ms=(time.perf_counter() - started) * 1000
        )

    async def _read_body(self, head: bytes, started: float) -> float:
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        await self._reader.readexactly(length)
        return (time.perf_counter() - started) * 1000

    async def _read_chunks(self, started: float) -> float:
        first_byte_ms = 0.0
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            await self._reader.readexactly(size + 2)
            first_byte_ms = first_byte_ms or (time.perf_counter() - started) * 1000
        await self._reader.readexactly(2)
        return first_byte_ms


@asynccontextmanager
async def open_connection(port: int) -> AsyncIterator[HttpConnection]:
    reader, writer = await asyncio.open_connection(LOCAL_HOST, port, limit=2**24)
    try:
        yield HttpConnection(reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


def post_request(path: str, payload: object, headers: Mapping[str, str]) -> bytes:
    body = json.dumps(payload).encode()
    all_headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    return _format_head("POST", path, all_headers) + body


def get_request(path: str, headers: Mapping[str, str]) -> bytes:
    return _format_head("GET", path, headers)


def _format_head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in {"Host": LOCAL_HOST, **headers}.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def stub_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Act as a provider that answers at once or in two chunks, and as a server that does nothing for other paths."""
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    if b'"stream": true' in body:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", b"text/event-stream")],
            }
        )
        await send({"type": "http.response.body", "body": FIRST_EVENT, "more_body": True})
        await asyncio.sleep(STREAM_PAUSE_SECONDS)
        await send({"type": "http.response.body", "body": LAST_EVENT})
        return
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(COMPLETION_BODY)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": COMPLETION_BODY})


def _run_stub_server(port_sender: Connection) -> None:
    listener = socket.create_server((LOCAL_HOST, 0), backlog=512)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port_sender.send(listener.getsockname()[1])
    uvicorn.Server(uvicorn.Config(stub_app, log_config=None, lifespan="off")).run(sockets=[listener])


@contextmanager
def stub_server() -> Iterator[int]:
    """Run the stub server; yield its port."""
    receiver, sender = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_run_stub_server, args=(sender,), daemon=True
    )
    process.start()
    try:
        yield receiver.recv()
    finally:
        process.terminate()
        process.join()


def process_cpu_seconds(pid: int) -> float:
    """Return the CPU seconds used by all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
