"""HTTP with as little of it as possible: a client that costs hardly anything, and servers that do nothing."""

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

LOCAL = "127.0.0.1"
#: Seconds between the two pieces of a streamed answer: who holds the first one back is found out.
PAUSE = 0.05
FIRST, SECOND = b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', b"data: [DONE]\n\n"
ANSWER = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        ],
    }
).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    status: int
    first: float  #: milliseconds until the first byte of the body
    whole: float


class Line:
    """One connection that is kept open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, request: bytes) -> Timed:
        begun = time.perf_counter()
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        first = await (self._chunks(begun) if b"chunked" in head else self._body(head, begun))
        return Timed(status=status, first=first, whole=(time.perf_counter() - begun) * 1000)

    async def _body(self, head: bytes, begun: float) -> float:
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        await self._reader.readexactly(length)
        return (time.perf_counter() - begun) * 1000

    async def _chunks(self, begun: float) -> float:
        first = 0.0
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            await self._reader.readexactly(size + 2)
            first = first or (time.perf_counter() - begun) * 1000
        await self._reader.readexactly(2)
        return first


@asynccontextmanager
async def line(port: int) -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_connection(LOCAL, port, limit=2**24)
    try:
        yield Line(reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


def post(path: str, shape: object, headers: Mapping[str, str]) -> bytes:
    body = json.dumps(shape).encode()
    described = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    return _head("POST", path, described) + body


def get(path: str, headers: Mapping[str, str]) -> bytes:
    return _head("GET", path, headers)


def _head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in {"Host": LOCAL, **headers}.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def bare(scope: Scope, receive: Receive, send: Send) -> None:
    """A provider that answers at once, or in two pieces; to others a server that does nothing."""
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
        await send({"type": "http.response.body", "body": FIRST, "more_body": True})
        await asyncio.sleep(PAUSE)
        await send({"type": "http.response.body", "body": SECOND})
        return
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": ANSWER})


def _serve(told: Connection) -> None:
    listener = socket.create_server((LOCAL, 0), backlog=512)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    told.send(listener.getsockname()[1])
    uvicorn.Server(uvicorn.Config(bare, log_config=None, lifespan="off")).run(sockets=[listener])


@contextmanager
def bare_server() -> Iterator[int]:
    """Its port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def processor_seconds(pid: int) -> float:
    """What a process has used so far, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
