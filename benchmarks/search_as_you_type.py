"""`python -m benchmarks.search_as_you_type`: latency of the memory list while a user types."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.embedders import SyntheticEmbedder
from benchmarks.figures import Figure, format_table, percentiles
from benchmarks.fill import QUIET_SETTINGS, USER_ID, print_progress
from benchmarks.http_client import get_request, post_request, process_cpu_seconds, stub_server
from benchmarks.load import Load, ServerModelEmbedder, ServerProcess, run_server
from recollect import Memory
from recollect.domain.memory import Kind
from recollect.testing.builders import a_memory
from recollect.testing.inspection import store_of

#: Memories and vectors per transaction.
BATCH_MEMORIES = 1_000
#: Lengths of the typed prefixes that trigger a search.
PREFIX_LENGTHS = (3, 6, 10, 16, 24)
TEXT_CHARS = 80


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_as_you_type", description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20, help="time limit of each scenario")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch, stub_server() as upstream:
        db = Path(scratch) / "memory.db"
        fill_memories(db, options.memories, ServerModelEmbedder())
        with run_server(db, upstream) as server:
            figures = [*measure_typing(server, options), *measure_counting(server, options)]
    print(format_table({f"{options.memories:,} memories": figures}))


def fill_memories(path: Path, size: int, embedder: SyntheticEmbedder) -> None:
    """Write memories directly into the store; only reads are measured."""
    print_progress(f"remembering {size:,} things")
    with Memory(path, user_id=USER_ID, embedder=embedder, settings=QUIET_SETTINGS) as memory:
        store, texts = store_of(memory.application), _generate_texts(size)
        kinds = list(Kind)
        for start in range(0, size, BATCH_MEMORIES):
            with store.transaction(USER_ID):
                for number, text in enumerate(islice(texts, BATCH_MEMORIES), start=start):
                    store.memories.add(
                        a_memory(text, user=USER_ID, id=f"m{number}", kind=kinds[number % len(kinds)])
                    )
                passages = store.vectors.queue(USER_ID, limit=BATCH_MEMORIES).passages
                store.vectors.put(
                    USER_ID, embedder.model_id, [(p, embedder.embed_query(p.text)) for p in passages]
                )
        memory.application.services.maintenance.optimize_indexes()


def _generate_texts(size: int) -> Iterator[str]:
    for batch in Corpus(size=size).batches():
        for message in batch.messages:
            yield str(message["content"])[:TEXT_CHARS]


def measure_typing(server: ServerProcess, options: argparse.Namespace) -> list[Figure]:
    """Send searches with growing prefixes, each when the previous response has arrived."""
    print_progress("typing")
    facts = Corpus(size=options.memories).facts

    def request(number: int) -> bytes:
        position, pause = divmod(number, len(PREFIX_LENGTHS))
        prefix = facts[position % len(facts)].query[: PREFIX_LENGTHS[pause]]
        return post_request("/api/memory/find", {"query": prefix}, server.headers)

    load = Load(seconds=options.seconds, max_requests=200)
    cpu_ms = process_cpu_seconds(server.pid)
    responses, _ = load.run(server.port, request)
    cpu_ms = (process_cpu_seconds(server.pid) - cpu_ms) * 1000 / len(responses)
    return [
        *percentiles("memories found while typing", [each.total_ms for each in responses], p95=100),
        Figure(name="· CPU time of the server", value=cpu_ms, unit="ms"),
    ]


def measure_counting(server: ServerProcess, options: argparse.Namespace) -> list[Figure]:
    print_progress("counting")
    request = get_request("/api/memory/census", server.headers)
    responses, _ = Load(seconds=options.seconds, max_requests=20).run(server.port, lambda _: request)
    return percentiles("memories counted by kind", [each.total_ms for each in responses])[:2]


if __name__ == "__main__":
    main()
