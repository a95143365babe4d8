"""`python -m benchmarks.search_as_you_type`: latency of the memory list while a user types."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.embedders import SyntheticEmbedder
from benchmarks.figures import Figure, percentiles, table
from benchmarks.fill import QUIET, USER, said
from benchmarks.http_client import bare_server, get, post, processor_seconds
from benchmarks.load import Load, Posing, Server, served
from recollect import Memory
from recollect.domain.memory import Kind
from recollect.testing.builders import a_memory

#: Memories stored, and vectors put, in one transaction.
BATCH = 1_000
#: Letters after which somebody who types pauses long enough for a search.
PAUSES = (3, 6, 10, 16, 24)
LETTERS = 80


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_as_you_type", description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20, help="that each scenario takes at most")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch, bare_server() as upstream:
        db = Path(scratch) / "memory.db"
        fill(db, options.memories, Posing())
        with served(db, upstream) as server:
            figures = [*typed(server, options), *counted(server, options)]
    print(table({f"{options.memories:,} memories": figures}))


def fill(path: Path, size: int, embedder: SyntheticEmbedder) -> None:
    """Straight into the store: here it is only to be looked at."""
    said(f"remembering {size:,} things")
    with Memory(path, user_id=USER, embedder=embedder, settings=QUIET) as memory:
        store, texts = memory.runtime.store, _texts(size)
        kinds = list(Kind)
        for start in range(0, size, BATCH):
            with store.transaction():
                for number, text in enumerate(islice(texts, BATCH), start=start):
                    store.memories.add(
                        a_memory(text, user=USER, id=f"m{number}", kind=kinds[number % len(kinds)])
                    )
                passages = store.vectors.missing(USER, limit=BATCH)
                store.vectors.put(
                    USER, embedder.model_id, [(p, embedder.embed_query(p.text)) for p in passages]
                )
        store.upkeep.tidy()


def _texts(size: int) -> Iterator[str]:
    for batch in Corpus(size=size).batches():
        for message in batch.messages:
            yield str(message["content"])[:LETTERS]


def typed(server: Server, options: argparse.Namespace) -> list[Figure]:
    """One after the other, as fast as answers come: each some letters longer than the one before."""
    said("typing")
    facts = Corpus(size=options.memories).facts

    def request(number: int) -> bytes:
        place, pause = divmod(number, len(PAUSES))
        letters = facts[place % len(facts)].question[: PAUSES[pause]]
        return post("/api/memory/find", {"query": letters}, server.headers)

    load = Load(seconds=options.seconds, most=200)
    worked = processor_seconds(server.pid)
    answers, _ = load.run(server.port, request)
    worked = (processor_seconds(server.pid) - worked) * 1000 / len(answers)
    return [
        *percentiles("memories found while typing", [each.whole for each in answers], p95=100),
        Figure(name="· processor time of the server", value=worked, unit="ms"),
    ]


def counted(server: Server, options: argparse.Namespace) -> list[Figure]:
    said("counting")
    request = get("/api/memory/census", server.headers)
    answers, _ = Load(seconds=options.seconds, most=20).run(server.port, lambda _: request)
    return percentiles("memories counted by kind", [each.whole for each in answers])[:2]


if __name__ == "__main__":
    main()
