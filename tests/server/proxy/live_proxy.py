"""The proxy on a free port of this machine, with a scripted model provider behind it."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.bootstrap import Runtime, open_runtime
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.ports.embedder import Embedder
from recollect.server.app import create_app
from recollect.server.auth import House
from recollect.server.run import configuration, make_house
from recollect.server.tokens import Keys
from recollect.settings import load
from recollect.testing.model_server import ModelServer, Request

ANA = "ana"
OWN_KEY = "sk-of-the-client"
SERVER_KEY = "sk-of-the-server"
FACT = "My dog is called Bolt and he is afraid of thunder."
QUESTION = "What is my dog called?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    url: str
    runtime: Runtime
    keys: Keys
    upstream: ModelServer

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        """Somebody with a token of ours, the owner unless another is given."""
        sent = {"Authorization": f"Bearer {token or self.keys.own_token}", **headers}
        return httpx2.Client(base_url=self.url, headers=sent, timeout=30)

    def stranger(self, **headers: str) -> httpx2.Client:
        """A program on this machine with the key of its provider."""
        return httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {OWN_KEY}", **headers}, timeout=30
        )

    def asked(self) -> Request:
        """What the provider was asked last."""
        return self.upstream.requests[-1]

    def stored(self, chat: str | None = None, user: str = ANA) -> list[Message]:
        return list(self.runtime.store.messages.list(Scope(user, chat), limit=10_000))

    def said(self, chat: str | None = None, user: str = ANA) -> list[tuple[str, str]]:
        return [(message.role.value, message.content) for message in self.stored(chat, user)]

    def heard(self, number: int, chat: str | None = None, user: str = ANA) -> list[tuple[str, str]]:
        """What was said, once that many messages are stored and learned from."""
        until(lambda: len(self.stored(chat, user)) >= number)
        assert self.runtime.worker.drain(seconds=30)
        return self.said(chat, user)

    def remember(self, text: str = FACT, user: str = ANA) -> None:
        policy = self.runtime.policy(user)
        self.runtime.engine.remember(Scope(user, "earlier"), text, policy)
        assert self.runtime.worker.drain(seconds=30)


def until(holds: Callable[[], bool], *, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.01)


def body(*messages: Mapping[str, object] | str, **more: object) -> dict[str, Any]:
    """A chat request; a text is something the user says."""
    said = [{"role": "user", "content": each} if isinstance(each, str) else dict(each) for each in messages]
    return {"model": "echo", "messages": said, **more}


@contextmanager
def bench(
    folder: Path,
    *,
    embedder: Embedder | None = None,
    configured: bool = True,
    settings: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
    public: bool = False,
) -> Iterator[Bench]:
    with ModelServer() as upstream:
        addresses = {
            "proxy_upstream": upstream.base_url,
            "proxy_key": SERVER_KEY,
            "proxy_upstream_anthropic": upstream.origin,
            "proxy_key_anthropic": SERVER_KEY,
        }
        given: dict[str, object] = {
            "db": str(folder / "memory.db"),
            "user": ANA,
            "recall.deadline_ms": 10_000,
            **(addresses if configured else {}),
            **(settings or {}),
        }
        runtime = open_runtime(
            load(arguments=given, environ=environ if environ is not None else {}, files=()),
            embedder=embedder or HashingEmbedder(),
        )
        house = make_house(runtime, host="127.0.0.1", names=frozenset(names), public=public)
        with _serving(runtime, upstream, house) as running:
            yield running


@contextmanager
def _serving(runtime: Runtime, upstream: ModelServer, house: House) -> Iterator[Bench]:
    app = create_app(runtime, house=house, worker=False)
    server = uvicorn.Server(configuration(app, grace=2))
    # Named as TCP, so that asyncio sends small pieces at once, as it does for a server of its own.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        port = listener.getsockname()[1]
        yield Bench(url=f"http://127.0.0.1:{port}", runtime=runtime, keys=house.keys, upstream=upstream)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        runtime.close()
