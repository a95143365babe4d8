"""Protocol between the benchmark and a system: one JSON request per line in, one JSON response per line out."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, TextIO

USER_ID = "asker"
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as systems receive it."""

    id: str
    chat: str
    role: str
    text: str
    at: str  #: ISO 8601


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig:
    """Start parameters of a system."""

    folder: Path  #: folder of its store
    query_time: datetime  #: time at which the questions are asked
    network: Path
    tokenizer: Path
    settings: Mapping[str, object]


class Peer(Protocol):
    @property
    def embedding_seconds(self) -> float:
        """CPU seconds spent in the model so far."""

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        """Store messages; return the source message of each id that `search` may return."""

    def search(self, query: str, limit: int) -> list[str]:
        """Return the ids of the results, best first."""

    def close(self) -> None: ...


def serve(open_peer: Callable[[RunnerConfig], Peer]) -> None:
    """Answer requests until standard input ends. Output of the system itself goes to standard error."""
    output = _redirect_stdout()
    sys.addaudithook(block_network)
    peer = open_peer(_parse_config(json.loads(sys.argv[1])))
    for line in sys.stdin:
        print(json.dumps(_respond(peer, json.loads(line))), file=output, flush=True)
    peer.close()


def group_by_chat(messages: Iterable[Message]) -> list[list[Message]]:
    """Group messages by session, in order."""
    return [list(group) for _, group in groupby(messages, key=lambda message: message.chat)]


def _respond(peer: Peer, request: Mapping[str, Any]) -> dict[str, object]:
    embedding_start, cpu_start, wall_start = peer.embedding_seconds, time.process_time(), time.perf_counter()
    result = _handle_request(peer, request)
    return {
        **result,
        "seconds": time.perf_counter() - wall_start,
        "processor": time.process_time() - cpu_start,
        "embedding": peer.embedding_seconds - embedding_start,
    }


def _handle_request(peer: Peer, request: Mapping[str, Any]) -> dict[str, object]:
    match request:
        case {"ingest": [*messages]}:
            return {"names": peer.ingest([Message(**each) for each in messages])}
        case {"ask": str(question), "limit": int(limit)}:
            return {"ids": peer.search(question, limit)}
        case _:
            raise ValueError(f"{sorted(request)} is not a request: send ingest, or ask with a limit.")


def _parse_config(options: Mapping[str, Any]) -> RunnerConfig:
    return RunnerConfig(
        folder=Path(options["folder"]),
        query_time=datetime.fromisoformat(options["asked_at"]),
        network=Path(options["network"]),
        tokenizer=Path(options["tokenizer"]),
        settings=options["settings"],
    )


def _redirect_stdout() -> TextIO:
    stdout_copy = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(stdout_copy, "w", encoding="utf-8")


def block_network(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse connections to other hosts, so that the network affects no system."""
    host: object = None
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(address := arguments[1], tuple):
        host = address[0]
    if host not in LOOPBACK_HOSTS:
        raise ConnectionRefusedError(
            f"The benchmark runs without a network: the connection to {host} was refused."
        )
