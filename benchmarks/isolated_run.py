"""Measurements of one store size, each in its own process, so that memory is measured from a clean start."""

import json
import multiprocessing
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmarks import ingest, recall, sizes
from benchmarks.databases import create_database
from benchmarks.embedders import RealCostEmbedder, SyntheticEmbedder, TimedEmbedder
from benchmarks.figures import Figure
from benchmarks.fill import QUIET_SETTINGS, USER_ID, FillResult, fill_memory, print_progress
from benchmarks.vector_recall import measure_vector_recall
from recollect import Memory
from recollect.bootstrap import make_embedder
from recollect.ports.embedder import Embedder
from recollect.settings import MachineSettings

Result = TypeVar("Result")

#: Targets for the 95th percentile of recall, by maximum store size; with and without embedding.
MAX_RECALL_P95_MS = {100_000: 25.0, 1_000_000: 60.0}
MAX_RECALL_BESIDES_EMBEDDING_P95_MS = {100_000: 5.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRun:
    size: int
    folder: Path
    embedder: str
    query_count: int
    server: str | None = None  #: URL of a PostgreSQL server; None measures SQLite

    @property
    def file(self) -> Path:
        return self.folder / f"{self.size}-{self.embedder}.db"

    @property
    def fill_result_file(self) -> Path:
        """File with the fill times; written when the store is complete."""
        return self.file.with_suffix(".json")

    def run(self) -> list[Figure]:
        if self.server is not None:
            url = create_database(self.server, f"benchmark_{self.size}")
            _run_in_process(partial(self._fill_database, url))
            return _run_in_process(partial(self._measure_copy, url))
        if not self.fill_result_file.exists():
            _run_in_process(self._fill)
        return _run_in_process(self._measure)

    def _fill(self) -> None:
        print_progress(f"filling a store with {self.size:,} messages")
        self.folder.mkdir(parents=True, exist_ok=True)
        for leftover in self.folder.glob(f"{self.file.name}*"):
            leftover.unlink()
        fill_result = fill_memory(
            self.file,
            self.size,
            self._make_embedder(),
        )
        self.fill_result_file.write_text(json.dumps(asdict(fill_result)), encoding="utf-8")

    def _fill_database(self, url: str) -> None:
        print_progress(f"filling a database with {self.size:,} messages")
        self.folder.mkdir(parents=True, exist_ok=True)
        fill_result = fill_memory(url, self.size, self._make_embedder())
        self.fill_result_file.write_text(json.dumps(asdict(fill_result)), encoding="utf-8")

    def _make_embedder(self) -> Embedder:
        return SyntheticEmbedder() if self.embedder == "synthetic" else make_real_embedder()

    def _measure(self) -> list[Figure]:
        # A copy, since the measurements write too, and the next run should start from the same file.
        with TemporaryDirectory(dir=self.folder) as scratch:
            return self._measure_copy(Path(shutil.copy(self.file, scratch)))

    def _measure_copy(self, db: Path | str) -> list[Figure]:
        fill_result = FillResult(**json.loads(self.fill_result_file.read_text(encoding="utf-8")))
        facts = recall.sample_facts(self.size, self.query_count)
        embedder = TimedEmbedder(
            RealCostEmbedder(make_real_embedder()) if self.embedder == "synthetic" else make_real_embedder()
        )
        figures = [*_fill_rates(fill_result), recall.measure_cold_start(db, embedder)]
        with Memory(db, user_id=USER_ID, embedder=embedder, settings=QUIET_SETTINGS) as memory:
            figures += [
                *recall.measure_recall(
                    memory,
                    embedder,
                    facts,
                    max_p95_ms=self._target(MAX_RECALL_P95_MS),
                    max_besides_embedding_p95_ms=self._target(MAX_RECALL_BESIDES_EMBEDDING_P95_MS),
                ),
                *recall.measure_context(memory, embedder, facts),
            ]
            figures += [
                *sizes.measure_memory("resident memory, model loaded"),
                *recall.measure_concurrent_recall(memory, facts),
            ]
            figures += [*sizes.measure_memory("· after 8 readers"), *sizes.measure_disk(memory)]
            if isinstance(db, Path):
                # PostgreSQL compares all vectors, and so misses none.
                figures.append(measure_vector_recall(memory, db, embedder, facts))
            figures += ingest.measure_single_writes(memory)
            figures += [*ingest.measure_concurrent_writes(memory), ingest.measure_extraction(memory)]
        return figures

    def _target(self, targets: Mapping[int, float]) -> float | None:
        return next((ms for size, ms in targets.items() if self.size <= size), None)


def make_real_embedder() -> Embedder:
    """Return the default embedder."""
    embedder = make_embedder(MachineSettings())
    assert embedder is not None
    return embedder


def _fill_rates(fill_result: FillResult) -> list[Figure]:
    return [
        Figure(
            name="messages stored, in batches of 100",
            value=fill_result.messages / fill_result.stored_in,
            unit="/s",
        ),
        Figure(
            name="messages embedded and stored",
            value=fill_result.messages / fill_result.embedded_in,
            unit="/s",
        ),
    ]


def _run_in_process(work: Callable[[], Result]) -> Result:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work).result()
