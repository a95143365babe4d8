"""Runs a real server on a free local port, and creates clients for it."""

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
from recollect.bootstrap import Application, open_application
from recollect.ports.chat_model import ChatModel
from recollect.server.app import create_app
from recollect.server.run import create_auth_config, create_uvicorn_config
from recollect.services.access import AccessService
from recollect.settings import load_settings

ANA = "ana"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveServer:
    url: str
    application: Application
    access: AccessService

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        """Return a client with the owner's token or another one."""
        all_headers = {"Authorization": f"Bearer {token or self.access.owner_token()}", **headers}
        return httpx2.Client(base_url=self.url, headers=all_headers, timeout=20)

    def anonymous_client(self, **headers: str) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers=headers, timeout=20)

    def drain_jobs(self) -> None:
        """Wait until all queued jobs are done."""
        assert self.application.worker.drain(seconds=20)


@contextmanager
def run_server(
    folder: Path,
    *,
    chat_model: ChatModel | None = None,
    worker: bool = True,
    auth_overrides: Mapping[str, Any] | None = None,
    db: str | None = None,
) -> Iterator[LiveServer]:
    database = db or str(folder / "memory.db")
    settings = load_settings(arguments={"db": database, "user": ANA}, environ={}, files=())
    application = open_application(settings, embedder=HashingEmbedder(), chat_model=chat_model)
    auth_config = create_auth_config(application, host="127.0.0.1")
    for name, value in (auth_overrides or {}).items():
        object.__setattr__(auth_config, name, value)
    app = create_app(application, auth_config=auth_config, worker=worker)
    server = uvicorn.Server(create_uvicorn_config(app, grace_seconds=2))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        port = listener.getsockname()[1]
        yield LiveServer(
            url=f"http://127.0.0.1:{port}",
            application=application,
            access=auth_config.access,
        )
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        application.close()


def parse_events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and data of server-sent events as they arrive."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
