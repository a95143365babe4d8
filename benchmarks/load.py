"""`python -m benchmarks.load`: throughput and overhead of the server, with the client on the same machine."""

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
from benchmarks.figures import Figure, format_table, percentiles
from benchmarks.fill import USER_ID, fill_memory, print_progress
from benchmarks.http_client import (
    TimedResponse,
    open_connection,
    post_request,
    process_cpu_seconds,
    stub_server,
)
from recollect.bootstrap import make_embedder
from recollect.settings import MachineSettings

#: A message of a line or two.
SHORT_MESSAGE_CHARS = 200
#: Messages per request.
BATCH_SIZES = (1, 10, 40)
#: Recalls before the measurement.
WARM_UP_REQUESTS = 200
#: Time after the measured interval until a scenario is aborted.
GRACE_SECONDS = 30
READ_HEADERS = {"X-Memory": "read"}
OFF_HEADERS = {"X-Memory": "off"}
JsonObject: TypeAlias = dict[str, object]
#: Returns the body of a request by its number.
BodyFactory: TypeAlias = Callable[[int], JsonObject]


class ServerModelEmbedder(SyntheticEmbedder):
    """Synthetic vectors under the model id of the server's embedder, which would take minutes to fill the store."""

    def __init__(self) -> None:
        super().__init__()
        real = make_embedder(MachineSettings())
        assert real is not None
        assert real.dimension == self.dimension
        self.model_id = real.model_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    port: int
    pid: int
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Number of connections, and the limits on seconds and requests."""

    seconds: float
    max_requests: int
    connections: int = 1

    def run(self, port: int, request: Callable[[int], bytes]) -> tuple[list[TimedResponse], float]:
        """Return the responses and the elapsed seconds."""
        return asyncio.run(self._run(port, request))

    async def _run(self, port: int, request: Callable[[int], bytes]) -> tuple[list[TimedResponse], float]:
        numbers, responses = itertools.count(), list[TimedResponse]()
        started = time.perf_counter()

        async def send_requests() -> None:
            async with open_connection(port) as opened:
                while (
                    time.perf_counter() - started < self.seconds
                    and (number := next(numbers)) < self.max_requests
                ):
                    responses.append(await opened.send(request(number)))

        async with asyncio.timeout(self.seconds + GRACE_SECONDS):
            await asyncio.gather(*(send_requests() for _ in range(self.connections)))
        return responses, time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse_options(arguments)
    with tempfile.TemporaryDirectory() as scratch, stub_server() as upstream:
        db = Path(scratch) / "memory.db"
        _prepare_file(db, options)
        with run_server(db, upstream) as server:
            figures = [
                *measure_client(upstream, options),
                *measure_recall(server, options),
                *measure_proxy(server, upstream, options),
                *measure_ingest(server, options),
            ]
    column = f"{options.memories:,} messages"
    document = {column: [figure.to_json() for figure in figures]}
    print(
        json.dumps(document, ensure_ascii=False, indent=2)
        if options.json
        else format_table({column: figures})
    )


def _prepare_file(db: Path, options: argparse.Namespace) -> None:
    filled_file: Path = options.keep or db
    if not filled_file.exists():
        print_progress(f"filling a store with {options.memories:,} messages")
        fill_memory(filled_file, options.memories, ServerModelEmbedder())
    if filled_file != db:
        shutil.copy(filled_file, db)


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="time limit of each scenario")
    parser.add_argument(
        "--requests", type=int, default=5_000, help="maximum number of requests of each scenario"
    )
    parser.add_argument("--memories", type=int, default=2_000, help="messages in the store before the test")
    parser.add_argument("--connections", type=int, default=4, help="concurrent clients")
    parser.add_argument(
        "--keep", type=Path, metavar="DB", help="file of the filled store; created if missing"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args(arguments)


@contextmanager
def run_server(db: Path, upstream: int) -> Iterator[ServerProcess]:
    """Run `recollect up` in its own process, without a worker."""
    arguments = [
        "--db",
        str(db),
        "--user",
        USER_ID,
        "--json",
        "up",
        "--port",
        "0",
        "--no-browser",
        "--no-worker",
    ]
    settings = {
        "RECOLLECT_EMBEDDER": "onnx",
        "RECOLLECT_PROXY_UPSTREAM": f"http://127.0.0.1:{upstream}/v1",
        "RECOLLECT_REQUESTS_PER_MINUTE": "0",
        "RECOLLECT_LOG_LEVEL": "warning",
        "RECOLLECT_RECALL_DEADLINE_MS": "2000",
    }
    command = [sys.executable, "-m", "recollect", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **settings}) as process:
        assert process.stdout is not None
        port = int(json.loads(process.stdout.readline())["url"].rpartition(":")[2])
        owner = subprocess.run(
            [*command[:3], "--db", str(db), "tokens", "own"], capture_output=True, check=True
        )
        token = owner.stdout.decode().strip()
        server = ServerProcess(port=port, pid=process.pid, token=token)
        # Wait until the model is loaded, which is not part of the measurement.
        request = post_request("/api/memory/search", {"query": "Are you there?"}, server.headers)
        Load(seconds=GRACE_SECONDS, max_requests=3).run(port, lambda _: request)
        try:
            yield server
        finally:
            process.send_signal(signal.SIGTERM)


def measure_client(upstream: int, options: argparse.Namespace) -> list[Figure]:
    """Measure the cost of the client and the sockets against a stub server."""
    print_progress("the client alone")
    request = post_request("/v1/chat/completions", {"messages": []}, {})
    load = Load(seconds=options.seconds, max_requests=options.requests, connections=options.connections)
    cpu_start = time.process_time()
    responses, seconds = load.run(upstream, lambda _: request)
    cpu_ms = (time.process_time() - cpu_start) * 1000 / len(responses)
    return [
        Figure(name="client alone, requests", value=len(responses) / seconds, unit="/s"),
        Figure(name="· client alone, each request, CPU time", value=cpu_ms, unit="ms"),
    ]


def measure_ingest(server: ServerProcess, options: argparse.Namespace) -> list[Figure]:
    figures: list[Figure] = []
    texts = [
        str(m["content"])[:SHORT_MESSAGE_CHARS]
        for b in Corpus(size=1_000, seed=7).batches()
        for m in b.messages
    ]
    for batch_size in BATCH_SIZES:
        print_progress(f"ingest, {batch_size} per request")

        def request(number: int, each: int = batch_size) -> bytes:
            messages = [
                {"role": "user", "content": f"{number}.{i} {texts[(number * each + i) % 1_000]}"}
                for i in range(each)
            ]
            return post_request(
                f"/chats/load-{number % 64}/listen?user_id=guest", {"messages": messages}, server.headers
            )

        load = Load(seconds=options.seconds, max_requests=options.requests, connections=options.connections)
        name = "messages ingested" if batch_size == 1 else f"messages ingested, {batch_size} per request"
        figures += _measure_requests(
            name, server, load, request, per_request=batch_size, min_rate=1_000, max_p95_ms=100
        )
    return figures


def measure_recall(server: ServerProcess, options: argparse.Namespace) -> list[Figure]:
    print_progress("recall")
    query_at = _query_source(options)

    def request(number: int) -> bytes:
        return post_request("/api/memory/search", {"query": query_at(number)}, server.headers)

    # Warms the cache of document frequencies, as on a running server; these queries are not repeated.
    warm_up = Load(seconds=options.seconds, max_requests=WARM_UP_REQUESTS, connections=options.connections)
    warm_up.run(server.port, lambda number: request(options.requests + number))
    load = Load(seconds=options.seconds, max_requests=options.requests, connections=options.connections)
    return _measure_requests("recalls", server, load, request, per_request=1, min_rate=100, max_p95_ms=100)


def _query_source(options: argparse.Namespace) -> Callable[[int], str]:
    """Return a function that gives distinct queries, since the embedding of a recent query is cached."""
    facts = Corpus(size=options.memories).facts

    def query_at(number: int) -> str:
        variant, position = divmod(number, len(facts))
        return facts[position].phrase_query(variant)

    return query_at


def _measure_requests(
    name: str,
    server: ServerProcess,
    load: Load,
    request: Callable[[int], bytes],
    *,
    per_request: int,
    min_rate: float,
    max_p95_ms: float,
) -> list[Figure]:
    cpu_ms = process_cpu_seconds(server.pid)
    responses, seconds = load.run(server.port, request)
    cpu_ms = (process_cpu_seconds(server.pid) - cpu_ms) * 1000 / len(responses)
    _require_success(responses)
    return [
        Figure(name=name, value=len(responses) * per_request / seconds, unit="/s", least=min_rate),
        *percentiles(
            f"· {name}, each request, {load.connections} connections",
            [a.total_ms for a in responses],
            p95=max_p95_ms,
        )[:2],
        Figure(name=f"· {name}, each request, CPU time of the server", value=cpu_ms, unit="ms"),
    ]


def measure_proxy(server: ServerProcess, upstream: int, options: argparse.Namespace) -> list[Figure]:
    """Measure the latency that the proxy adds, with sequential requests."""
    load = Load(seconds=options.seconds, max_requests=min(options.requests, 500))
    query_at = _query_source(options)

    def plain_body(number: int) -> JsonObject:
        return {"model": "m", "messages": [{"role": "user", "content": query_at(number)}]}

    def stream_body(number: int) -> JsonObject:
        return {**plain_body(number), "stream": True}

    direct_ms = _median_first_byte_ms(load, upstream, plain_body)
    return [
        *_measure_overhead(
            "proxy adds, memory off", server, load, plain_body, OFF_HEADERS, direct_ms, max_p95_ms=3
        ),
        *_measure_overhead(
            "proxy adds, with recall", server, load, plain_body, READ_HEADERS, direct_ms, max_p95_ms=30
        ),
        *_measure_overhead(
            "proxy adds to a stream's first byte, memory off",
            server,
            load,
            stream_body,
            OFF_HEADERS,
            _median_first_byte_ms(load, upstream, stream_body),
        ),
    ]


def _median_first_byte_ms(load: Load, port: int, make_body: BodyFactory) -> float:
    responses, _ = load.run(port, lambda number: post_request("/v1/chat/completions", make_body(number), {}))
    return float(np.median([answer.first_byte_ms for answer in responses]))


def _measure_overhead(
    name: str,
    server: ServerProcess,
    load: Load,
    make_body: BodyFactory,
    headers: dict[str, str],
    direct_ms: float,
    *,
    max_p95_ms: float | None = None,
) -> list[Figure]:
    print_progress(name)
    cpu_ms = process_cpu_seconds(server.pid)
    responses, _ = load.run(
        server.port,
        lambda number: post_request("/v1/chat/completions", make_body(number), {**server.headers, **headers}),
    )
    cpu_ms = (process_cpu_seconds(server.pid) - cpu_ms) * 1000 / len(responses)
    _require_success(responses)
    return [
        *percentiles(name, [answer.first_byte_ms - direct_ms for answer in responses], p95=max_p95_ms)[:2],
        Figure(name=f"· {name}, CPU time of the server", value=cpu_ms, unit="ms"),
    ]


def _require_success(responses: Sequence[TimedResponse]) -> None:
    failed = {answer.status for answer in responses if answer.status >= 400}
    if failed:
        sys.exit(f"Some requests failed with status {sorted(failed)}, so the figures are not valid.")


if __name__ == "__main__":
    main()
