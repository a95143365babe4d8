"""`python -m benchmarks.load`: what the server takes and what it adds, with the client on the same machine."""

import argparse
import asyncio
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.embedders import SyntheticEmbedder
from benchmarks.figures import Figure, percentiles, table
from benchmarks.fill import USER, fill, said
from benchmarks.http_client import Timed, bare_server, line, post, processor_seconds
from recollect.bootstrap import make_embedder
from recollect.settings import Connection

#: Letters of a message, as people write in a line or two.
SHORT = 200
#: Messages that a client sends at once.
BATCHES = (1, 10, 40)
#: Recalls before those that are measured.
WARMING = 200
#: Seconds beyond the measured ones after which a scenario is given up.
GRACE = 30
READ = {"X-Memory": "read"}
OFF = {"X-Memory": "off"}
Json: TypeAlias = dict[str, object]
#: The body of each request, by its number.
Shape: TypeAlias = Callable[[int], Json]


class Posing(SyntheticEmbedder):
    """Fast, and under the name of the server's embedder, which would take minutes for so many messages."""

    def __init__(self) -> None:
        super().__init__()
        real = make_embedder(Connection())
        assert real is not None
        assert real.dimension == self.dimension
        self.model_id = real.model_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    port: int
    pid: int
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """So many connections for so many seconds, or until so many requests are answered."""

    seconds: float
    most: int
    connections: int = 1

    def run(self, port: int, request: Callable[[int], bytes]) -> tuple[list[Timed], float]:
        """The answers, and how long all of it took."""
        return asyncio.run(self._run(port, request))

    async def _run(self, port: int, request: Callable[[int], bytes]) -> tuple[list[Timed], float]:
        numbers, answers = itertools.count(), list[Timed]()
        begun = time.perf_counter()

        async def ask() -> None:
            async with line(port) as opened:
                while time.perf_counter() - begun < self.seconds and (number := next(numbers)) < self.most:
                    answers.append(await opened.ask(request(number)))

        async with asyncio.timeout(self.seconds + GRACE):
            await asyncio.gather(*(ask() for _ in range(self.connections)))
        return answers, time.perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch, bare_server() as upstream:
        db = Path(scratch) / "memory.db"
        _filled(db, options)
        with served(db, upstream) as server:
            figures = [
                *client_alone(upstream, options),
                *recall(server, options),
                *proxied(server, upstream, options),
                *ingest(server, options),
            ]
    column = f"{options.memories:,} messages"
    shown = {column: [figure.as_json() for figure in figures]}
    print(json.dumps(shown, ensure_ascii=False, indent=2) if options.json else table({column: figures}))


def _filled(db: Path, options: argparse.Namespace) -> None:
    kept: Path = options.keep or db
    if not kept.exists():
        said(f"filling a memory with {options.memories:,} messages")
        fill(kept, options.memories, Posing())
    if kept != db:
        shutil.copy(kept, db)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="that each scenario takes at most")
    parser.add_argument("--requests", type=int, default=5_000, help="that each scenario sends at most")
    parser.add_argument("--memories", type=int, default=2_000, help="messages in the file before")
    parser.add_argument("--connections", type=int, default=4, help="clients that ingest or recall at once")
    parser.add_argument(
        "--keep", type=Path, metavar="DB", help="the filled file; it is made if it is not there"
    )
    parser.add_argument("--json", action="store_true", help="print the figures for machines")
    return parser.parse_args(arguments)


@contextmanager
def served(db: Path, upstream: int) -> Iterator[Server]:
    """`recollect up` in a process of its own, which leaves queued work alone."""
    words = ["--db", str(db), "--user", USER, "--json", "up", "--port", "0", "--no-browser", "--workers", "0"]
    settings = {
        "RECOLLECT_EMBEDDER": "onnx",
        "RECOLLECT_PROXY_UPSTREAM": f"http://127.0.0.1:{upstream}/v1",
        "RECOLLECT_REQUESTS_PER_MINUTE": "0",
        "RECOLLECT_LOG_LEVEL": "warning",
        "RECOLLECT_RECALL_DEADLINE_MS": "2000",
    }
    command = [sys.executable, "-m", "recollect", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **settings}) as process:
        assert process.stdout is not None
        port = int(json.loads(process.stdout.readline())["url"].rpartition(":")[2])
        token = db.with_name(f"{db.name}.token").read_text("utf-8").strip()
        server = Server(port=port, pid=process.pid, token=token)
        # Until it has loaded its model, which takes a moment at every start and is not what is measured here.
        ask = post("/api/memory/search", {"query": "Are you there?"}, server.headers)
        Load(seconds=GRACE, most=3).run(port, lambda _: ask)
        try:
            yield server
        finally:
            process.send_signal(signal.SIGTERM)


def client_alone(upstream: int, options: argparse.Namespace) -> list[Figure]:
    """What the client and the sockets take by themselves, on a server that does nothing."""
    said("the client alone")
    request = post("/v1/chat/completions", {"messages": []}, {})
    load = Load(seconds=options.seconds, most=options.requests, connections=options.connections)
    worked = time.process_time()
    answers, seconds = load.run(upstream, lambda _: request)
    share = (time.process_time() - worked) * 1000 / len(answers)
    return [
        Figure(name="client alone, requests", value=len(answers) / seconds, unit="/s"),
        Figure(name="· client alone, each request, processor time", value=share, unit="ms"),
    ]


def ingest(server: Server, options: argparse.Namespace) -> list[Figure]:
    figures: list[Figure] = []
    texts = [str(m["content"])[:SHORT] for b in Corpus(size=1_000, seed=7).batches() for m in b.messages]
    for each in BATCHES:
        said(f"ingest, {each} a request")

        def request(number: int, each: int = each) -> bytes:
            said = [
                {"role": "user", "content": f"{number}.{i} {texts[(number * each + i) % 1_000]}"}
                for i in range(each)
            ]
            return post(f"/chats/load-{number % 64}/listen?user_id=guest", {"messages": said}, server.headers)

        load = Load(seconds=options.seconds, most=options.requests, connections=options.connections)
        name = "messages ingested" if each == 1 else f"messages ingested, {each} a request"
        figures += _measured(name, server, load, request, per_request=each, least=1_000, most=100)
    return figures


def recall(server: Server, options: argparse.Namespace) -> list[Figure]:
    said("recall")
    asked = _questions(options)

    def request(number: int) -> bytes:
        return post("/api/memory/search", {"query": asked(number)}, server.headers)

    # A server that runs has met the frequent words, which are counted once; these questions are not asked again.
    first = Load(seconds=options.seconds, most=WARMING, connections=options.connections)
    first.run(server.port, lambda number: request(options.requests + number))
    load = Load(seconds=options.seconds, most=options.requests, connections=options.connections)
    return _measured("recalls", server, load, request, per_request=1, least=100, most=100)


def _questions(options: argparse.Namespace) -> Callable[[int], str]:
    """Each a new one for a while: a question that was asked a moment ago need not be embedded again."""
    facts = Corpus(size=options.memories).facts

    def asked(number: int) -> str:
        turn, place = divmod(number, len(facts))
        return facts[place].asked(turn)

    return asked


def _measured(
    name: str,
    server: Server,
    load: Load,
    request: Callable[[int], bytes],
    *,
    per_request: int,
    least: float,
    most: float,
) -> list[Figure]:
    worked = processor_seconds(server.pid)
    answers, seconds = load.run(server.port, request)
    worked = (processor_seconds(server.pid) - worked) * 1000 / len(answers)
    _all_well(answers)
    return [
        Figure(name=name, value=len(answers) * per_request / seconds, unit="/s", least=least),
        *percentiles(
            f"· {name}, each request, {load.connections} at once", [a.whole for a in answers], p95=most
        )[:2],
        Figure(name=f"· {name}, each request, processor time of the server", value=worked, unit="ms"),
    ]


def proxied(server: Server, upstream: int, options: argparse.Namespace) -> list[Figure]:
    """What stands between a client and its provider, one request after the other."""
    load = Load(seconds=options.seconds, most=min(options.requests, 500))
    asked = _questions(options)

    def whole(number: int) -> Json:
        return {"model": "m", "messages": [{"role": "user", "content": asked(number)}]}

    def streamed(number: int) -> Json:
        return {**whole(number), "stream": True}

    direct = _first_bytes(load, upstream, whole)
    return [
        *_added("proxy adds, memory off", server, load, whole, OFF, direct, most=3),
        *_added("proxy adds, with recall", server, load, whole, READ, direct, most=30),
        *_added(
            "proxy adds to a stream's first byte, memory off",
            server,
            load,
            streamed,
            OFF,
            _first_bytes(load, upstream, streamed),
        ),
    ]


def _first_bytes(load: Load, port: int, shape: Shape) -> float:
    answers, _ = load.run(port, lambda number: post("/v1/chat/completions", shape(number), {}))
    return float(np.median([answer.first for answer in answers]))


def _added(
    name: str,
    server: Server,
    load: Load,
    shape: Shape,
    headers: dict[str, str],
    direct: float,
    *,
    most: float | None = None,
) -> list[Figure]:
    said(name)
    worked = processor_seconds(server.pid)
    answers, _ = load.run(
        server.port,
        lambda number: post("/v1/chat/completions", shape(number), {**server.headers, **headers}),
    )
    worked = (processor_seconds(server.pid) - worked) * 1000 / len(answers)
    _all_well(answers)
    return [
        *percentiles(name, [answer.first - direct for answer in answers], p95=most)[:2],
        Figure(name=f"· {name}, processor time of the server", value=worked, unit="ms"),
    ]


def _all_well(answers: Sequence[Timed]) -> None:
    failed = {answer.status for answer in answers if answer.status >= 400}
    if failed:
        sys.exit(f"Some requests were refused: {sorted(failed)}. These figures would mean nothing.")


if __name__ == "__main__":
    main()
