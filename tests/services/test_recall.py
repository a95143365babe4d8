"""Recall on a real file: where it searches, what it returns, and what it reports when a part fails."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import NoReturn, TypeVar

import apsw
import pytest

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.system.executor import ThreadExecutor
from recollect.domain.memory import ChangeKind, Kind, Memory, MemoryStatus
from recollect.domain.message import Message
from recollect.domain.policy import OptionValue, Policy, load_preset
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.recall import ContextBlockRequest, RecallRequest
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import EmptyText, ModelMissing, ProviderBusy, ProviderError
from recollect.ingestion.chunking import chunk_text
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.executor import Executor, PendingCall
from recollect.ports.reranker import Reranker
from recollect.ports.vector_math import unit_vector
from recollect.retrieval.query_expansion import PERSONAL_QUERY_SUFFIX
from recollect.retrieval.relevance_model import load_relevance_model
from recollect.services.embedders import EmbedderRegistry
from recollect.services.pending_embeddings import MAX_INLINE_PASSAGES
from recollect.services.recall import RecallService
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.rerankers import OracleReranker

Result = TypeVar("Result")
DAY = timedelta(days=1)
USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
SOUP, BREAD, SALAD = (a_message(text) for text in ("salmon soup", "rye bread", "green salad"))
STEW = a_message("bean stew", chat="garden")
SHIP = a_message("the ship sails at nine")
#: What a text is about, by its words; the embedder below knows nothing else.
TOPICS = (
    "food soup bread salad stew dinner vegetarian",
    "sea ship boat water",
    "code total function invoice",
)


class TopicEmbedder(LetterEmbedder):
    """Texts are alike that are about the same topics; remembers the questions it was asked to embed."""

    model_id = "topics"
    cosine_floor = 0.5

    def __init__(self) -> None:
        super().__init__(dimension=len(TOPICS) + 1)
        self.queries: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        return self._vector(text)

    @staticmethod
    def _vector(text: str) -> Vector:
        words = re.findall(r"\w+", text.casefold())
        counts = [sum(word in topic.split() for word in words) for topic in TOPICS]
        return unit_vector([*counts, 0 if any(counts) else 1])


class RecallHarness:
    """A store with its embedder, and questions to it."""

    def __init__(self, store: SqliteStore, embedder: Embedder | None, executor: Executor) -> None:
        self.store = store
        self.embedder = embedder
        self.executor = executor
        self.clock = FrozenClock()
        self.reranker: Reranker | None = None
        self.relevance_reranker: Reranker | None = None
        self.as_of: datetime | None = None

    def add(self, *records: Message | Memory, embed: bool = True) -> None:
        for thing in records:
            if isinstance(thing, Memory):
                self.store.memories.add(thing)
            else:
                self.store.messages.add(thing, chunk_text(thing.content, Policy().chunking))
        if embed:
            self.embed()

    def add_summary(self, chat: str, text: str) -> None:
        kind = SummaryKind.CONVERSATION
        self.store.summaries.add(
            Summary(id=text, user=ANA, chat=chat, kind=kind, text=text, created_at=MONDAY)
        )
        self.embed()

    def embed(self) -> None:
        assert self.embedder is not None
        while batch := self.store.vectors.queue(ANA, limit=100).passages:
            vectors = self.embedder.embed([passage.text for passage in batch])
            self.store.vectors.put(ANA, self.embedder.model_id, list(zip(batch, vectors, strict=True)))

    @property
    def service(self) -> RecallService:
        store = self.store
        return RecallService(
            store=store,
            clock=self.clock,
            ids=CountingIds(),
            embedders=EmbedderRegistry(
                default=self.embedder, factory=lambda _: None, preferences=store.preferences
            ),
            search_executor=self.executor,
            read_executor=self.executor,
            reranker=self.reranker,
            relevance_reranker=self.relevance_reranker,
        )

    def recall(
        self, query: str, scope: Scope = USER_SCOPE, policy: Policy | None = None, **options: OptionValue
    ) -> Receipt:
        values = {f"recall.{name}": value for name, value in options.items()}
        request = RecallRequest(
            scope=scope,
            query=query,
            policy=(policy or Policy()).with_values(values),
            as_of=self.as_of,
            save_receipt=False,
        )
        return self.service.search(request)

    def context(self, query: str, options: Mapping[str, OptionValue], scope: Scope = USER_SCOPE) -> Receipt:
        policy = Policy().with_values(options)
        return self.service.context(ContextBlockRequest(scope=scope, query=query, policy=policy)).receipt

    def texts(self, query: str, scope: Scope = USER_SCOPE, **options: OptionValue) -> list[str]:
        return texts(self.recall(query, scope, None, **options))


SCOPES = pytest.mark.parametrize("scope", [USER_SCOPE, CHAT_SCOPE], ids=["everywhere", "here"])
OpenHarness = Callable[[Embedder | None], RecallHarness]


def results(receipt: Receipt) -> list[ReceiptItem]:
    return [item for item in receipt.items if item.disposition is not Disposition.LEFT_OUT]


def texts(receipt: Receipt) -> list[str]:
    return [item.text for item in results(receipt)]


def drop_reasons(receipt: Receipt) -> dict[str, Reason | None]:
    return {item.text: item.reason for item in receipt.items if item.disposition is Disposition.LEFT_OUT}


def make_facts(*names: str) -> list[Memory]:
    """Memories, each seen an hour after the one before."""
    return [
        a_memory(name, kind=Kind.PREFERENCE, last_stated_at=MONDAY + timedelta(hours=place))
        for place, name in enumerate(names)
    ]


def damage_file(file: Path, sql: str) -> None:
    """Do to a file in use what a failing disk might."""
    connection = apsw.Connection(str(file))
    connection.execute(sql)
    connection.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def meanwhile() -> Iterator[Executor]:
    with closing(ThreadExecutor(2, "test")) as executor:
        yield executor


@pytest.fixture
def open_harness(file: Path, meanwhile: Executor) -> Iterator[OpenHarness]:
    store = SqliteStore(file)
    yield lambda embedder: RecallHarness(store, embedder, meanwhile)
    store.close()


@pytest.fixture
def harness(open_harness: OpenHarness) -> RecallHarness:
    return open_harness(TopicEmbedder())


# Where it looks


@pytest.mark.spec("K6", "C-10", "C-27")
def test_with_fewer_than_three_hits_here_the_other_chats_are_searched_as_well(
    harness: RecallHarness,
) -> None:
    harness.add(SOUP, BREAD, STEW)

    assert sorted(harness.texts("food", CHAT_SCOPE)) == ["bean stew", "rye bread", "salmon soup"]
    assert sorted(harness.texts("stew", CHAT_SCOPE)) == ["bean stew", "rye bread", "salmon soup"]


@pytest.mark.spec("K6", "C-10", "C-27")
def test_three_hits_here_are_enough(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, SALAD, STEW)

    assert sorted(harness.texts("food", CHAT_SCOPE)) == ["green salad", "rye bread", "salmon soup"]
    assert "bean stew" not in harness.texts("stew", CHAT_SCOPE)


@pytest.mark.spec("K6")
def test_hits_that_have_nothing_to_do_with_the_question_or_are_in_view_are_not_counted(
    harness: RecallHarness,
) -> None:
    harness.add(SOUP, BREAD, SALAD, SHIP, STEW)
    seen = harness.context("food", {"context.recent_messages": 3}, CHAT_SCOPE)

    assert "bean stew" in texts(seen)
    assert "bean stew" in harness.texts("boat food", CHAT_SCOPE, other_chats_below=5)


def test_earlier_questions_of_the_chat_are_not_counted_if_relevance_is_judged(harness: RecallHarness) -> None:
    questions = [a_message(f"which food {number}?", chat=KITCHEN) for number in range(3)]
    harness.add(*questions, STEW)

    assert "bean stew" in harness.texts("food", CHAT_SCOPE, relevance=0.2)
    assert "bean stew" not in harness.texts("food", CHAT_SCOPE, relevance=0.0)


@pytest.mark.spec("K6", "C-10")
@pytest.mark.parametrize(
    ("reach", "found"),
    [
        ("fallback", ["green salad", "rye bread", "salmon soup"]),
        ("always", ["bean stew", "green salad", "rye bread", "salmon soup"]),
        ("never", ["green salad", "rye bread", "salmon soup"]),
    ],
)
def test_how_far_to_look_is_a_setting(harness: RecallHarness, reach: str, found: list[str]) -> None:
    harness.add(SOUP, BREAD, SALAD, STEW)

    assert sorted(harness.texts("food", CHAT_SCOPE, other_chats=reach)) == found


@pytest.mark.spec("C-10")
def test_never_means_never_even_when_this_chat_is_silent_but_memories_belong_to_no_chat(
    harness: RecallHarness,
) -> None:
    harness.add(STEW, a_memory("vegetarian"))

    assert harness.texts("food", CHAT_SCOPE, other_chats="never") == ["vegetarian"]


@pytest.mark.spec("A9", "C-22")
def test_another_users_words_are_never_found(harness: RecallHarness) -> None:
    harness.add(SOUP, a_memory("vegetarian"))

    assert results(harness.recall("food soup", Scope("bruno"))) == []


@pytest.mark.parametrize(
    ("sources", "found"),
    [("all", ["salmon soup", "vegetarian"]), ("memories", ["vegetarian"]), ("messages", ["salmon soup"])],
)
def test_what_may_be_recalled_is_a_setting(harness: RecallHarness, sources: str, found: list[str]) -> None:
    harness.add(SOUP, a_memory("vegetarian"))

    assert sorted(harness.texts("food", sources=sources)) == found


@pytest.mark.spec("H10", "C-6")
@pytest.mark.parametrize("reach", ["fallback", "always", "never"])
def test_a_summary_is_recalled_in_its_own_chat_only(harness: RecallHarness, reach: str) -> None:
    harness.add(STEW, a_message("hello", chat="attic"))
    harness.add_summary("garden", "They talked about food.")
    across = Policy().with_values({"summaries.scope": "global", "recall.other_chats": "always"})

    assert "They talked about food." in harness.texts("food", Scope(ANA, "garden"), other_chats=reach)
    assert "They talked about food." not in harness.texts("food", Scope(ANA, "attic"), other_chats=reach)
    assert "They talked about food." not in harness.texts("food", other_chats=reach)
    assert "They talked about food." in texts(harness.recall("food", Scope(ANA, "attic"), across))


# Two channels


@pytest.mark.spec("K16", "Y4")
def test_what_only_one_channel_knows_is_found_as_well(harness: RecallHarness) -> None:
    harness.add(SOUP, SHIP)
    # More than a recall embeds itself.
    rest = (a_message(f"note {number}", chat="garden") for number in range(MAX_INLINE_PASSAGES))
    harness.add(a_message("dinner with Zoltan"), a_message("Zoltan called"), *rest, embed=False)
    recalled = harness.recall("what does Zoltan want for dinner")
    channels = {item.text: (item.cosine is not None, item.parts["lexical"] > 0) for item in results(recalled)}

    assert channels == {
        "salmon soup": (True, False),
        "Zoltan called": (False, True),
        "dinner with Zoltan": (False, True),
    }


@pytest.mark.spec("K2")
def test_each_channel_is_asked_for_twice_as_many_as_are_handed_on(harness: RecallHarness) -> None:
    harness.add(*(a_message(f"soup number {number}") for number in range(30)))
    recalled = harness.recall("soup", policy=load_preset("dev").with_values({"recall.hybrid": True}))

    assert recalled.sources == {"global_dense": 20, "lexical": 20}
    assert len(results(recalled)) == 10


@pytest.mark.spec("K16")
def test_a_word_hit_has_its_cosine_shown_and_survives_the_floor(harness: RecallHarness) -> None:
    harness.add(a_message("Zoltan fixed the boat"))
    [found] = results(harness.recall("Zoltan and dinner"))

    assert found.cosine == pytest.approx(0.0, abs=0.01)
    assert found.parts["lexical"] == 1.0


@pytest.mark.spec("K1", "K15", "A8")
def test_without_hybrid_only_the_vectors_speak(harness: RecallHarness) -> None:
    harness.add(SOUP, a_message("Zoltan called"))
    recalled = harness.recall("Zoltan at dinner", hybrid=False)

    assert texts(recalled) == ["salmon soup"]
    assert recalled.sources == {"global_dense": 2, "lexical": 0}
    assert "lexical_ms" not in recalled.timings


@pytest.mark.spec("K1")
def test_without_hybrid_this_chat_still_comes_before_the_others(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, SALAD, STEW)

    assert sorted(harness.texts("food", CHAT_SCOPE, hybrid=False)) == [
        "green salad",
        "rye bread",
        "salmon soup",
    ]
    assert harness.texts("food", Scope(ANA, "attic"), hybrid=False, limit=1) != []


@pytest.mark.spec("K4", "TR-9", "K3")
def test_an_identifier_brings_the_code_that_holds_it_first(open_harness: OpenHarness) -> None:
    code = a_message("function calculateTotal(items) { return items.reduce(add, 0); }")
    prose = a_message("How do I calculate the total of my invoice, and calculate it fast? Total total.")
    harness = open_harness(HashingEmbedder())
    harness.add(prose, SHIP, code)
    recalled = harness.recall("what does calculateTotal do?")

    assert texts(recalled)[0] == code.content
    assert [item.parts["identifier"] for item in results(recalled)][:2] == [1.0, 0.0]


@pytest.mark.spec("TR-9")
def test_words_that_merely_sound_like_code_name_nothing(harness: RecallHarness) -> None:
    harness.add(a_message("a first class ticket for the boat"))
    [found] = results(harness.recall("first class ticket"))

    assert found.parts["identifier"] == 0.0


def test_hits_are_counted_by_source_before_anything_is_left_out(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, STEW, a_memory("vegetarian"))
    harness.add_summary(KITCHEN, "They spoke of salmon.")
    recalled = harness.recall("salmon", CHAT_SCOPE, limit=1)

    assert recalled.sources == {"conversation_dense": 3, "global_dense": 4, "summaries": 1, "lexical": 3}


def test_every_part_is_timed(harness: RecallHarness) -> None:
    harness.add(SOUP)

    assert sorted(harness.recall("salmon").timings) == [
        "around_ms",
        "dense_ms",
        "embed_ms",
        "lexical_ms",
        "rank_ms",
        "total_ms",
    ]


# Words while the model reads


class WaitingEmbedder(TopicEmbedder):
    """Reads a question for as long as its words are not looked up."""

    def __init__(self, lexical_done: Event) -> None:
        super().__init__()
        self.lexical_done = lexical_done
        self.in_time = False

    def embed_query(self, text: str) -> Vector:
        self.in_time = self.lexical_done.wait(10)
        return super().embed_query(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignallingExecutor:
    """An executor that signals when a call has ended."""

    inner: Executor
    done: Event

    def submit(self, work: Callable[[], Result], /) -> PendingCall[Result]:
        def work_and_signal() -> Result:
            try:
                return work()
            finally:
                self.done.set()

        return self.inner.submit(work_and_signal)

    def close(self) -> None:
        self.inner.close()


@SCOPES
def test_words_are_looked_up_while_the_model_reads_the_question(file: Path, scope: Scope) -> None:
    done = Event()
    embedder = WaitingEmbedder(done)
    with closing(SqliteStore(file)) as store, closing(ThreadExecutor(1, "test")) as helper:
        harness = RecallHarness(store, embedder, SignallingExecutor(inner=helper, done=done))
        harness.add(SOUP, SHIP)

        assert harness.texts("salmon", scope) == ["salmon soup"]
    assert embedder.in_time


def test_what_is_forgotten_while_the_model_reads_is_not_recalled(file: Path) -> None:
    """Its words were found by then."""
    done = Event()
    memory = a_memory("allergic to salmon")

    class ForgettingEmbedder(WaitingEmbedder):
        def embed_query(self, text: str) -> Vector:
            vector = super().embed_query(text)
            store.memories.save(replace(memory, status=MemoryStatus.FORGOTTEN), ChangeKind.DELETE)
            return vector

    with closing(SqliteStore(file)) as store, closing(ThreadExecutor(1, "test")) as helper:
        embedder = ForgettingEmbedder(done)
        harness = RecallHarness(store, embedder, SignallingExecutor(inner=helper, done=done))
        harness.add(memory, SHIP)

        recalled = harness.recall("salmon")
    assert (texts(recalled), embedder.in_time) == ([], True)
    assert recalled.sources["lexical"] == 1


# The deadline


class NeverReadyExecutor:
    """An executor whose calls never start."""

    def submit(self, work: Callable[[], Result], /) -> PendingCall[Result]:
        return NeverReadyCall()

    def close(self) -> None:
        pass


class NeverReadyCall:
    def result(self, timeout: float | None = None) -> NoReturn:
        assert timeout is not None
        raise TimeoutError

    def cancel(self) -> None:
        pass


def test_if_nothing_is_ready_by_the_deadline_the_receipt_is_empty_and_says_so(
    harness: RecallHarness,
) -> None:
    harness.add(SOUP)
    harness.executor = NeverReadyExecutor()
    receipt = harness.context("soup", {"recall.deadline_ms": 20}, CHAT_SCOPE)

    assert (receipt.items, receipt.text) == ((), "")
    assert receipt.degradations == (
        Reason(ReasonCode.RECALL_LATE, {"milliseconds": 20}),
        Reason(ReasonCode.TIERS_LATE, {"milliseconds": 20}),
    )


def test_a_late_embedding_leaves_lexical_results(file: Path) -> None:
    never = WaitingEmbedder(Event())
    with closing(SqliteStore(file)) as store, closing(ThreadExecutor(3, "test")) as executor:
        harness = RecallHarness(store, never, executor)
        harness.add(SOUP, SHIP)
        receipt = harness.recall("salmon", deadline_ms=50)
        never.lexical_done.set()

    assert texts(receipt) == ["salmon soup"]
    assert receipt.degradations == (Reason(ReasonCode.DENSE_SEARCH_LATE, {"milliseconds": 50}),)


def test_a_deadline_that_is_met_changes_nothing(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, SHIP)
    waiting, in_time = harness.recall("salmon"), harness.recall("salmon", deadline_ms=10_000)

    assert (in_time.items, in_time.degradations) == (waiting.items, ())


# The question


@pytest.mark.spec("L4")
def test_a_question_is_embedded_once_for_facts_messages_and_every_chat(open_harness: OpenHarness) -> None:
    embedder = TopicEmbedder()
    harness = open_harness(embedder)
    harness.add(SOUP, STEW, a_memory("vegetarian"))
    recalled = harness.recall("food", CHAT_SCOPE)

    assert sorted(texts(recalled)) == ["bean stew", "salmon soup", "vegetarian"]
    assert embedder.queries == ["food"]


@pytest.mark.spec("L1", "L5")
def test_a_personal_question_is_expanded_for_its_vector_and_its_command_is_cut_off(
    open_harness: OpenHarness,
) -> None:
    embedder = TopicEmbedder()
    harness = open_harness(embedder)
    harness.add(SOUP, a_message("weight and height of the wall"))
    recalled = harness.recall("/ask what is my favourite soup?", expand_query=True)

    assert embedder.queries == ["what is my favourite soup?" + PERSONAL_QUERY_SUFFIX]
    assert texts(recalled) == ["salmon soup"]


def test_what_lies_in_the_middle_of_everything_is_less_near(harness: RecallHarness) -> None:
    harness.add(*(a_message(f"soup by the water, day {day}") for day in range(70)), a_message("boat code"))

    def nearness(middle: float) -> dict[str, float]:
        found = results(harness.recall("ship", centroid_penalty=middle, limit=100))
        return {"boat" if "boat" in item.text else "soup": item.cosine or 0.0 for item in found}

    assert nearness(0.0) == {"boat": pytest.approx(0.71, abs=0.01), "soup": pytest.approx(0.71, abs=0.01)}
    assert nearness(0.5)["boat"] > nearness(0.5)["soup"] + 0.07


@pytest.mark.spec("L2", "Y19", "L1")
def test_how_tall_am_i_finds_the_height(open_harness: OpenHarness) -> None:
    height = "User is 1.82 m in height"
    harness = open_harness(OnnxEmbedder())
    others = (
        "User drives a blue Fiat", "User's sister lives in Lisbon", "User prefers tea to coffee",
        "User works as a gardener", "User is learning Hungarian", "User has two cats", "User plays the cello",
        "User was born in Recife",
    )  # fmt: skip
    harness.add(*make_facts(height, *others))

    assert texts(harness.recall("How tall am I?", policy=load_preset("facts")))[0] == height
    assert texts(harness.recall("How tall am I?"))[0] == height


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_query_is_refused(harness: RecallHarness, question: str) -> None:
    harness.add(SOUP, a_memory("vegetarian"))

    with pytest.raises(EmptyText):
        harness.recall(question)


# How many


@pytest.mark.spec("K11", "X5")
def test_up_to_five_memories_are_all_used(harness: RecallHarness) -> None:
    five = ("has a boat", "swims in water", "likes the sea", "paints", "sings")
    harness.add(*make_facts(*five), SHIP)

    assert sorted(harness.texts("food")) == sorted(five)
    assert harness.texts("food", small_store_size=0) == []


@pytest.mark.spec("K11")
def test_a_sixth_memory_ends_that(harness: RecallHarness) -> None:
    harness.add(*make_facts("has a boat", "swims in water", "likes the sea", "paints", "sings", "likes soup"))

    assert harness.texts("food") == ["likes soup"]


@pytest.mark.spec("K12", "C-9", "X4")
def test_when_nothing_is_found_the_ten_most_recent_memories_stand_in_if_asked_for(
    harness: RecallHarness,
) -> None:
    listed = [f"boat number {number}" for number in range(12)]
    harness.add(*make_facts(*listed))
    recalled = harness.recall("food", fallback="recent", limit=20)

    assert texts(recalled) == listed[:1:-1]
    assert recalled.sources["recent"] == 10


@pytest.mark.spec("K12", "X4")
def test_they_stand_in_as_well_when_the_embedder_fails(open_harness: OpenHarness) -> None:
    broken = FailingEmbedder(ProviderError("no power"), TopicEmbedder())
    harness = open_harness(broken)
    harness.add(*make_facts(*(f"boat number {number}" for number in range(7))), embed=False)
    recalled = harness.recall("food", policy=load_preset("facts"))

    assert texts(recalled) == [f"boat number {number}" for number in (6, 5, 4, 3, 2, 1, 0)]
    assert recalled.degradations == (Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": "no power"}),)


@pytest.mark.spec("C-9")
def test_by_default_nothing_stands_in_for_nothing(harness: RecallHarness) -> None:
    harness.add(*make_facts(*(f"boat number {number}" for number in range(7))))

    assert harness.texts("food") == []


@pytest.mark.spec("K13", "L4")
def test_the_agent_gets_three_facts_and_two_messages_by_one_vector(open_harness: OpenHarness) -> None:
    embedder = TopicEmbedder()
    harness = open_harness(embedder)
    harness.add(
        SOUP, BREAD, SALAD, STEW, *make_facts("likes soup", "likes bread", "likes salad", "likes stew")
    )
    recalled = harness.recall("food", policy=load_preset("agent"))
    is_fact = [item.kind is not None for item in results(recalled)]

    assert (is_fact.count(True), is_fact.count(False)) == (3, 2)
    assert embedder.queries == ["food"]


@pytest.mark.spec("K10", "TR-20")
def test_the_floor_drops_what_is_not_near_and_each_embedder_brings_its_own(harness: RecallHarness) -> None:
    harness.add(SOUP, a_message("soup on the boat"), SHIP)
    at_its_own = harness.recall("food", hybrid=False)
    higher = harness.recall("food", hybrid=False, min_cosine=0.9)
    none = harness.recall("food", hybrid=False, min_cosine=0.0)

    assert texts(at_its_own) == ["salmon soup", "soup on the boat"]
    assert drop_reasons(at_its_own) == {
        SHIP.content: Reason(ReasonCode.BELOW_COSINE_FLOOR, {"cosine": 0.0, "floor": 0.5})
    }
    assert texts(higher) == ["salmon soup"]
    assert drop_reasons(higher)["soup on the boat"] == Reason(
        ReasonCode.BELOW_COSINE_FLOOR, {"cosine": 0.71, "floor": 0.9}
    )
    assert len(results(none)) == 3


def test_the_cliff_drops_what_was_merely_brought_along(harness: RecallHarness) -> None:
    harness.add(SOUP, a_message("food for the boat"))
    low = harness.context("soup", {"recall.relative_cutoff": 0.9})

    assert texts(low) == ["salmon soup"]
    assert list(drop_reasons(low).values()) == [Reason(ReasonCode.BELOW_CUTOFF, {"share": 0.9})]


@pytest.mark.spec("F5")
def test_a_message_and_the_memory_of_it_come_once(harness: RecallHarness) -> None:
    harness.add(a_message("I like soup."), a_memory("I like soup"))
    recalled = harness.recall("soup")

    assert texts(recalled) == ["I like soup"]
    assert drop_reasons(recalled) == {"I like soup.": Reason(ReasonCode.SAME_AS_MEMORY)}


@pytest.mark.spec("K9")
def test_importance_takes_what_weighs_most_in_other_chats_whatever_is_asked(
    harness: RecallHarness,
) -> None:
    heavy, light = make_facts("never uses libraries", "likes soup")
    harness.add(heavy, replace(light, weight=0.2), SOUP)
    recalled = harness.recall("food", CHAT_SCOPE, load_preset("smart"))

    assert texts(recalled) == ["never uses libraries"]
    assert recalled.sources == {"important": 1}


# What was known then


def test_as_of_tells_what_was_known_and_true_then(harness: RecallHarness) -> None:
    lisbon = a_memory("eats soup in Lisbon", valid_from=MONDAY, valid_to=MONDAY + 10 * DAY)
    porto = a_memory(
        "eats soup in Porto",
        valid_from=MONDAY + 10 * DAY,
        created_at=MONDAY + 10 * DAY,
        last_stated_at=MONDAY + 10 * DAY,
    )
    harness.add(lisbon, porto, replace(SOUP, created_at=MONDAY + 5 * DAY))
    old = harness.store.memories.get(USER_SCOPE, lisbon.id)
    harness.store.memories.save(replace(old, status=MemoryStatus.SUPERSEDED), ChangeKind.SUPERSEDE)
    harness.clock.advance(20 * DAY)

    def known(days: int) -> list[str]:
        harness.as_of = MONDAY + days * DAY
        return sorted(texts(harness.recall("soup")))

    assert known(1) == ["eats soup in Lisbon"]
    assert known(6) == ["eats soup in Lisbon", "salmon soup"]
    assert known(11) == ["eats soup in Porto", "salmon soup"]
    harness.as_of = None
    assert sorted(harness.texts("soup")) == ["eats soup in Porto", "salmon soup"]


# When a part fails


@pytest.mark.spec("V4", "X6")
def test_without_an_embedder_recall_is_by_words_alone_and_says_so(open_harness: OpenHarness) -> None:
    harness = open_harness(None)
    harness.add(SOUP, BREAD, a_memory("vegetarian"), embed=False)
    recalled = harness.recall("salmon", hybrid=False, small_store_size=0)

    assert texts(recalled) == ["salmon soup"]
    assert recalled.degradations == (Reason(ReasonCode.NO_EMBEDDER),)


@pytest.mark.spec("V4", "X6", "C-19")
@pytest.mark.parametrize(
    "error", [ProviderBusy("try later"), ModelMissing("no model here"), ProviderError("no")]
)
def test_an_embedder_that_fails_leaves_the_words_and_its_reason(
    open_harness: OpenHarness, error: ProviderError
) -> None:
    embedder = FailingEmbedder(error, TopicEmbedder())
    harness = open_harness(embedder)
    harness.add(SOUP, BREAD, embed=False)
    failed = harness.recall("salmon")
    embedder.heal()
    harness.embed()
    healed = harness.recall("salmon dinner")

    assert (texts(failed), failed.degradations) == (
        ["salmon soup"],
        (Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": str(error)}),),
    )
    assert (texts(healed), healed.degradations) == (["salmon soup", "rye bread"], ())


@pytest.mark.spec("V5", "TR-2", "X8")
@SCOPES
@pytest.mark.parametrize("damage", ["DROP TABLE passages_fts", "DELETE FROM passages_fts_data"])
def test_a_broken_full_text_index_leaves_the_vectors_and_its_reason(
    harness: RecallHarness, file: Path, damage: str, scope: Scope
) -> None:
    harness.add(SOUP, SHIP)
    damage_file(file, damage)
    recalled = harness.recall("salmon food", scope)

    assert texts(recalled) == ["salmon soup"]
    [reason] = recalled.degradations
    assert reason.code is ReasonCode.LEXICAL_SEARCH_FAILED


@pytest.mark.spec("X8")
@SCOPES
def test_broken_vectors_leave_the_words_and_their_reason(
    harness: RecallHarness, file: Path, scope: Scope
) -> None:
    harness.add(SOUP, SHIP)
    damage_file(file, "DROP TABLE vectors")
    recalled = harness.recall("salmon", scope, hybrid=False)

    assert texts(recalled) == ["salmon soup"]
    [reason] = recalled.degradations
    assert reason.code is ReasonCode.DENSE_SEARCH_FAILED


# Read again


def test_what_a_cross_encoder_finds_to_answer_comes_first_and_the_receipt_says_why(
    harness: RecallHarness,
) -> None:
    harness.add(SOUP, BREAD, SALAD)
    harness.reranker = OracleReranker("salad")
    first, *others = results(harness.recall("soup for dinner", rerank_count=3, rerank_weight=2.0))

    assert first.text == "green salad"
    assert first.parts["reread"] == 1.0
    assert [r.parts["reread"] for r in others] == [0.0, 0.0]


class JudgedEmbedder(LetterEmbedder):
    """Has the id and the dimension of the embedder that the relevance model knows."""

    model_id = load_relevance_model().embedder
    cosine_floor = 0.5

    def __init__(self) -> None:
        super().__init__(dimension=384)


@pytest.fixture
def judged_harness(open_harness: OpenHarness) -> RecallHarness:
    harness = open_harness(JudgedEmbedder())
    harness.add(*(a_message(f"My {animal} is called Rex.") for animal in ("dog", "parrot", "tortoise")))
    return harness


def test_the_cross_encoder_decides_which_doubtful_excerpts_are_injected(
    judged_harness: RecallHarness,
) -> None:
    judged_harness.relevance_reranker = OracleReranker("parrot")
    receipt = judged_harness.context("what is my animal called?", {})

    assert [item.text for item in receipt.injected_items] == ["My parrot is called Rex."]
    assert receipt.timings["reread_ms"] >= 0
    assert receipt.degradations == ()


def test_without_a_cross_encoder_the_features_decide_and_the_receipt_says_so(
    judged_harness: RecallHarness,
) -> None:
    without = judged_harness.context("what is my animal called?", {"recall.relevance_reads": 0})
    judged_harness.relevance_reranker = OracleReranker("", error=ModelMissing("The weights are gone."))
    failed = judged_harness.context("what is my animal called?", {})

    assert [item.text for item in failed.injected_items] == [item.text for item in without.injected_items]
    assert without.degradations == ()
    assert [reason.code for reason in failed.degradations] == [ReasonCode.RERANK_FAILED]


def test_the_models_of_a_first_query_are_loaded_ahead(
    judged_harness: RecallHarness, harness: RecallHarness
) -> None:
    for each in (judged_harness, harness):
        each.relevance_reranker = OracleReranker("")
        each.service.warm_up()

    assert len(reranker_calls(judged_harness)) == 1
    # With another embedder relevance is not judged.
    assert reranker_calls(harness) == []


def reranker_calls(harness: RecallHarness) -> list[tuple[str, float | None]]:
    assert isinstance(harness.relevance_reranker, OracleReranker)
    return harness.relevance_reranker.calls


def test_searches_do_not_wait_for_the_cross_encoder_of_relevance(judged_harness: RecallHarness) -> None:
    judged_harness.relevance_reranker = reranker = OracleReranker("parrot")

    assert len(judged_harness.texts("what is my animal called?")) == 3
    assert reranker.calls == []


def test_nothing_is_read_again_unless_it_is_asked_for(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, SALAD)
    harness.reranker = OracleReranker("salad")
    recalled = harness.recall("soup for dinner")

    assert texts(recalled)[0] == "salmon soup"
    assert "reread_ms" not in recalled.timings


def test_what_is_not_read_again_in_time_keeps_its_score_and_the_receipt_says_so(
    harness: RecallHarness,
) -> None:
    harness.add(SOUP, BREAD, SALAD)
    plain = {item.id: item.score for item in results(harness.recall("soup for dinner"))}
    harness.reranker = reranker = OracleReranker("nothing", max_passages=1)
    recalled = harness.recall("soup for dinner", rerank_count=3)

    assert reranker.calls == [("soup for dinner", 0.12)]
    assert {item.id: item.score for item in results(recalled)} == plain
    assert recalled.degradations == (
        Reason(ReasonCode.RERANK_INCOMPLETE, {"missing": 2, "total": 3, "milliseconds": 120}),
    )


def test_a_cross_encoder_that_fails_changes_nothing_and_is_named(harness: RecallHarness) -> None:
    harness.add(SOUP, BREAD, SALAD)
    plain = texts(harness.recall("soup for dinner"))
    harness.reranker = OracleReranker("salad", error=ModelMissing("The weights are gone."))
    recalled = harness.recall("soup for dinner", rerank_count=3)

    assert texts(recalled) == plain
    assert recalled.degradations == (Reason(ReasonCode.RERANK_FAILED, {"detail": "The weights are gone."}),)


# A time that is named


def test_what_was_said_at_a_time_that_the_question_names_is_found_by_nothing_else(
    harness: RecallHarness,
) -> None:
    march = replace(SHIP, created_at=MONDAY - 60 * DAY)
    question = f"what did we talk about on {march.created_at:%Y-%m-%d}?"
    harness.add(march, *(a_message(f"we did talk about it {n}") for n in range(30)))

    assert texts(harness.recall(question, candidates_per_channel=5, limit=2))[0] == SHIP.content
    assert harness.recall(question, candidates_per_channel=5, limit=2).sources["then"] == 1


def test_a_question_that_stays_in_its_chat_takes_nothing_of_that_time_from_another(
    harness: RecallHarness,
) -> None:
    elsewhere = replace(SHIP, chat="garden", created_at=MONDAY - 60 * DAY)
    harness.add(elsewhere, SOUP)

    found = harness.texts(f"soup on {elsewhere.created_at:%Y-%m-%d}?", CHAT_SCOPE, other_chats="never")
    assert found == ["salmon soup"]


def test_words_shared_by_chance_count_less_than_those_the_question_is_made_of(
    harness: RecallHarness,
) -> None:
    harness.add(SHIP, SOUP)
    [much, *_] = results(harness.recall("ship sails at nine"))
    [by_chance, *_] = results(
        harness.recall("nine lighthouse keepers wrote letters about curious migrating birds")
    )

    assert much.parts["lexical"] == 1.0
    assert by_chance.parts["lexical"] < 0.5


def test_without_an_embedder_only_memories_that_share_a_word_are_injected(open_harness: OpenHarness) -> None:
    harness = open_harness(None)
    harness.add(a_memory("has a sister in Coimbra"), a_memory("staging listens on port 8443"), embed=False)
    receipt = harness.context("which port does staging use?", {})

    assert [item.text for item in receipt.injected_items] == ["staging listens on port 8443"]
    assert [reason.code for item in receipt.items if (reason := item.reason)] == [ReasonCode.SHARES_NO_WORD]
