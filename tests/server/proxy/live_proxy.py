"""Runs the proxy on a free local port, with a scripted model provider as upstream."""

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
from recollect.bootstrap import Application, open_application
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.ports.embedder import Embedder
from recollect.server.app import create_app
from recollect.server.auth import AuthConfig
from recollect.server.run import create_auth_config, create_uvicorn_config
from recollect.services.access import AccessService
from recollect.settings import load_settings
from recollect.testing.inspection import store_of
from recollect.testing.model_server import ModelServer, Request

ANA = "ana"
OWN_KEY = "sk-of-the-client"
SERVER_KEY = "sk-of-the-server"
DOG_FACT = "My dog is called Bolt and he is afraid of thunder."
DOG_QUESTION = "What is my dog called?"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProxy:
    url: str
    application: Application
    access: AccessService
    upstream: ModelServer

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        """Somebody with a token of ours, the owner unless another is given."""
        all_headers = {"Authorization": f"Bearer {token or self.access.owner_token()}", **headers}
        return httpx2.Client(base_url=self.url, headers=all_headers, timeout=30)

    def provider_client(self, **headers: str) -> httpx2.Client:
        """A program on this machine with the key of its provider."""
        return httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {OWN_KEY}", **headers}, timeout=30
        )

    def last_request(self) -> Request:
        """Return the last request that the provider received."""
        return self.upstream.requests[-1]

    def stored_messages(self, chat: str | None = None, user: str = ANA) -> list[Message]:
        return list(store_of(self.application).messages.list(Scope(user, chat), limit=10_000))

    def stored_texts(self, chat: str | None = None, user: str = ANA) -> list[tuple[str, str]]:
        return [(message.role.value, message.content) for message in self.stored_messages(chat, user)]

    def wait_for_messages(
        self, count: int, chat: str | None = None, user: str = ANA
    ) -> list[tuple[str, str]]:
        """What was said, once that many messages are stored and learned from."""
        wait_until(lambda: len(self.stored_messages(chat, user)) >= count)
        assert self.application.worker.drain(seconds=30)
        return self.stored_texts(chat, user)

    def add_memory(self, text: str = DOG_FACT, user: str = ANA) -> None:
        policy = self.application.policy(user)
        self.application.services.extraction.remember(Scope(user, "earlier"), text, policy)
        assert self.application.worker.drain(seconds=30)


def wait_until(condition: Callable[[], bool], *, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "condition not met in time"
        time.sleep(0.01)


def chat_request(*messages: Mapping[str, object] | str, **fields: object) -> dict[str, Any]:
    """Return a chat request; strings become user messages."""
    request_messages = [
        {"role": "user", "content": each} if isinstance(each, str) else dict(each) for each in messages
    ]
    return {"model": "echo", "messages": request_messages, **fields}


@contextmanager
def run_proxy(
    folder: Path,
    *,
    embedder: Embedder | None = None,
    has_upstream: bool = True,
    settings: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
    public: bool = False,
) -> Iterator[LiveProxy]:
    with ModelServer() as upstream:
        addresses = {
            "proxy_upstream": upstream.base_url,
            "proxy_key": SERVER_KEY,
            "proxy_upstream_anthropic": upstream.origin,
            "proxy_key_anthropic": SERVER_KEY,
        }
        arguments: dict[str, object] = {
            "db": str(folder / "memory.db"),
            "user": ANA,
            "recall.deadline_ms": 10_000,
            **(addresses if has_upstream else {}),
            **(settings or {}),
        }
        application = open_application(
            load_settings(arguments=arguments, environ=environ if environ is not None else {}, files=()),
            embedder=embedder or HashingEmbedder(),
        )
        auth_config = create_auth_config(
            application, host="127.0.0.1", allowed_hosts=frozenset(names), public=public
        )
        with _run_proxy_server(application, upstream, auth_config) as proxy:
            yield proxy


@contextmanager
def _run_proxy_server(
    application: Application, upstream: ModelServer, auth_config: AuthConfig
) -> Iterator[LiveProxy]:
    app = create_app(application, auth_config=auth_config, worker=False)
    server = uvicorn.Server(create_uvicorn_config(app, grace_seconds=2))
    # Declared as TCP, so that asyncio sets TCP_NODELAY, as it does for its own servers.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        port = listener.getsockname()[1]
        yield LiveProxy(
            url=f"http://127.0.0.1:{port}",
            application=application,
            access=auth_config.access,
            upstream=upstream,
        )
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
        application.close()
