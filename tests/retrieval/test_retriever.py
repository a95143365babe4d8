"""From a question to passages on a real file: where it looks, what it keeps, and what it says when a part fails."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TypeVar

import apsw
import pytest

from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.system.executor import Helper
from recollect.domain.memory import Change, Kind, Memory, Standing
from recollect.domain.message import Message
from recollect.domain.policy import Policy, Value, preset
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import ModelMissing, ProviderBusy, ProviderError
from recollect.ingestion.chunking import chunks
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.executor import Meanwhile, later
from recollect.ports.reranker import Reranker
from recollect.ports.vector_math import unit
from recollect.retrieval.query_expansion import SUFFIX
from recollect.retrieval.retriever import RecallStep
from recollect.retrieval.search_state import Recalled
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY, FrozenClock
from recollect.testing.embedders import FailingEmbedder, LetterEmbedder
from recollect.testing.rerankers import KnowingReranker

Result = TypeVar("Result")
DAY = timedelta(days=1)
EVERYWHERE = Scope(ANA)
HERE = Scope(ANA, KITCHEN)
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
    floor = 0.5

    def __init__(self) -> None:
        super().__init__(dimension=len(TOPICS) + 1)
        self.questions: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        self.questions.append(text)
        return self._vector(text)

    @staticmethod
    def _vector(text: str) -> Vector:
        words = re.findall(r"\w+", text.casefold())
        counts = [sum(word in topic.split() for word in words) for topic in TOPICS]
        return unit([*counts, 0 if any(counts) else 1])


class Shelf:
    """A store with its embedder, and questions to it."""

    def __init__(self, store: SqliteStore, embedder: Embedder | None, meanwhile: Meanwhile = later) -> None:
        self.store = store
        self.embedder = embedder
        self.meanwhile = meanwhile
        self.clock = FrozenClock()
        self.reranker: Reranker | None = None

    def hold(self, *things: Message | Memory, embed: bool = True) -> None:
        for thing in things:
            if isinstance(thing, Memory):
                self.store.memories.add(thing)
            else:
                self.store.messages.add(thing, chunks(thing.content, Policy().chunking))
        if embed:
            self.embed()

    def summarise(self, chat: str, text: str) -> None:
        kind = SummaryKind.CONVERSATION
        self.store.summaries.add(
            Summary(id=text, user=ANA, chat=chat, kind=kind, text=text, created_at=MONDAY)
        )
        self.embed()

    def embed(self) -> None:
        assert self.embedder is not None
        while batch := self.store.vectors.missing(ANA, limit=100):
            vectors = self.embedder.embed([passage.text for passage in batch])
            self.store.vectors.put(ANA, self.embedder.model_id, list(zip(batch, vectors, strict=True)))

    @property
    def step(self) -> RecallStep:
        store = self.store
        return RecallStep(
            search=store.search,
            memories=store.memories,
            embedder=self.embedder,
            clock=self.clock,
            reranker=self.reranker,
            meanwhile=self.meanwhile,
        )

    def recall(
        self, question: str, scope: Scope = EVERYWHERE, policy: Policy | None = None, **knobs: Value
    ) -> Recalled:
        values = {f"recall.{name}": value for name, value in knobs.items()}
        return self.step(scope, question, (policy or Policy()).with_values(values))

    def texts(self, question: str, scope: Scope = EVERYWHERE, **knobs: Value) -> list[str]:
        return texts(self.recall(question, scope, None, **knobs))


SCOPES = pytest.mark.parametrize("scope", [EVERYWHERE, HERE], ids=["everywhere", "here"])
Open = Callable[[Embedder | None], Shelf]


def texts(recalled: Recalled) -> list[str]:
    return [r.candidate.text for r in recalled.kept]


def reasons(recalled: Recalled) -> dict[str, str]:
    return {r.candidate.text: reason for r, reason in recalled.dropped}


def facts(*names: str) -> list[Memory]:
    """Memories, each seen an hour after the one before."""
    return [
        a_memory(name, kind=Kind.PREF, seen_at=MONDAY + timedelta(hours=place))
        for place, name in enumerate(names)
    ]


def damaged(file: Path, damage: str) -> None:
    """Do to a file in use what a failing disk might."""
    vandal = apsw.Connection(str(file))
    vandal.execute(damage)
    vandal.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(params=["alone", "with a helper"])
def meanwhile(request: pytest.FixtureRequest) -> Iterator[Meanwhile]:
    if request.param == "alone":
        yield later
    else:
        with closing(Helper()) as helper:
            yield helper


@pytest.fixture
def open_shelf(file: Path, meanwhile: Meanwhile) -> Iterator[Open]:
    store = SqliteStore(file)
    yield lambda embedder: Shelf(store, embedder, meanwhile)
    store.close()


@pytest.fixture
def shelf(open_shelf: Open) -> Shelf:
    return open_shelf(TopicEmbedder())


# Where it looks


@pytest.mark.spec("K6", "C-10", "C-27")
def test_with_fewer_than_three_hits_here_the_other_chats_are_searched_as_well(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, STEW)

    assert sorted(shelf.texts("food", HERE)) == ["bean stew", "rye bread", "salmon soup"]
    assert sorted(shelf.texts("stew", HERE)) == ["bean stew", "rye bread", "salmon soup"]


@pytest.mark.spec("K6", "C-10", "C-27")
def test_three_hits_here_are_enough(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD, STEW)

    assert sorted(shelf.texts("food", HERE)) == ["green salad", "rye bread", "salmon soup"]
    assert "bean stew" not in shelf.texts("stew", HERE)


@pytest.mark.spec("K6")
def test_hits_that_have_nothing_to_do_with_the_question_or_are_in_view_are_not_counted(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD, SHIP, STEW)
    seen = shelf.step(HERE, "food", Policy(), visible=frozenset({SALAD.id}))

    assert "bean stew" in texts(seen)
    assert "bean stew" in shelf.texts("boat food", HERE, reach_below=5)


@pytest.mark.spec("K6", "C-10")
@pytest.mark.parametrize(
    ("reach", "found"),
    [
        ("fallback", ["green salad", "rye bread", "salmon soup"]),
        ("always", ["bean stew", "green salad", "rye bread", "salmon soup"]),
        ("never", ["green salad", "rye bread", "salmon soup"]),
    ],
)
def test_how_far_to_look_is_a_setting(shelf: Shelf, reach: str, found: list[str]) -> None:
    shelf.hold(SOUP, BREAD, SALAD, STEW)

    assert sorted(shelf.texts("food", HERE, reach=reach)) == found


@pytest.mark.spec("C-10")
def test_never_means_never_even_when_this_chat_is_silent_but_memories_belong_to_no_chat(
    shelf: Shelf,
) -> None:
    shelf.hold(STEW, a_memory("vegetarian"))

    assert shelf.texts("food", HERE, reach="never") == ["vegetarian"]


@pytest.mark.spec("A9", "C-22")
def test_another_users_words_are_never_found(shelf: Shelf) -> None:
    shelf.hold(SOUP, a_memory("vegetarian"))

    assert shelf.recall("food soup", Scope("bruno")).kept == ()


@pytest.mark.parametrize(
    ("sources", "found"),
    [("all", ["salmon soup", "vegetarian"]), ("memories", ["vegetarian"]), ("messages", ["salmon soup"])],
)
def test_what_may_be_recalled_is_a_setting(shelf: Shelf, sources: str, found: list[str]) -> None:
    shelf.hold(SOUP, a_memory("vegetarian"))

    assert sorted(shelf.texts("food", sources=sources)) == found


@pytest.mark.spec("H10", "C-6")
@pytest.mark.parametrize("reach", ["fallback", "always", "never"])
def test_a_summary_is_recalled_in_its_own_chat_only(shelf: Shelf, reach: str) -> None:
    shelf.hold(STEW, a_message("hello", chat="attic"))
    shelf.summarise("garden", "They talked about food.")
    across = Policy().with_values({"summaries.scope": "global", "recall.reach": "always"})

    assert "They talked about food." in shelf.texts("food", Scope(ANA, "garden"), reach=reach)
    assert "They talked about food." not in shelf.texts("food", Scope(ANA, "attic"), reach=reach)
    assert "They talked about food." not in shelf.texts("food", reach=reach)
    assert "They talked about food." in texts(shelf.recall("food", Scope(ANA, "attic"), across))


# Two channels


@pytest.mark.spec("K16", "Y4")
def test_what_only_one_channel_knows_is_found_as_well(shelf: Shelf) -> None:
    shelf.hold(SOUP, SHIP)
    shelf.hold(a_message("dinner with Zoltan"), a_message("Zoltan called"), embed=False)
    recalled = shelf.recall("what does Zoltan want for dinner")
    channels = {
        r.candidate.text: (r.candidate.dense is not None, r.candidate.lexical is not None)
        for r in recalled.kept
    }

    assert channels == {
        "salmon soup": (True, False),
        "Zoltan called": (False, True),
        "dinner with Zoltan": (False, True),
    }


@pytest.mark.spec("K2")
def test_each_channel_is_asked_for_twice_as_many_as_are_handed_on(shelf: Shelf) -> None:
    shelf.hold(*(a_message(f"soup number {number}") for number in range(30)))
    recalled = shelf.recall("soup", policy=preset("dev"))

    assert recalled.sources == {"global_dense": 20, "lexical": 20}
    assert len(recalled.kept) == 10


@pytest.mark.spec("K16")
def test_a_word_hit_has_its_cosine_shown_and_survives_the_floor(shelf: Shelf) -> None:
    shelf.hold(a_message("Zoltan fixed the boat"))
    [found] = shelf.recall("Zoltan and dinner").kept

    assert found.candidate.dense == pytest.approx(0.0, abs=0.01)
    assert found.parts["lexical"] == 1.0


@pytest.mark.spec("K1", "K15", "A8")
def test_without_hybrid_only_the_vectors_speak(shelf: Shelf) -> None:
    shelf.hold(SOUP, a_message("Zoltan called"))
    recalled = shelf.recall("Zoltan at dinner", hybrid=False)

    assert texts(recalled) == ["salmon soup"]
    assert recalled.sources == {"global_dense": 2, "lexical": 0}
    assert "lexical_ms" not in recalled.timings


@pytest.mark.spec("K1")
def test_without_hybrid_this_chat_still_comes_before_the_others(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD, STEW)

    assert sorted(shelf.texts("food", HERE, hybrid=False)) == ["green salad", "rye bread", "salmon soup"]
    assert shelf.texts("food", Scope(ANA, "attic"), hybrid=False, limit=1) != []


@pytest.mark.spec("K4", "TR-9", "K3")
def test_an_identifier_brings_the_code_that_holds_it_first(open_shelf: Open) -> None:
    code = a_message("function calculateTotal(items) { return items.reduce(add, 0); }")
    prose = a_message("How do I calculate the total of my invoice, and calculate it fast? Total total.")
    shelf = open_shelf(HashingEmbedder())
    shelf.hold(prose, SHIP, code)
    recalled = shelf.recall("what does calculateTotal do?")

    assert texts(recalled)[0] == code.content
    assert [r.parts["identifier"] for r in recalled.kept][:2] == [1.0, 0.0]


@pytest.mark.spec("TR-9")
def test_words_that_merely_sound_like_code_name_nothing(shelf: Shelf) -> None:
    shelf.hold(a_message("a first class ticket for the boat"))
    [found] = shelf.recall("first class ticket").kept

    assert found.parts["identifier"] == 0.0


def test_hits_are_counted_by_source_before_anything_is_left_out(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, STEW, a_memory("vegetarian"))
    shelf.summarise(KITCHEN, "They spoke of salmon.")
    recalled = shelf.recall("salmon", HERE, limit=1)

    assert recalled.sources == {"conversation_dense": 3, "global_dense": 4, "summaries": 1, "lexical": 3}


def test_every_part_is_timed(shelf: Shelf) -> None:
    shelf.hold(SOUP)

    assert sorted(shelf.recall("salmon").timings) == [
        "around_ms",
        "dense_ms",
        "embed_ms",
        "lexical_ms",
        "rank_ms",
    ]


# Words while the model reads


class WaitingEmbedder(TopicEmbedder):
    """Reads a question for as long as its words are not looked up."""

    def __init__(self, looked_up: Event) -> None:
        super().__init__()
        self._looked_up = looked_up
        self.in_time = False

    def embed_query(self, text: str) -> Vector:
        self.in_time = self._looked_up.wait(10)
        return super().embed_query(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Helps, and tells when something is done."""

    inner: Meanwhile
    done: Event

    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        def told() -> Result:
            try:
                return work()
            finally:
                self.done.set()

        return self.inner(told)


@SCOPES
def test_words_are_looked_up_while_the_model_reads_the_question(file: Path, scope: Scope) -> None:
    done = Event()
    embedder = WaitingEmbedder(done)
    with closing(SqliteStore(file)) as store, closing(Helper()) as helper:
        shelf = Shelf(store, embedder, Telling(inner=helper, done=done))
        shelf.hold(SOUP, SHIP)

        assert shelf.texts("salmon", scope) == ["salmon soup"]
    assert embedder.in_time


def test_what_is_forgotten_while_the_model_reads_is_not_recalled(file: Path) -> None:
    """Its words were found by then."""
    done = Event()
    memory = a_memory("allergic to salmon")

    class ForgettingEmbedder(WaitingEmbedder):
        def embed_query(self, text: str) -> Vector:
            vector = super().embed_query(text)
            store.memories.save(replace(memory, standing=Standing.FORGOTTEN), Change.DELETE)
            return vector

    with closing(SqliteStore(file)) as store, closing(Helper()) as helper:
        embedder = ForgettingEmbedder(done)
        shelf = Shelf(store, embedder, Telling(inner=helper, done=done))
        shelf.hold(memory, SHIP)

        recalled = shelf.recall("salmon")
    assert (texts(recalled), embedder.in_time) == ([], True)
    assert recalled.sources["lexical"] == 1


# The question


@pytest.mark.spec("L4")
def test_a_question_is_embedded_once_for_facts_messages_and_every_chat(open_shelf: Open) -> None:
    embedder = TopicEmbedder()
    shelf = open_shelf(embedder)
    shelf.hold(SOUP, STEW, a_memory("vegetarian"))
    recalled = shelf.recall("food", HERE)

    assert sorted(texts(recalled)) == ["bean stew", "salmon soup", "vegetarian"]
    assert embedder.questions == ["food"]


@pytest.mark.spec("L1", "L5")
def test_a_personal_question_is_expanded_for_its_vector_and_its_command_is_cut_off(open_shelf: Open) -> None:
    embedder = TopicEmbedder()
    shelf = open_shelf(embedder)
    shelf.hold(SOUP, a_message("weight and height of the wall"))
    recalled = shelf.recall("/ask what is my favourite soup?", expand=True)

    assert embedder.questions == ["what is my favourite soup?" + SUFFIX]
    assert texts(recalled) == ["salmon soup"]


def test_what_lies_in_the_middle_of_everything_is_less_near(shelf: Shelf) -> None:
    shelf.hold(*(a_message(f"soup by the water, day {day}") for day in range(70)), a_message("boat code"))

    def nearness(middle: float) -> dict[str, float]:
        found = shelf.recall("ship", middle=middle, limit=100).kept
        return {"boat" if "boat" in r.candidate.text else "soup": r.candidate.dense or 0.0 for r in found}

    assert nearness(0.0) == {"boat": pytest.approx(0.71, abs=0.01), "soup": pytest.approx(0.71, abs=0.01)}
    assert nearness(0.5)["boat"] > nearness(0.5)["soup"] + 0.07


@pytest.mark.spec("L2", "Y19", "L1")
def test_how_tall_am_i_finds_the_height(open_shelf: Open) -> None:
    height = "User is 1.82 m in height"
    shelf = open_shelf(OnnxEmbedder())
    others = (
        "User drives a blue Fiat", "User's sister lives in Lisbon", "User prefers tea to coffee",
        "User works as a gardener", "User is learning Hungarian", "User has two cats", "User plays the cello",
        "User was born in Recife",
    )  # fmt: skip
    shelf.hold(*facts(height, *others))

    assert texts(shelf.recall("How tall am I?", policy=preset("facts")))[0] == height
    assert texts(shelf.recall("How tall am I?"))[0] == height


@pytest.mark.parametrize("question", ["", "  \n"])
def test_no_question_finds_nothing(shelf: Shelf, question: str) -> None:
    shelf.hold(SOUP, a_memory("vegetarian"))

    assert shelf.recall(question) == Recalled()


# How many


@pytest.mark.spec("K11", "X5")
def test_up_to_five_memories_are_all_used(shelf: Shelf) -> None:
    five = ("has a boat", "swims in water", "likes the sea", "paints", "sings")
    shelf.hold(*facts(*five), SHIP)

    assert sorted(shelf.texts("food")) == sorted(five)
    assert shelf.texts("food", small_set=0) == []


@pytest.mark.spec("K11")
def test_a_sixth_memory_ends_that(shelf: Shelf) -> None:
    shelf.hold(*facts("has a boat", "swims in water", "likes the sea", "paints", "sings", "likes soup"))

    assert shelf.texts("food") == ["likes soup"]


@pytest.mark.spec("K12", "C-9", "X4")
def test_when_nothing_is_found_the_ten_most_recent_memories_stand_in_if_asked_for(shelf: Shelf) -> None:
    listed = [f"boat number {number}" for number in range(12)]
    shelf.hold(*facts(*listed))
    recalled = shelf.recall("food", empty="recent", limit=20)

    assert texts(recalled) == listed[:1:-1]
    assert recalled.sources["recent"] == 10


@pytest.mark.spec("K12", "X4")
def test_they_stand_in_as_well_when_the_embedder_fails(open_shelf: Open) -> None:
    broken = FailingEmbedder(ProviderError("no power"), TopicEmbedder())
    shelf = open_shelf(broken)
    shelf.hold(*facts(*(f"boat number {number}" for number in range(7))), embed=False)
    recalled = shelf.recall("food", policy=preset("facts"))

    assert texts(recalled) == [f"boat number {number}" for number in (6, 5, 4, 3, 2, 1, 0)]
    assert recalled.degraded == ("lexical only: no power",)


@pytest.mark.spec("C-9")
def test_by_default_nothing_stands_in_for_nothing(shelf: Shelf) -> None:
    shelf.hold(*facts(*(f"boat number {number}" for number in range(7))))

    assert shelf.texts("food") == []


@pytest.mark.spec("K13", "L4")
def test_the_agent_gets_three_facts_and_two_messages_by_one_vector(open_shelf: Open) -> None:
    embedder = TopicEmbedder()
    shelf = open_shelf(embedder)
    shelf.hold(SOUP, BREAD, SALAD, STEW, *facts("likes soup", "likes bread", "likes salad", "likes stew"))
    recalled = shelf.recall("food", policy=preset("agent"))
    is_fact = [r.candidate.kind is not None for r in recalled.kept]

    assert (is_fact.count(True), is_fact.count(False)) == (3, 2)
    assert embedder.questions == ["food"]


@pytest.mark.spec("K10", "TR-20")
def test_the_floor_drops_what_is_not_near_and_each_embedder_brings_its_own(shelf: Shelf) -> None:
    shelf.hold(SOUP, a_message("soup on the boat"), SHIP)
    at_its_own = shelf.recall("food", hybrid=False)
    higher = shelf.recall("food", hybrid=False, floor=0.9)
    none = shelf.recall("food", hybrid=False, floor=0.0)

    assert texts(at_its_own) == ["salmon soup", "soup on the boat"]
    assert reasons(at_its_own) == {SHIP.content: "cosine 0.00 is below 0.50"}
    assert texts(higher) == ["salmon soup"]
    assert reasons(higher)["soup on the boat"] == "cosine 0.71 is below 0.90"
    assert len(none.kept) == 3


def test_the_cliff_drops_what_was_merely_brought_along(shelf: Shelf) -> None:
    shelf.hold(SOUP, a_message("food for the boat"))
    low = shelf.step(EVERYWHERE, "soup", Policy(), cliff=0.9)

    assert texts(low) == ["salmon soup"]
    assert list(reasons(low).values()) == ["below 90% of the best score"]


@pytest.mark.spec("F5")
def test_a_message_and_the_memory_of_it_come_once(shelf: Shelf) -> None:
    shelf.hold(a_message("I like soup."), a_memory("I like soup"))
    recalled = shelf.recall("soup")

    assert texts(recalled) == ["I like soup"]
    assert reasons(recalled) == {"I like soup.": "a memory says the same"}


@pytest.mark.spec("K9")
def test_importance_takes_what_weighs_most_in_other_chats_whatever_is_asked(shelf: Shelf) -> None:
    heavy, light = facts("never uses libraries", "likes soup")
    shelf.hold(heavy, replace(light, weight=0.2), SOUP)
    recalled = shelf.recall("food", HERE, preset("smart"))

    assert texts(recalled) == ["never uses libraries"]
    assert recalled.sources == {"important": 1}


# What was known then


def test_as_of_tells_what_was_known_and_true_then(shelf: Shelf) -> None:
    lisbon = a_memory("eats soup in Lisbon", valid_from=MONDAY, valid_to=MONDAY + 10 * DAY)
    porto = a_memory(
        "eats soup in Porto",
        valid_from=MONDAY + 10 * DAY,
        created_at=MONDAY + 10 * DAY,
        seen_at=MONDAY + 10 * DAY,
    )
    shelf.hold(lisbon, porto, replace(SOUP, created_at=MONDAY + 5 * DAY))
    old = shelf.store.memories.get(EVERYWHERE, lisbon.id)
    shelf.store.memories.save(replace(old, standing=Standing.SUPERSEDED), Change.SUPERSEDE)
    shelf.clock.advance(20 * DAY)

    def known(days: int) -> list[str]:
        return sorted(texts(shelf.step(EVERYWHERE, "soup", Policy(), as_of=MONDAY + days * DAY)))

    assert known(1) == ["eats soup in Lisbon"]
    assert known(6) == ["eats soup in Lisbon", "salmon soup"]
    assert known(11) == ["eats soup in Porto", "salmon soup"]
    assert sorted(shelf.texts("soup")) == ["eats soup in Porto", "salmon soup"]


# When a part fails


@pytest.mark.spec("V4", "X6")
def test_without_an_embedder_recall_is_by_words_alone_and_says_so(open_shelf: Open) -> None:
    shelf = open_shelf(None)
    shelf.hold(SOUP, BREAD, a_memory("vegetarian"), embed=False)
    recalled = shelf.recall("salmon", hybrid=False, small_set=0)

    assert texts(recalled) == ["salmon soup"]
    assert recalled.degraded == ("lexical only: no embedder is configured",)


@pytest.mark.spec("V4", "X6", "C-19")
@pytest.mark.parametrize(
    "error", [ProviderBusy("try later"), ModelMissing("no model here"), ProviderError("no")]
)
def test_an_embedder_that_fails_leaves_the_words_and_its_reason(
    open_shelf: Open, error: ProviderError
) -> None:
    embedder = FailingEmbedder(error, TopicEmbedder())
    shelf = open_shelf(embedder)
    shelf.hold(SOUP, BREAD, embed=False)
    failed = shelf.recall("salmon")
    embedder.heal()
    shelf.embed()
    healed = shelf.recall("salmon dinner")

    assert (texts(failed), failed.degraded) == (["salmon soup"], (f"lexical only: {error}",))
    assert (texts(healed), healed.degraded) == (["salmon soup", "rye bread"], ())


@pytest.mark.spec("V5", "TR-2", "X8")
@SCOPES
@pytest.mark.parametrize(
    "damage", ["DROP TABLE passages_fts", "DELETE FROM passages_fts_data", "DROP TABLE passages_fts_docsize"]
)
def test_a_broken_full_text_index_leaves_the_vectors_and_its_reason(
    shelf: Shelf, file: Path, damage: str, scope: Scope
) -> None:
    shelf.hold(SOUP, SHIP)
    damaged(file, damage)
    recalled = shelf.recall("salmon food", scope)

    assert texts(recalled) == ["salmon soup"]
    [reason] = recalled.degraded
    assert reason.startswith("dense only: ")


@pytest.mark.spec("X8")
@SCOPES
def test_broken_vectors_leave_the_words_and_their_reason(shelf: Shelf, file: Path, scope: Scope) -> None:
    shelf.hold(SOUP, SHIP)
    damaged(file, "DROP TABLE vectors")
    recalled = shelf.recall("salmon", scope, hybrid=False)

    assert texts(recalled) == ["salmon soup"]
    [reason] = recalled.degraded
    assert reason.startswith("lexical only: ")


# Read again


def test_what_a_cross_encoder_finds_to_answer_comes_first_and_the_receipt_says_why(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD)
    shelf.reranker = KnowingReranker("salad")
    first, *others = shelf.recall("soup for dinner", rerank=3, reread=2.0).kept

    assert first.candidate.text == "green salad"
    assert first.parts["reread"] == 1.0
    assert [r.parts["reread"] for r in others] == [0.0, 0.0]


def test_nothing_is_read_again_unless_it_is_asked_for(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD)
    shelf.reranker = KnowingReranker("salad")
    recalled = shelf.recall("soup for dinner")

    assert texts(recalled)[0] == "salmon soup"
    assert "reread_ms" not in recalled.timings


def test_what_is_not_read_again_in_time_keeps_its_score_and_the_receipt_says_so(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD)
    plain = {r.candidate.id: r.score for r in shelf.recall("soup for dinner").kept}
    shelf.reranker = reranker = KnowingReranker("nothing", most=1)
    recalled = shelf.recall("soup for dinner", rerank=3)

    assert reranker.asked == [("soup for dinner", 0.12)]
    assert {r.candidate.id: r.score for r in recalled.kept} == plain
    assert recalled.degraded == ("2 of 3 not read again in 120 ms",)


def test_a_cross_encoder_that_fails_changes_nothing_and_is_named(shelf: Shelf) -> None:
    shelf.hold(SOUP, BREAD, SALAD)
    plain = texts(shelf.recall("soup for dinner"))
    shelf.reranker = KnowingReranker("salad", error=ModelMissing("The weights are gone."))
    recalled = shelf.recall("soup for dinner", rerank=3)

    assert texts(recalled) == plain
    assert recalled.degraded == ("not read again: The weights are gone.",)


# A time that is named


def test_what_was_said_at_a_time_that_the_question_names_is_found_by_nothing_else(shelf: Shelf) -> None:
    march = replace(SHIP, created_at=MONDAY - 60 * DAY)
    question = f"what did we talk about on {march.created_at:%Y-%m-%d}?"
    shelf.hold(march, *(a_message(f"we did talk about it {n}") for n in range(30)))

    assert texts(shelf.recall(question, fetch=5, limit=2))[0] == SHIP.content
    assert shelf.recall(question, fetch=5, limit=2).sources["then"] == 1


def test_a_question_that_stays_in_its_chat_takes_nothing_of_that_time_from_another(shelf: Shelf) -> None:
    elsewhere = replace(SHIP, chat="garden", created_at=MONDAY - 60 * DAY)
    shelf.hold(elsewhere, SOUP)

    found = shelf.texts(f"soup on {elsewhere.created_at:%Y-%m-%d}?", HERE, reach="never")
    assert found == ["salmon soup"]


def test_words_shared_by_chance_count_less_than_those_the_question_is_made_of(shelf: Shelf) -> None:
    shelf.hold(SHIP, SOUP)
    [much, *_] = shelf.recall("ship sails at nine").kept
    [by_chance, *_] = shelf.recall("nine lighthouse keepers wrote letters about curious migrating birds").kept

    assert much.parts["lexical"] == 1.0
    assert by_chance.parts["lexical"] < 0.5
