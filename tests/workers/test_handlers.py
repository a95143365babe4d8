"""Job handlers: every passage is embedded and every message is extracted once, whatever the embedder does."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from recollect import Memory
from recollect.domain.job import Job, JobKind, JobState, NewJob
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import ModelMissing, ProviderBusy, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.workers.embedding import MAX_REFUSALS
from recollect.workers.handlers import BATCH_SIZE, LEASE_DURATION, LeaseLost
from recollect.workers.worker import SHUTDOWN_REASON

USER_SCOPE = Scope("ana")
DAY = timedelta(days=1)
OpenMemory = Callable[[Embedder], Memory]


class PickyEmbedder(LetterEmbedder):
    """Rejects every batch that contains a poisoned text, and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        if any("poison" in text for text in texts):
            raise ProviderError("this text is not for me")
        return super().embed(texts)


class ShortEmbedder(LetterEmbedder):
    """Returns one vector too few."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return super().embed(texts)[1:]


class InvalidVectorEmbedder(LetterEmbedder):
    """Returns invalid vectors."""

    def __init__(self, numbers: Sequence[float]) -> None:
        super().__init__()
        self._numbers = numbers

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [Vector("f", self._numbers) for _ in texts]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def open_memory(tmp_path: Path, clock: FrozenClock) -> Iterator[OpenMemory]:
    opened: list[Memory] = []
    ids = CountingIds()

    def open_it(embedder: Embedder) -> Memory:
        memory = Memory(
            tmp_path / "memory.db",
            user_id="ana",
            embedder=embedder,
            clock=clock,
            ids=ids,
            settings={"worker": False},
        )
        opened.append(memory)
        return memory

    yield open_it
    for memory in opened:
        memory.close()


def add_messages(memory: Memory, *texts: str) -> None:
    memory.add([{"role": "user", "content": text} for text in texts], chat_id="kitchen")


def list_jobs(memory: Memory) -> list[tuple[JobKind, JobState, Reason | None]]:
    return [(job.kind, job.state, job.reason) for job in store_of(memory.application).jobs.list(USER_SCOPE)]


def search(memory: Memory, query: str) -> list[object]:
    return [result.text for result in memory.search(query)]


@pytest.mark.spec("T9")
def test_a_message_is_embedded_after_it_was_stored_and_not_before(open_memory: OpenMemory) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "The soup needs saffron", "And the bread needs salt")
    store = store_of(memory.application)
    assert (store.vectors.count_by_model("ana"), store.vectors.count_queued("ana")) == ({}, 2)

    assert memory.flush()
    assert store.vectors.count_queued("ana") == 0
    assert store.vectors.count_by_model("ana")["letters"] >= 2
    assert list_jobs(memory) == []


@pytest.mark.spec("T4", "V4", "TR-13")
def test_an_outage_of_the_embedder_loses_nothing_and_is_said(
    open_memory: OpenMemory, clock: FrozenClock
) -> None:
    embedder = FailingEmbedder(ProviderBusy("The embedder cannot be reached."))
    memory = open_memory(embedder)
    add_messages(memory, "The soup needs saffron")
    memory.flush()
    store = store_of(memory.application)

    assert list_jobs(memory) == [
        (
            JobKind.EMBED,
            JobState.READY,
            Reason(
                ReasonCode.JOB_FAILED, {"error": "ProviderBusy", "detail": "The embedder cannot be reached."}
            ),
        )
    ]
    assert "The soup needs saffron" in search(memory, "saffron")
    assert memory.search("saffron").degradations == (
        Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": "The embedder cannot be reached."}),
    )
    context = memory.context("saffron?", chat_id="garden")
    assert "saffron" in context.text

    add_messages(memory, "And the bread needs salt")
    embedder.heal()
    clock.advance(DAY)
    assert memory.flush()
    assert (store.vectors.count_queued("ana"), list_jobs(memory)) == (0, [])
    assert memory.search("saffron").degradations == ()


@pytest.mark.spec("T4")
def test_a_long_outage_is_waited_out(open_memory: OpenMemory, clock: FrozenClock) -> None:
    embedder = FailingEmbedder(ProviderBusy("The embedder cannot be reached."))
    memory = open_memory(embedder)
    for n in range(25):
        add_messages(memory, f"Message number {n} of a long outage")
        memory.flush()
        clock.advance(timedelta(minutes=5))
    embedder.heal()
    clock.advance(DAY)
    memory.flush()

    store = store_of(memory.application)
    assert store.vectors.count_queued("ana") == 0
    assert store.vectors.count_by_model("ana")["letters"] >= 25
    assert list_jobs(memory) == []


@pytest.mark.spec("TR-13", "V4")
def test_a_missing_model_parks_the_work_with_its_reason_and_a_retry_does_it(open_memory: OpenMemory) -> None:
    embedder = FailingEmbedder(ModelMissing("There is no model here."))
    memory = open_memory(embedder)
    add_messages(memory, "The soup needs saffron")
    memory.flush()
    store = store_of(memory.application)

    reason = Reason(ReasonCode.JOB_FAILED, {"error": "ModelMissing", "detail": "There is no model here."})
    assert list_jobs(memory) == [(JobKind.EMBED, JobState.DEAD, reason)]
    assert "The soup needs saffron" in search(memory, "saffron")
    embedder.heal()
    assert store.jobs.retry(USER_SCOPE, now=memory.application.clock.now()) == 1
    memory.flush()
    assert (store.vectors.count_queued("ana"), list_jobs(memory)) == (0, [])


def test_a_new_message_retries_a_dead_job(open_memory: OpenMemory) -> None:
    embedder = FailingEmbedder(ModelMissing("There is no model here."))
    memory = open_memory(embedder)
    add_messages(memory, "The soup needs saffron")
    memory.flush()
    embedder.heal()
    add_messages(memory, "And the bread needs salt")
    memory.flush()

    assert (store_of(memory.application).vectors.count_queued("ana"), list_jobs(memory)) == (0, [])


@pytest.mark.spec("TR-13")
def test_a_text_that_the_embedder_refuses_does_not_hold_up_the_others(open_memory: OpenMemory) -> None:
    embedder = PickyEmbedder()
    memory = open_memory(embedder)
    add_messages(memory, *(f"{'poison' if n in (3, 40) else 'bread'} number {n}" for n in range(70)))
    memory.flush()
    store = store_of(memory.application)

    assert [passage.text for passage in store.vectors.queue("ana", limit=9).passages] == [
        "poison number 3",
        "poison number 40",
    ]
    reason = Reason(
        ReasonCode.JOB_FAILED,
        {
            "error": "ProviderError",
            "detail": "The embedder rejected 2 texts; the others have vectors. this text is not for me",
        },
    )
    assert list_jobs(memory) == [(JobKind.EMBED, JobState.DEAD, reason)]
    assert "poison number 40" in search(memory, "poison")
    assert embedder.calls < 30


def test_an_embedder_that_refuses_everything_is_not_asked_about_every_text(open_memory: OpenMemory) -> None:
    embedder = PickyEmbedder()
    memory = open_memory(embedder)
    add_messages(memory, *(f"poison number {n}" for n in range(100)))
    memory.flush()

    assert embedder.calls <= 6 + 2 * MAX_REFUSALS
    assert list_jobs(memory) == [
        (
            JobKind.EMBED,
            JobState.DEAD,
            Reason(ReasonCode.JOB_FAILED, {"error": "ProviderError", "detail": "this text is not for me"}),
        )
    ]
    assert store_of(memory.application).vectors.count_queued("ana") == 100


@pytest.mark.parametrize(
    ("embedder", "reason"),
    [
        (ShortEmbedder(), "returned 0 vectors for 1 texts"),
        (InvalidVectorEmbedder([0.0] * 26), "zero or not finite"),
        (InvalidVectorEmbedder([float("nan")] * 26), "zero or not finite"),
        (InvalidVectorEmbedder([0.5] * 25), "25 dimensions instead of 26"),
    ],
    ids=["too few", "zeros", "nan", "wrong dimension"],
)
def test_vectors_that_no_search_can_use_are_not_stored(
    open_memory: OpenMemory, embedder: Embedder, reason: str
) -> None:
    memory = open_memory(embedder)
    add_messages(memory, "The soup needs saffron")
    memory.flush()

    [(kind, state, why)] = list_jobs(memory)
    assert (kind, state) == (JobKind.EMBED, JobState.DEAD)
    assert reason in str(why)
    assert store_of(memory.application).vectors.count_by_model("ana") == {}
    assert "The soup needs saffron" in search(memory, "saffron")


def test_the_work_of_a_zombie_is_not_written(open_memory: OpenMemory, clock: FrozenClock) -> None:
    class Sleeper(LetterEmbedder):
        """Sleeps past its lease in the first batch, while another worker takes over the job."""

        rescuer: Job | None = None

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            if self.rescuer is None:
                clock.advance(LEASE_DURATION)
                now = clock.now()
                self.rescuer = store_of(memory.application).jobs.lease(
                    now=now, until=now + LEASE_DURATION, kinds=[JobKind.EMBED]
                )
            return super().embed(texts)

    sleeper = Sleeper()
    memory = open_memory(sleeper)
    add_messages(memory, "The soup needs saffron")
    store = store_of(memory.application)
    done = []
    while (outcome := memory.application.worker.run_one()) is not None:
        done.append((outcome.job.kind, outcome.error))

    assert (JobKind.EMBED, Reason(ReasonCode.LEASE_LOST)) in done
    assert store.vectors.count_by_model("ana") == {}
    assert sleeper.rescuer is not None
    assert store.jobs.extend_lease(sleeper.rescuer, until=clock.now())


def test_a_late_extraction_worker_stores_nothing(open_memory: OpenMemory, clock: FrozenClock) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "I am vegetarian and I live in Lisbon")
    store, handlers = store_of(memory.application), memory.application.worker._handlers
    late = store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION, kinds=[JobKind.EXTRACT])
    assert late is not None
    clock.advance(LEASE_DURATION)
    assert (
        store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION, kinds=[JobKind.EXTRACT])
        is not None
    )

    with pytest.raises(LeaseLost):
        handlers[JobKind.EXTRACT](late)
    assert store.memories.list(USER_SCOPE) == []
    assert len(store.messages.list_unextracted(USER_SCOPE, limit=9)) == 1


def test_a_message_is_learned_from_in_the_transaction_that_ends_its_job(
    open_memory: OpenMemory, clock: FrozenClock
) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "I am vegetarian and I live in Lisbon")
    store, handlers = store_of(memory.application), memory.application.worker._handlers
    dying = store.jobs.lease(now=clock.now(), until=clock.now() + LEASE_DURATION, kinds=[JobKind.EXTRACT])
    assert dying is not None
    handlers[JobKind.EXTRACT](dying)
    learned = store.memories.list(USER_SCOPE)

    assert learned != []
    assert JobKind.EXTRACT not in {kind for kind, _, _ in list_jobs(memory)}
    clock.advance(LEASE_DURATION)
    memory.flush()
    assert store.memories.list(USER_SCOPE) == learned
    assert {each.times_stated for each in learned} == {1}


def test_a_message_that_was_read_is_not_learned_from_again(
    open_memory: OpenMemory, clock: FrozenClock
) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "I am vegetarian and I live in Lisbon")
    memory.flush()
    store = store_of(memory.application)
    learned, [message] = store.memories.list(USER_SCOPE), store.messages.list(USER_SCOPE)
    again = NewJob(kind=JobKind.EXTRACT, key=message.id, payload={"message": message.id})
    store.jobs.enqueue("ana", again, now=clock.now())
    memory.flush()

    assert store.memories.list(USER_SCOPE) == learned
    assert list_jobs(memory) == []


def test_a_message_deleted_meanwhile_is_not_learned_from(open_memory: OpenMemory) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "I am vegetarian and I live in Lisbon")
    store = store_of(memory.application)
    [message] = store.messages.list(USER_SCOPE)
    store.messages.delete(USER_SCOPE, message.id)
    memory.flush()

    assert store.memories.list(USER_SCOPE) == []
    assert list_jobs(memory) == []


@pytest.mark.spec("U2")
def test_a_backfill_goes_on_where_it_was_interrupted(open_memory: OpenMemory, clock: FrozenClock) -> None:
    memory = open_memory(LetterEmbedder())
    long = "\n\n".join(f"Paragraph {n} about the bread. " + "And some more words. " * 20 for n in range(12))
    for n in range(3):
        memory.add([{"role": "user", "content": f"{n} {long}"}], settings={"chunking.enabled": False})
    memory.flush()
    store = store_of(memory.application)
    messages = store.messages.list(USER_SCOPE)
    assert [len(store.messages.chunks(USER_SCOPE, message.id)) for message in messages] == [0, 0, 0]
    store.preferences.set("ana", ".last_backfilled", messages[0].id, now=clock.now())
    store.jobs.enqueue("ana", NewJob(kind=JobKind.BACKFILL, key="backfill"), now=clock.now())
    memory.flush()

    chunks = [len(store.messages.chunks(USER_SCOPE, message.id)) for message in messages]
    assert chunks[0] == 0
    assert min(chunks[1:]) > 1
    assert store.preferences.all("ana")[".last_backfilled"] == messages[2].id
    assert store.vectors.count_queued("ana") == 0


@pytest.mark.spec("V5", "TR-2")
def test_without_the_full_text_index_recall_goes_on_by_meaning_and_says_so(open_memory: OpenMemory) -> None:
    memory = open_memory(LetterEmbedder())
    add_messages(memory, "The soup needs saffron")
    memory.flush()
    store_of(memory.application)._database._writer.execute("DROP TABLE passages_fts")  # type: ignore[attr-defined]
    answer = memory.search("The soup needs saffron")

    assert [reason.code for reason in answer.degradations] == [ReasonCode.LEXICAL_SEARCH_FAILED]
    assert "The soup needs saffron" in str(answer.results)
    assert memory.application.services.maintenance.repair()["differences"] > 0
    assert memory.search("saffron").degradations == ()


@pytest.mark.spec("V1", "TR-12")
def test_a_starting_worker_repairs_indexes_and_embeds_queued_passages(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, user_id="ana", embedder=LetterEmbedder(), settings={"worker": False}) as memory:
        add_messages(memory, "The soup needs saffron", "And the bread needs salt")
        memory.flush()
        before = store_of(memory.application).vectors.count_by_model("ana")
    with closing(apsw.Connection(str(path))) as vandal:
        vandal.execute("DELETE FROM vectors WHERE passage_no = 4")
    with Memory(path, user_id="ana", embedder=LetterEmbedder()) as memory:
        mended = threading.Event()
        memory.application.worker.start()
        while store_of(memory.application).vectors.count_by_model("ana") != before:
            mended.wait(0.01)

        assert memory.application.services.maintenance.repair()["differences"] == 0


def test_the_worker_of_the_library_does_its_work_unasked(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", user_id="ana", embedder=LetterEmbedder()) as memory:
        add_messages(memory, "The soup needs saffron")
        store = store_of(memory.application)

        assert memory.flush(seconds=30)
        assert store.vectors.count_queued("ana") == 0
        # The daily maintenance may be enqueued at any time.
        assert {kind for kind, *_ in list_jobs(memory)} <= {JobKind.MAINTENANCE}


def test_sync_waits_until_the_message_was_learned_from(open_memory: OpenMemory) -> None:
    memory = open_memory(LetterEmbedder())
    answer = memory.add([{"role": "user", "content": "I am vegetarian and I live in Lisbon"}], sync=True)

    assert "egetarian" in str(answer.results)


def test_a_worker_that_stops_finishes_the_batch_and_gives_the_rest_back(open_memory: OpenMemory) -> None:
    class StoppingEmbedder(LetterEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            memory.application.worker.stop()
            return super().embed(texts)

    memory = open_memory(StoppingEmbedder())
    for number in range(BATCH_SIZE + 8):
        add_messages(memory, f"The soup needs {number} grains of salt")
    store = store_of(memory.application)
    store.jobs.run_now(now=memory.application.clock.now())
    while (done := memory.application.worker.run_one()) and done.job.kind is not JobKind.EMBED:
        pass

    assert done is not None
    assert (done.error, done.is_dead) == (SHUTDOWN_REASON, False)
    assert (sum(store.vectors.count_by_model("ana").values()), store.vectors.count_queued("ana") > 0) == (
        BATCH_SIZE,
        True,
    )
    assert (JobKind.EMBED, JobState.READY, SHUTDOWN_REASON) in list_jobs(memory)
