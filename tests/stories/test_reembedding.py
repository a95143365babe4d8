"""Another embedding model: every vector is made anew in the background, and nobody notices."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import open_memory, user_messages
from tests.stories.results import texts

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.job import EMBED_JOB
from recollect.errors import ProviderBusy
from recollect.ports.embedder import Vector
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of


class PausingEmbedder(HashingEmbedder):
    """Rests after its first batch until it is woken."""

    def __init__(self) -> None:
        super().__init__()
        self.batches, self.rested = 0, False

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.batches += 1
        if self.batches > 1 and not self.rested:
            raise ProviderBusy("resting")
        return super().embed(texts)


@pytest.mark.spec("T7", "U5", "C-16")
def test_old_vectors_stay_until_the_new_ones_are_ready_and_the_work_goes_on_where_it_stopped(
    open_store: OpenStore,
) -> None:
    clock, new = FrozenClock(), PausingEmbedder()
    with open_memory(open_store(), "dev", embedder=LetterEmbedder(), clock=clock) as memory:
        memory.add(
            user_messages(*(f"Bridge number {number} crosses the river." for number in range(50))),
            chat_id="c",
        )
        memory.flush()
    with open_memory(open_store(), "dev", embedder=new, clock=clock) as memory:
        vectors = store_of(memory.application).vectors
        wanted = vectors.enqueue_missing("default", new.model_id)
        store_of(memory.application).jobs.enqueue("default", EMBED_JOB, now=clock.now())
        memory.flush()
        half_way, waiting = vectors.count_by_model("default"), memory.maintenance.stats().pending_vectors
        meanwhile = texts(memory.search("bridge number 40", limit=1))
        new.rested = True
        clock.advance(timedelta(hours=1))
        memory.flush()
        ready = vectors.count_by_model("default")
        retired = vectors.delete_model("default", "letters")
        after = texts(memory.search("bridge number 40", limit=1))

    assert wanted == 50
    assert (half_way, waiting) == ({"letters": 50, "hashing-256": 32}, 18)
    assert ready == {"letters": 50, "hashing-256": 50}
    assert retired == 50
    assert meanwhile == after == ["Bridge number 40 crosses the river."]
