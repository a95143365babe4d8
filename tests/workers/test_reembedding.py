"""Vectors move to another model in the background; until all are there, the old model answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.bootstrap import Runtime, open_runtime
from recollect.domain.embedding_model import KnownModel
from recollect.domain.job import Job, JobKind
from recollect.domain.scope import Scope
from recollect.errors import ModelMissing
from recollect.ports.embedder import Embedder, Vector
from recollect.services.embedders import Embedders
from recollect.settings import load
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.workers.handlers import BATCH, Handlers

ANA = Scope("ana")
OLD = KnownModel(id="letters", embedder="old", model="")
NEW = KnownModel(id="letters-13", embedder="new", model="")


class Other(LetterEmbedder):
    """Counts every other letter, and can be watched at it."""

    model_id = NEW.id

    def __init__(self) -> None:
        super().__init__(13)
        self.watch: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.watch()
        return super().embed(texts)


@pytest.fixture
def new() -> Other:
    return Other()


@pytest.fixture
def runtime(tmp_path: Path, new: Other) -> Iterator[Runtime]:
    """A process that was started with the old model and knows both."""
    opened = open_runtime(
        load(arguments={"db": str(tmp_path / "memory.db"), "worker": False}, environ={}, files=[]),
        embedder=LetterEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
    )
    yield _with_both(opened, new)
    opened.close()


def _with_both(runtime: Runtime, new: Embedder) -> Runtime:
    made: dict[str, Embedder] = {"old": LetterEmbedder(), "new": new}
    embedders = Embedders(
        own=runtime.embedder,
        make=lambda known: made.get(known.embedder),
        preferences=runtime.store.preferences,
    )
    return replace(runtime, engine=replace(runtime.engine, embedders=embedders))


@pytest.fixture
def handlers(runtime: Runtime) -> Handlers:
    return Handlers(engine=runtime.engine, embedder=runtime.embedder, policies=runtime.policy)


def told(runtime: Runtime, *texts: str) -> None:
    for text in texts:
        runtime.engine.remember(ANA, text, runtime.policy("ana"))


def work(runtime: Runtime, handlers: Handlers, kind: JobKind) -> None:
    """Do the next job of a kind."""
    job = leased(runtime, kind)
    handlers.table()[kind](job)
    runtime.store.jobs.finish(job)


def leased(runtime: Runtime, kind: JobKind) -> Job:
    now = runtime.engine.clock.now()
    job = runtime.store.jobs.lease(now=now, until=now.replace(year=now.year + 1), kinds=(kind,))
    assert job is not None
    return job


def found_by(runtime: Runtime) -> set[str]:
    """Texts that are found by their vectors."""
    policy = runtime.policy("ana", {"recall.hybrid": False, "recall.ranker": "cosine", "recall.floor": 0.0})
    receipt = runtime.engine.recall(ANA, "red bicycle", policy)
    assert receipt.degraded == ()
    return {item.text for item in receipt.items if item.parts["dense"] > 0}


@pytest.mark.spec("T7", "U5")
def test_while_vectors_are_made_the_old_ones_answer_and_then_the_new_ones(
    runtime: Runtime, handlers: Handlers, new: Other
) -> None:
    texts = [f"a red bicycle, number {number}" for number in range(BATCH + 3)]
    told(runtime, *texts)
    work(runtime, handlers, JobKind.EMBED)
    seen: list[tuple[int, dict[str, int]]] = []
    new.watch = lambda: seen.append((len(found_by(runtime)), runtime.store.vectors.models("ana")))
    lacking = runtime.engine.begin_move(ANA, NEW, [NEW, OLD])
    before = found_by(runtime)
    work(runtime, handlers, JobKind.REEMBED)

    passages = 2 * len(texts)
    assert lacking == passages
    assert seen == [
        (len(before), {"letters": passages, **({"letters-13": done} if done else {})})
        for done in range(0, passages, BATCH)
    ]
    assert before
    assert runtime.store.vectors.models("ana") == {"letters-13": passages}
    assert found_by(runtime)
    assert runtime.engine.moving_to("ana") is None


@pytest.mark.spec("T7")
def test_what_is_said_during_a_move_is_found_by_its_vector_before_and_after(
    runtime: Runtime, handlers: Handlers
) -> None:
    told(runtime, "I ride a red bicycle")
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, NEW, [OLD])
    told(runtime, "The red bicycle has a bell")
    work(runtime, handlers, JobKind.EMBED)
    during = found_by(runtime)
    work(runtime, handlers, JobKind.REEMBED)

    assert during == found_by(runtime) == {"I ride a red bicycle", "The red bicycle has a bell"}
    assert runtime.store.vectors.models("ana") == {"letters-13": 4}


@pytest.mark.spec("T7")
def test_what_waits_at_the_end_of_a_move_is_embedded_with_the_new_model(
    runtime: Runtime, handlers: Handlers
) -> None:
    told(runtime, "I ride a red bicycle")
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, NEW, [OLD])
    told(runtime, "The red bicycle has a bell")
    work(runtime, handlers, JobKind.REEMBED)
    work(runtime, handlers, JobKind.EMBED)

    assert runtime.store.vectors.models("ana") == {"letters-13": 4}
    assert runtime.store.vectors.pending("ana") == 0


def test_a_batch_that_was_embedded_while_the_user_moved_is_embedded_anew(
    runtime: Runtime, handlers: Handlers
) -> None:
    told(runtime, "I ride a red bicycle")
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, NEW, [OLD])
    told(runtime, "The red bicycle has a bell")
    meanwhile = Meanwhile(lambda: work(runtime, handlers, JobKind.REEMBED))
    assert runtime.engine.embedders is not None
    runtime.engine.embedders.own = meanwhile
    work(runtime, handlers, JobKind.EMBED)

    assert runtime.store.vectors.models("ana") == {"letters-13": 4}


class Meanwhile(LetterEmbedder):
    """Something else happens while the first texts are embedded."""

    def __init__(self, deed: Callable[[], None]) -> None:
        super().__init__()
        self._deeds = [deed]

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        while self._deeds:
            self._deeds.pop()()
        return super().embed(texts)


@pytest.mark.spec("U5")
def test_a_process_started_with_the_old_model_follows_when_the_move_is_over(
    runtime: Runtime, handlers: Handlers
) -> None:
    told(runtime, "I ride a red bicycle")
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, NEW, [OLD])
    work(runtime, handlers, JobKind.REEMBED)
    told(runtime, "The red bicycle has a bell")
    work(runtime, handlers, JobKind.EMBED)

    assert runtime.embedder is not None
    assert runtime.embedder.model_id == OLD.id
    assert runtime.store.vectors.models("ana") == {"letters-13": 4}
    assert found_by(runtime) == {"I ride a red bicycle", "The red bicycle has a bell"}


def test_who_thinks_better_of_it_moves_back(runtime: Runtime, handlers: Handlers, new: Other) -> None:
    told(runtime, *(f"a red bicycle, number {number}" for number in range(BATCH)))
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, NEW, [OLD])
    new.watch = lambda: changed_mind(runtime)
    work(runtime, handlers, JobKind.REEMBED)
    half_way = runtime.store.vectors.models("ana")
    work(runtime, handlers, JobKind.REEMBED)

    assert half_way == {"letters": 2 * BATCH}
    assert runtime.store.vectors.models("ana") == {"letters": 2 * BATCH}
    assert runtime.engine.moving_to("ana") is None
    assert found_by(runtime)


def changed_mind(runtime: Runtime) -> None:
    runtime.engine.begin_move(ANA, OLD, [OLD])


def test_a_model_that_is_gone_leaves_the_old_one_in_use(runtime: Runtime, handlers: Handlers) -> None:
    told(runtime, "I ride a red bicycle")
    work(runtime, handlers, JobKind.EMBED)
    runtime.engine.begin_move(ANA, replace(NEW, embedder="gone"), [OLD])

    with pytest.raises(ModelMissing, match="old vectors stay in use"):
        handlers.reembed(leased(runtime, JobKind.REEMBED))
    assert found_by(runtime) == {"I ride a red bicycle"}


def test_an_answering_model_that_is_gone_gives_way_to_that_of_the_settings(runtime: Runtime) -> None:
    embedders = runtime.engine.embedders
    assert embedders is not None
    embedders.answer("ana", KnownModel(id="lost", embedder="lost", model=""), now=runtime.engine.clock.now())

    assert embedders.of("ana") is runtime.embedder
    assert embedders.of("bruno") is runtime.embedder
