"""A real server on a free port of this machine, and clients that talk to it."""

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.bootstrap import Runtime, open_runtime
from recollect.ports.chat_model import ChatModel
from recollect.server.app import create_app
from recollect.server.run import configuration, make_house
from recollect.server.sessions import Sessions
from recollect.server.tokens import Keys
from recollect.settings import load

ANA = "ana"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    url: str
    runtime: Runtime
    keys: Keys
    sessions: Sessions

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        """The owner's client, or that of somebody with another token."""
        sent = {"Authorization": f"Bearer {token or self.keys.own_token}", **headers}
        return httpx2.Client(base_url=self.url, headers=sent, timeout=20)

    def stranger(self, **headers: str) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers=headers, timeout=20)

    def learn(self) -> None:
        """Wait until what is queued is done."""
        assert self.runtime.worker.drain(seconds=20)


@contextmanager
def served(
    folder: Path,
    *,
    chat_model: ChatModel | None = None,
    worker: bool = True,
    house: Mapping[str, Any] | None = None,
) -> Iterator[Served]:
    settings = load(arguments={"db": str(folder / "memory.db"), "user": ANA}, environ={}, files=())
    runtime = open_runtime(settings, embedder=HashingEmbedder(), chat_model=chat_model)
    made = make_house(runtime, host="127.0.0.1")
    for name, value in (house or {}).items():
        object.__setattr__(made, name, value)
    app = create_app(runtime, house=made, worker=worker)
    server = uvicorn.Server(configuration(app, grace=2))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        port = listener.getsockname()[1]
        yield Served(url=f"http://127.0.0.1:{port}", runtime=runtime, keys=made.keys, sessions=made.sessions)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        runtime.close()


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Server-sent events as they come: name and data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
