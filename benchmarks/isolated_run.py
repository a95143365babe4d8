"""One file: filled, asked, weighed; each in a process of its own, so that memory is counted from nothing."""

import json
import multiprocessing
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmarks import ingest, recall, sizes
from benchmarks.embedders import PaidQueries, SyntheticEmbedder, Watched
from benchmarks.figures import Figure
from benchmarks.fill import QUIET, USER, Filled, fill, said
from benchmarks.vector_recall import exactness
from recollect import Memory
from recollect.bootstrap import make_embedder
from recollect.ports.embedder import Embedder
from recollect.settings import Connection

Result = TypeVar("Result")

#: Milliseconds that 95 of 100 recalls may take, by the size up to which that holds, and besides the embedding.
END_TO_END = {100_000: 25.0, 1_000_000: 60.0}
BESIDES = {100_000: 5.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    size: int
    folder: Path
    embedder: str
    questions: int

    @property
    def file(self) -> Path:
        return self.folder / f"{self.size}-{self.embedder}.db"

    @property
    def notes(self) -> Path:
        """How long it took to fill the file; written when it is complete."""
        return self.file.with_suffix(".json")

    def run(self) -> list[Figure]:
        if not self.notes.exists():
            _alone(self._fill)
        return _alone(self._measure)

    def _fill(self) -> None:
        said(f"filling a memory with {self.size:,} messages")
        self.folder.mkdir(parents=True, exist_ok=True)
        for leftover in self.folder.glob(f"{self.file.name}*"):
            leftover.unlink()
        filled = fill(self.file, self.size, SyntheticEmbedder() if self.embedder == "synthetic" else real())
        self.notes.write_text(json.dumps(asdict(filled)), encoding="utf-8")

    def _measure(self) -> list[Figure]:
        # A copy, since what is measured writes as well: the next time should find what this one found.
        with TemporaryDirectory(dir=self.folder) as scratch:
            return self._measured(Path(shutil.copy(self.file, scratch)))

    def _measured(self, file: Path) -> list[Figure]:
        filled = Filled(**json.loads(self.notes.read_text(encoding="utf-8")))
        facts = recall.questions(self.size, self.questions)
        embedder = Watched(PaidQueries(real()) if self.embedder == "synthetic" else real())
        figures = [*_rates(filled), recall.cold(file, embedder)]
        with Memory(file, user_id=USER, embedder=embedder, settings=QUIET) as memory:
            figures += [
                *recall.recall(
                    memory,
                    embedder,
                    facts,
                    most=self._most(END_TO_END),
                    besides_most=self._most(BESIDES),
                ),
                *recall.context(memory, embedder, facts),
            ]
            figures += [*sizes.in_memory("resident memory, model loaded"), *recall.together(memory, facts)]
            figures += [*sizes.in_memory("· after 8 readers"), *sizes.on_disk(memory)]
            figures += [exactness(memory, file, embedder, facts), *ingest.acknowledged(memory)]
            figures += [*ingest.written_together(memory), ingest.judged(memory)]
        return figures

    def _most(self, wanted: Mapping[int, float]) -> float | None:
        return next((ms for size, ms in wanted.items() if self.size <= size), None)


def real() -> Embedder:
    """The embedder that comes with recollect."""
    made = make_embedder(Connection())
    assert made is not None
    return made


def _rates(filled: Filled) -> list[Figure]:
    return [
        Figure(
            name="messages stored, in batches of 100", value=filled.messages / filled.stored_in, unit="/s"
        ),
        Figure(name="messages embedded and kept", value=filled.messages / filled.embedded_in, unit="/s"),
    ]


def _alone(work: Callable[[], Result]) -> Result:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work).result()
