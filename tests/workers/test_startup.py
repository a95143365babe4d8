"""Recovery when a worker starts."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Memory
from recollect.domain.job import JobKind
from recollect.domain.scope import Scope
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.workers.handlers import JobHandlers

USER_SCOPE = Scope("default")
LONG_TEXT = "The recipe goes on.\n\n" * 120


def make_handlers(memory: Memory) -> JobHandlers:
    runtime = memory.application
    return JobHandlers(
        services=runtime.services, store=store_of(runtime), clock=runtime.clock, policy_for=runtime.policy
    )


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

        make_handlers(memory).run_daily()

        assert memory.application.services.maintenance.optimize_indexes() == 0
        assert [receipt.query for receipt in store_of(memory.application).receipts.list(USER_SCOPE)] == [
            "lunch"
        ]


@pytest.mark.spec("U2", "Q6")
def test_messages_stored_before_chunking_was_on_are_cut_when_it_is_asked_for(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        memory.add({"role": "user", "content": LONG_TEXT}, settings={"chunking.enabled": False})
        assert memory.maintenance.stats().chunks == 0

        make_handlers(memory).recover()
        memory.flush()
        assert memory.maintenance.stats().chunks == 0
        store_of(memory.application).preferences.set(
            "default", "chunking.backfill", "true", now=memory.application.clock.now()
        )
        make_handlers(memory).recover()
        memory.flush()

        assert memory.maintenance.stats().chunks == 2


@pytest.mark.spec("V1")
def test_queued_passages_without_a_job_get_one(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings={"worker": False, "embedder": "none"}) as memory:
        memory.add("I'm vegetarian")
        memory.flush()
        assert memory.maintenance.stats().pending_vectors == 2
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        make_handlers(memory).recover()

        assert [job.kind for job in store_of(memory.application).jobs.list(USER_SCOPE)] == [JobKind.EMBED]
        assert memory.flush()
        assert memory.maintenance.stats().pending_vectors == 0
