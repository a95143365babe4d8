"""Re-embedding with another model runs in the background; until it is complete, the old model is used."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.bootstrap import Application, open_application
from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.job import Job, JobKind
from recollect.domain.recall import RecallRequest
from recollect.domain.scope import Scope
from recollect.errors import ModelMissing
from recollect.ports.embedder import Embedder, Vector
from recollect.settings import load_settings
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.workers.handlers import BATCH_SIZE, JobHandlers

USER_SCOPE = Scope("ana")
OLD_MODEL = EmbeddingModel(id="letters", embedder="old", model="")
NEW_MODEL = EmbeddingModel(id="letters-13", embedder="new", model="")


class AlternateEmbedder(LetterEmbedder):
    """Counts every other letter, and calls a callback on each batch."""

    model_id = NEW_MODEL.id

    def __init__(self) -> None:
        super().__init__(13)
        self.on_embed: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.on_embed()
        return super().embed(texts)


@pytest.fixture
def new_embedder() -> AlternateEmbedder:
    return AlternateEmbedder()


@pytest.fixture
def runtime(tmp_path: Path, new_embedder: AlternateEmbedder) -> Iterator[Application]:
    """Open a memory with the old model as default and both models available."""
    made: dict[str, Embedder] = {"old": LetterEmbedder(), "new": new_embedder}
    opened = open_application(
        load_settings(arguments={"db": str(tmp_path / "memory.db"), "worker": False}, environ={}, files=[]),
        embedder=LetterEmbedder(),
        embedder_factory=lambda model: made.get(model.embedder),
        clock=FrozenClock(),
        ids=CountingIds(),
    )
    yield opened
    opened.close()


@pytest.fixture
def handlers(runtime: Application) -> JobHandlers:
    return JobHandlers(
        services=runtime.services, store=store_of(runtime), clock=runtime.clock, policy_for=runtime.policy
    )


def add_memories(runtime: Application, *texts: str) -> None:
    for text in texts:
        runtime.services.extraction.remember(USER_SCOPE, text, runtime.policy("ana"))


def run_job(runtime: Application, handlers: JobHandlers, kind: JobKind) -> None:
    """Run the next job of a kind."""
    job = lease_job(runtime, kind)
    handlers.by_kind()[kind](job)
    store_of(runtime).jobs.finish(job)


def lease_job(runtime: Application, kind: JobKind) -> Job:
    now = runtime.clock.now()
    job = store_of(runtime).jobs.lease(now=now, until=now.replace(year=now.year + 1), kinds=(kind,))
    assert job is not None
    return job


def search_dense(runtime: Application) -> set[str]:
    """Return texts found by dense search."""
    policy = runtime.policy(
        "ana", {"recall.hybrid": False, "recall.ranker": "cosine", "recall.min_cosine": 0.0}
    )
    receipt = runtime.services.recall.search(
        RecallRequest(scope=USER_SCOPE, query="red bicycle", policy=policy)
    )
    assert receipt.degradations == ()
    return {item.text for item in receipt.items if item.parts["dense"] > 0}


@pytest.mark.spec("T7", "U5")
def test_while_vectors_are_made_the_old_ones_answer_and_then_the_new_ones(
    runtime: Application, handlers: JobHandlers, new_embedder: AlternateEmbedder
) -> None:
    texts = [f"a red bicycle, number {number}" for number in range(BATCH_SIZE + 3)]
    add_memories(runtime, *texts)
    run_job(runtime, handlers, JobKind.EMBED)
    seen: list[tuple[int, dict[str, int]]] = []
    new_embedder.on_embed = lambda: seen.append(
        (len(search_dense(runtime)), store_of(runtime).vectors.count_by_model("ana"))
    )
    lacking = runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [NEW_MODEL, OLD_MODEL])
    before = search_dense(runtime)
    run_job(runtime, handlers, JobKind.REEMBED)

    passages = 2 * len(texts)
    assert lacking == passages
    assert seen == [
        (len(before), {"letters": passages, **({"letters-13": done} if done else {})})
        for done in range(0, passages, BATCH_SIZE)
    ]
    assert before
    assert store_of(runtime).vectors.count_by_model("ana") == {"letters-13": passages}
    assert search_dense(runtime)
    assert runtime.services.reembedding.reembedding_target("ana") is None


@pytest.mark.spec("T7")
def test_messages_added_during_reembedding_are_found_before_and_after(
    runtime: Application, handlers: JobHandlers
) -> None:
    add_memories(runtime, "I ride a red bicycle")
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [OLD_MODEL])
    add_memories(runtime, "The red bicycle has a bell")
    run_job(runtime, handlers, JobKind.EMBED)
    during = search_dense(runtime)
    run_job(runtime, handlers, JobKind.REEMBED)

    assert during == search_dense(runtime) == {"I ride a red bicycle", "The red bicycle has a bell"}
    assert store_of(runtime).vectors.count_by_model("ana") == {"letters-13": 4}


@pytest.mark.spec("T7")
def test_passages_queued_at_the_end_are_embedded_with_the_new_model(
    runtime: Application, handlers: JobHandlers
) -> None:
    add_memories(runtime, "I ride a red bicycle")
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [OLD_MODEL])
    add_memories(runtime, "The red bicycle has a bell")
    run_job(runtime, handlers, JobKind.REEMBED)
    run_job(runtime, handlers, JobKind.EMBED)

    assert store_of(runtime).vectors.count_by_model("ana") == {"letters-13": 4}
    assert store_of(runtime).vectors.count_queued("ana") == 0


def test_a_batch_that_was_embedded_while_the_user_moved_is_embedded_anew(
    runtime: Application, handlers: JobHandlers
) -> None:
    add_memories(runtime, "I ride a red bicycle")
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [OLD_MODEL])
    add_memories(runtime, "The red bicycle has a bell")
    meanwhile = CallbackEmbedder(lambda: run_job(runtime, handlers, JobKind.REEMBED))
    runtime.services.embedders.default = meanwhile
    run_job(runtime, handlers, JobKind.EMBED)

    assert store_of(runtime).vectors.count_by_model("ana") == {"letters-13": 4}


class CallbackEmbedder(LetterEmbedder):
    """Another change happens while the first texts are embedded."""

    def __init__(self, callback: Callable[[], None]) -> None:
        super().__init__()
        self._callbacks = [callback]

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        while self._callbacks:
            self._callbacks.pop()()
        return super().embed(texts)


@pytest.mark.spec("U5")
def test_a_process_started_with_the_old_model_follows_when_the_move_is_over(
    runtime: Application, handlers: JobHandlers
) -> None:
    add_memories(runtime, "I ride a red bicycle")
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [OLD_MODEL])
    run_job(runtime, handlers, JobKind.REEMBED)
    add_memories(runtime, "The red bicycle has a bell")
    run_job(runtime, handlers, JobKind.EMBED)

    assert runtime.embedder is not None
    assert runtime.embedder.model_id == OLD_MODEL.id
    assert store_of(runtime).vectors.count_by_model("ana") == {"letters-13": 4}
    assert search_dense(runtime) == {"I ride a red bicycle", "The red bicycle has a bell"}


def test_reembedding_can_be_reverted(
    runtime: Application, handlers: JobHandlers, new_embedder: AlternateEmbedder
) -> None:
    add_memories(runtime, *(f"a red bicycle, number {number}" for number in range(BATCH_SIZE)))
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(USER_SCOPE, NEW_MODEL, [OLD_MODEL])
    new_embedder.on_embed = lambda: restart_with_old_model(runtime)
    run_job(runtime, handlers, JobKind.REEMBED)
    half_way = store_of(runtime).vectors.count_by_model("ana")
    run_job(runtime, handlers, JobKind.REEMBED)

    assert half_way == {"letters": 2 * BATCH_SIZE}
    assert store_of(runtime).vectors.count_by_model("ana") == {"letters": 2 * BATCH_SIZE}
    assert runtime.services.reembedding.reembedding_target("ana") is None
    assert search_dense(runtime)


def restart_with_old_model(runtime: Application) -> None:
    runtime.services.reembedding.start_reembedding(USER_SCOPE, OLD_MODEL, [OLD_MODEL])


def test_a_model_that_is_gone_leaves_the_old_one_in_use(runtime: Application, handlers: JobHandlers) -> None:
    add_memories(runtime, "I ride a red bicycle")
    run_job(runtime, handlers, JobKind.EMBED)
    runtime.services.reembedding.start_reembedding(
        USER_SCOPE, replace(NEW_MODEL, embedder="gone"), [OLD_MODEL]
    )

    with pytest.raises(ModelMissing, match="old vectors stay in use"):
        handlers.reembed(lease_job(runtime, JobKind.REEMBED))
    assert search_dense(runtime) == {"I ride a red bicycle"}


def test_an_answering_model_that_is_gone_gives_way_to_that_of_the_settings(runtime: Application) -> None:
    embedders = runtime.services.embedders
    embedders.set_active_model(
        "ana", EmbeddingModel(id="lost", embedder="lost", model=""), now=runtime.clock.now()
    )

    assert embedders.for_user("ana") is runtime.embedder
    assert embedders.for_user("bruno") is runtime.embedder
