"""What a worker does before its first job."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Memory
from recollect.domain.job import JobKind
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.workers.handlers import Handlers

MINE = Scope("default")
LONG = "The recipe goes on.\n\n" * 120


def opened(memory: Memory) -> Handlers:
    runtime = memory.runtime
    return Handlers(engine=runtime.engine, embedder=runtime.embedder, policies=runtime.policy)


@pytest.mark.spec("E12", "G7", "R2", "T8")
def test_receipts_are_kept_for_thirty_days(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory(
        tmp_path / "m.db", clock=clock, embedder=LetterEmbedder(), settings={"worker": False}
    ) as memory:
        memory.add("I'm vegetarian")
        memory.search("dinner")
        clock.advance(timedelta(days=29))
        memory.search("lunch")
        clock.advance(timedelta(days=2))

        opened(memory).daily()

        assert memory.runtime.store.upkeep.tidy() == 0
        assert [receipt.query for receipt in memory.runtime.store.receipts.list(MINE)] == ["lunch"]


@pytest.mark.spec("U2", "Q6")
def test_messages_stored_before_chunking_was_on_are_cut_when_it_is_asked_for(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": LONG}, settings={"chunking.enabled": False})
        assert memory.stats()["chunks"] == 0

        opened(memory).open_up()
        memory.flush()
        assert memory.stats()["chunks"] == 0
        memory.runtime.store.preferences.set(
            "default", "chunking.backfill", "true", now=memory.runtime.engine.clock.now()
        )
        opened(memory).open_up()
        memory.flush()

        assert memory.stats()["chunks"] == 2


@pytest.mark.spec("V1")
def test_what_waits_for_a_vector_without_a_job_is_queued(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings={"worker": False, "embedder": "none"}) as memory:
        memory.add("I'm vegetarian")
        memory.flush()
        assert memory.stats()["pending_vectors"] == 2
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        opened(memory).open_up()

        assert [job.kind for job in memory.runtime.store.jobs.list(MINE)] == [JobKind.EMBED]
        assert memory.flush()
        assert memory.stats()["pending_vectors"] == 0
