"""What any search must do: find by words and by meaning, in the right place, and nothing that is gone."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.candidate import Candidate, Hit, Reach, Source
from recollect.domain.memory import Change, Kind, Span, Standing
from recollect.domain.message import ChunkKind, Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import Refused
from recollect.ports.store import Store
from recollect.ports.vector_math import unit
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, an_id, chunks_of
from recollect.testing.clock import MONDAY
from recollect.testing.embedders import LetterEmbedder

EMBEDDER = LetterEmbedder()
EVERYWHERE = Scope(ANA)
HERE = Scope(ANA, KITCHEN)
GARDEN = Scope(ANA, "garden")
BRUNO = Scope("bruno")
ANYTHING = Reach()
HOUR = timedelta(hours=1)
SALT = a_message("Salmon soup with salt")
BREAD = a_message("Bread with butter", created_at=MONDAY + HOUR)
ROSES = a_message("Roses like salt water least", chat="garden", created_at=MONDAY + 2 * HOUR)


class Stop(Exception):
    """Something went wrong half-way."""


def said(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


def embedded(store: Store, *users: str, model: LetterEmbedder = EMBEDDER) -> None:
    """Give every passage that waits for one its vector."""
    for user in users or (ANA,):
        while batch := store.vectors.missing(user, limit=100):
            vectors = model.embed([passage.text for passage in batch])
            store.vectors.put(user, model.model_id, list(zip(batch, vectors, strict=True)))


def by_words(
    store: Store, query: str, *, scope: Scope = EVERYWHERE, reach: Reach = ANYTHING, limit: int = 20
) -> list[str]:
    return texts(store, store.search.lexical(scope, query, limit=limit, reach=reach), scope, reach)


def by_meaning(
    store: Store, query: str, *, scope: Scope = EVERYWHERE, reach: Reach = ANYTHING, limit: int = 20
) -> list[str]:
    vector = EMBEDDER.embed_query(query)
    hits = store.search.dense(scope, vector, model=EMBEDDER.model_id, limit=limit, reach=reach)
    return texts(store, hits, scope, reach)


def texts(store: Store, hits: Sequence[Hit], scope: Scope, reach: Reach) -> list[str]:
    """What stands behind hits, best first. Each of them must stand for something."""
    loaded = store.search.load(scope, [hit.passage for hit in hits], reach=reach)
    assert hits == sorted(hits, key=lambda hit: -hit.score)
    return [loaded[hit.passage].text for hit in hits]


CHANNELS = pytest.mark.parametrize("find", [by_words, by_meaning])
Find = Callable[..., list[str]]


# Words


@pytest.mark.spec("TR-6")
def test_who_shares_more_words_with_the_query_scores_higher_and_every_score_is_positive(store: Store) -> None:
    said(store, BREAD, SALT, a_message("Soup again"))
    hits = store.search.lexical(EVERYWHERE, "salmon soup", limit=9, reach=ANYTHING)

    assert texts(store, hits, EVERYWHERE, ANYTHING) == [SALT.content, "Soup again"]
    assert min(hit.score for hit in hits) > 0


def test_a_rare_word_counts_more_than_a_common_one(store: Store) -> None:
    said(store, *(a_message(f"Soup of day {n}") for n in range(9)), a_message("Saffron rice"))

    assert by_words(store, "soup saffron", limit=1) == ["Saffron rice"]


def test_a_hit_says_how_much_of_the_question_it_holds(store: Store) -> None:
    said(store, SALT, BREAD, a_message("Soup again"))
    hits = store.search.lexical(EVERYWHERE, "salmon soup for the lighthouse keeper", limit=9, reach=ANYTHING)

    assert [hit.covered for hit in hits] == [0.5, 0.25]


def test_a_word_in_a_short_text_counts_more_than_in_a_long_one(store: Store) -> None:
    said(store, a_message("Saffron and rice and fish and oil and onions and time"), a_message("Saffron rice"))

    assert by_words(store, "saffron", limit=1) == ["Saffron rice"]


@pytest.mark.spec("TR-1")
@pytest.mark.parametrize(
    "query",
    [
        "what's my name?", "state-of-the-art", "foo.bar", "C++", "a AND", "calculateTotal()", '"', "*", "NOT",
        "soup*", "NEAR(soup salt)", "content:soup", "soup OR", "^soup", "-soup", "{soup}", "' OR 1=1 --", "\x00",
        "\x1f", "1\x1fsoup", "", " ", "🍲", "\ud800", "soup " * 5000,
    ],
)  # fmt: skip
def test_any_text_is_a_valid_query(store: Store, query: str) -> None:
    said(store, SALT)

    found = by_words(store, query)
    assert found == ([SALT.content] if "soup" in query else [])


@pytest.mark.spec("TR-1")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=60))
def test_no_query_whatever_raises_or_reaches_another_user(store: Store, query: str) -> None:
    store.messages.add(
        a_message(f"bruno's secret {query}", user="bruno", id=an_id(query), client_id=query), ()
    )

    assert by_words(store, query) == []


@pytest.mark.spec("Y11")
def test_a_name_from_code_is_found_by_itself_and_by_its_parts(store: Store) -> None:
    said(store, a_message("function calculateTotal(items) adds the tax"), BREAD)

    for query in ("calculateTotal", "calculateTotal()", "CALCULATETOTAL", "calculate total"):
        assert by_words(store, query) == ["function calculateTotal(items) adds the tax"]


# Both channels


@CHANNELS
@pytest.mark.spec("E10")
def test_messages_chunks_and_memories_are_found_alike(store: Store, find: Find) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    store.memories.add(a_memory("salts salmon soup"))
    embedded(store)

    assert sorted(find(store, "salmon soup salt")) == [
        "Salmon soup ", "Salmon soup with salt", "salts salmon soup", "with salt",
    ]  # fmt: skip


@CHANNELS
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Source.MESSAGE, ["Salmon soup with salt"]),
        (Source.CHUNK, ["salmon soup"]),
        (Source.MEMORY, ["makes salmon soup"]),
        (Source.SUMMARY, []),
    ],
)
def test_only_the_sources_that_were_asked_for_are_looked_at(
    store: Store, find: Find, source: Source, expected: list[str]
) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    store.memories.add(a_memory("makes salmon soup"))
    embedded(store)

    assert find(store, "salmon soup", reach=Reach(sources=frozenset({source}))) == expected


@CHANNELS
@pytest.mark.spec("C-22", "A9")
def test_nobody_finds_what_somebody_else_said(store: Store, find: Find) -> None:
    said(store, SALT, a_message("Salmon soup, my way", user="bruno"))
    store.memories.add(a_memory("owns a salmon farm", user="bruno"))
    embedded(store, ANA, "bruno")

    assert find(store, "salmon soup farm") == [SALT.content]
    assert sorted(find(store, "salmon soup farm", scope=BRUNO)) == [
        "Salmon soup, my way",
        "owns a salmon farm",
    ]
    assert find(store, "salmon soup farm", scope=Scope("carla")) == []


@CHANNELS
@pytest.mark.spec("C-22")
def test_two_chats_of_the_same_name_are_two_chats_if_two_users_have_them(store: Store, find: Find) -> None:
    said(store, SALT, a_message("Salmon soup, my way", user="bruno"))
    embedded(store, ANA, "bruno")

    assert find(store, "salmon", scope=HERE) == [SALT.content]
    assert find(store, "salmon", scope=Scope("bruno", "garden")) == []


@CHANNELS
@pytest.mark.spec("C-22", "C-27")
def test_a_summary_is_found_in_its_chat_and_by_its_user_alone(store: Store, find: Find) -> None:
    for user, chat in ((ANA, KITCHEN), (ANA, "garden"), ("bruno", KITCHEN)):
        said(store, a_message("ok", user=user, chat=chat))
        store.summaries.add(
            Summary(
                id=an_id("summary", user, chat),
                user=user,
                chat=chat,
                kind=SummaryKind.CONVERSATION,
                text=f"Salmon in {user}'s {chat}",
                created_at=MONDAY,
            )
        )
    embedded(store, ANA, "bruno")
    summaries = Reach(sources=frozenset({Source.SUMMARY}))

    assert find(store, "salmon", scope=HERE, reach=summaries) == ["Salmon in ana's kitchen"]
    assert len(find(store, "salmon", reach=summaries)) == 2
    assert find(store, "salmon", scope=BRUNO, reach=summaries) == ["Salmon in bruno's kitchen"]
    assert find(store, "salmon", reach=replace(summaries, as_of=MONDAY - HOUR)) == []
    everything = range(100)
    loaded = store.search.load(BRUNO, everything, reach=summaries).values()
    assert [candidate.text for candidate in loaded] == ["Salmon in bruno's kitchen"]
    store.chats.delete(HERE)
    assert find(store, "salmon", reach=summaries) == ["Salmon in ana's garden"]


@CHANNELS
@pytest.mark.spec("C-27")
def test_a_scope_with_a_chat_looks_into_that_chat_alone(store: Store, find: Find) -> None:
    store.messages.add(SALT, chunks_of("salt soup"))
    said(store, ROSES)
    store.memories.add(a_memory("salts everything", chat=KITCHEN))
    embedded(store)

    assert sorted(find(store, "salt", scope=HERE)) == [SALT.content, "salt soup"]
    assert find(store, "salt", scope=GARDEN) == [ROSES.content]
    assert find(store, "salt", scope=Scope(ANA, "cellar")) == []


@CHANNELS
def test_a_reach_of_some_chats_means_the_most_recently_used_and_what_belongs_to_none(
    store: Store, find: Find
) -> None:
    said(
        store, *(a_message(f"Salt, day {n}", chat=f"day {n}", created_at=MONDAY + n * HOUR) for n in range(4))
    )
    store.memories.add(a_memory("salts everything"))
    said(store, a_message("Salt, much later", user="bruno", created_at=MONDAY + 99 * HOUR))
    embedded(store)

    assert sorted(find(store, "salt", reach=Reach(chats=2))) == [
        "Salt, day 2",
        "Salt, day 3",
        "salts everything",
    ]


@CHANNELS
def test_many_hits_in_older_chats_do_not_hide_those_in_the_recent_ones(store: Store, find: Find) -> None:
    said(store, *(a_message("Salt salt salt", id=an_id(str(n)), chat="old") for n in range(30)), ROSES)
    embedded(store)

    assert find(store, "salt", reach=Reach(chats=1), limit=3) == [ROSES.content]


@CHANNELS
@pytest.mark.spec("TR-4")
def test_an_edited_text_is_found_by_its_new_words_and_no_longer_by_its_old_ones(
    store: Store, find: Find
) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    embedded(store)
    store.messages.edit(HERE, SALT.id, "Onion broth", chunks_of("Onion ", "broth"), 2)

    assert by_words(store, "salmon soup salt") == by_meaning(store, "salmon soup salt") == []
    embedded(store)
    assert set(find(store, "onion broth")) == {"Onion broth", "Onion ", "broth"}


@pytest.mark.spec("V2", "TR-14", "TR-19")
def test_a_corrected_memory_loses_its_old_vector_and_waits_for_a_new_one_in_the_same_transaction(
    store: Store,
) -> None:
    memory, _ = store.memories.add(a_memory("is vegetarian"))
    embedded(store)

    def half_way() -> None:
        with store.transaction():
            store.memories.save(replace(memory, text="is vegan"), Change.UPDATE)
            assert (store.vectors.models(ANA), store.vectors.pending(ANA)) == ({}, 1)
            raise Stop

    with pytest.raises(Stop):
        half_way()
    assert by_meaning(store, "vegetarian") == by_words(store, "vegetarian") == ["is vegetarian"]
    store.memories.save(replace(memory, text="is vegan"), Change.UPDATE)
    assert by_meaning(store, "vegetarian") == by_words(store, "vegetarian") == []
    embedded(store)
    assert by_meaning(store, "vegan") == by_words(store, "vegan") == ["is vegan"]


@pytest.mark.spec("V3", "TR-4")
def test_a_deleted_message_is_found_by_neither_channel(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    said(store, ROSES)
    embedded(store)
    by_meaning(store, "salt")
    store.messages.delete(HERE, SALT.id)

    assert by_words(store, "salmon soup salt") == by_meaning(store, "salt") == [ROSES.content]
    assert store.vectors.models(ANA) == {"letters": 1}


@pytest.mark.spec("V3")
def test_a_deleted_chat_takes_all_its_passages_out_of_both_channels(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    said(store, ROSES, BREAD)
    embedded(store)
    said(store, a_message("Salt that waits"))
    store.chats.delete(HERE)

    assert by_words(store, "salmon salt") == by_meaning(store, "salt") == [ROSES.content]
    assert (store.vectors.models(ANA), store.vectors.pending(ANA)) == ({"letters": 1}, 0)


def test_an_erased_memory_is_found_by_neither_channel(store: Store) -> None:
    memory, _ = store.memories.add(a_memory("is vegetarian"))
    embedded(store)
    store.memories.erase(EVERYWHERE, memory.id)

    assert by_words(store, "vegetarian") == by_meaning(store, "vegetarian") == []
    assert (store.vectors.models(ANA), store.vectors.pending(ANA)) == ({}, 0)


@CHANNELS
@pytest.mark.spec("W3", "E10", "TR-5")
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
def test_what_nobody_said_is_never_found(store: Store, find: Find, role: Role) -> None:
    hidden = a_message("Always salt the salmon", role=role)
    store.messages.add(hidden, chunks_of("Always salt ", "the salmon"))
    said(store, a_message("ok", role=Role.ASSISTANT))
    store.messages.edit(HERE, hidden.id, "Salt the salmon twice", chunks_of("Salt it ", "twice"), 4)
    store.messages.judge(HERE, hidden.id, importance=100, summary="Salt.", kind=MessageType.DECISION)
    assert [passage.text for passage in store.vectors.missing(ANA, limit=9)] == ["ok"]
    embedded(store)
    for shadow in ("fulltext", "vectors"):
        store.upkeep.rebuild(shadow)
    embedded(store)

    assert "salmon" not in " ".join(find(store, "salt the salmon twice"))
    important = store.search.important(EVERYWHERE, limit=9, reach=ANYTHING)
    assert important == []


@CHANNELS
@pytest.mark.parametrize("standing", [s for s in Standing if s is not Standing.ACTIVE])
def test_only_active_memories_are_found(store: Store, find: Find, standing: Standing) -> None:
    store.memories.add(a_memory("is vegetarian"))
    store.memories.add(a_memory("was vegetarian", standing=standing))
    embedded(store)

    assert find(store, "vegetarian") == ["is vegetarian"]


@CHANNELS
def test_what_was_forgotten_does_not_stand_in_the_way_of_what_was_not(store: Store, find: Find) -> None:
    for n in range(40):
        gone, _ = store.memories.add(a_memory(f"tea tea tea {n}"))
        store.memories.save(replace(gone, standing=Standing.FORGOTTEN), Change.DELETE)
    store.memories.add(a_memory("drinks tea at five in the garden"))
    embedded(store)

    assert find(store, "tea", limit=5) == ["drinks tea at five in the garden"]


@CHANNELS
def test_what_was_forgotten_does_not_come_back_by_way_of_the_message_it_was_said_in(
    store: Store, find: Find
) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    span = Span(message_id=SALT.id, start=0, end=11)
    memory, _ = store.memories.add(a_memory("makes salmon soup", spans=(span,)))
    embedded(store)
    assert len(find(store, "salmon soup")) == 3
    store.memories.save(replace(memory, standing=Standing.FORGOTTEN), Change.DELETE)

    assert find(store, "salmon soup") == []


@CHANNELS
def test_the_importance_floor_and_the_kinds_leave_room_for_those_they_admit(store: Store, find: Find) -> None:
    for n in range(30):
        store.memories.add(a_memory(f"tea tea {n}", kind=Kind.EMO, weight=0.2))
    store.memories.add(a_memory("drinks tea at five", kind=Kind.PREF, weight=0.8))
    embedded(store)

    assert find(store, "tea", limit=3, reach=Reach(importance_floor=50)) == ["drinks tea at five"]
    assert find(store, "tea", limit=3, reach=Reach(kinds=frozenset({Kind.PREF}))) == ["drinks tea at five"]


@CHANNELS
def test_as_of_a_moment_is_found_what_was_said_by_then(store: Store, find: Find) -> None:
    store.messages.add(SALT, chunks_of("salt soup"))
    said(store, ROSES)
    embedded(store)

    assert sorted(find(store, "salt", reach=Reach(as_of=MONDAY + HOUR))) == [SALT.content, "salt soup"]
    assert find(store, "salt", reach=Reach(as_of=MONDAY - HOUR)) == []


@CHANNELS
def test_as_of_a_moment_is_found_what_was_true_then(store: Store, find: Find) -> None:
    moved = MONDAY + 10 * HOUR
    store.memories.add(a_memory("lives in Porto", standing=Standing.SUPERSEDED, valid_to=moved))
    store.memories.add(a_memory("lives in Lisboa", created_at=moved, valid_from=moved))
    store.memories.add(a_memory("lives in Atlantis", standing=Standing.FORGOTTEN))
    embedded(store)

    def at(reach: Reach) -> list[str]:
        return find(store, "lives in Porto Lisboa Atlantis", reach=reach)

    assert at(Reach(as_of=MONDAY + HOUR)) == ["lives in Porto"]
    assert at(Reach(as_of=moved)) == ["lives in Lisboa"]
    assert at(ANYTHING) == ["lives in Lisboa"]
    assert at(Reach(as_of=MONDAY - HOUR)) == []


def test_a_message_is_outdated_once_news_has_taken_the_place_of_what_it_says(store: Store) -> None:
    said(store, SALT, BREAD)
    span = Span(message_id=SALT.id, start=0, end=6)
    fact = a_memory("likes salt", spans=(span,), standing=Standing.SUPERSEDED)
    store.memories.add(fact)
    numbers = [passage.number for passage in store.vectors.missing(ANA, limit=9)]

    def outdated(reach: Reach) -> set[str]:
        loaded = store.search.load(EVERYWHERE, numbers, reach=reach)
        return {candidate.text for candidate in loaded.values() if candidate.outdated}

    assert outdated(ANYTHING) == {SALT.content}
    assert outdated(Reach(as_of=MONDAY + 9 * HOUR)) == set()


@CHANNELS
def test_what_another_writer_stored_is_found(
    store: Store, find: Find, open_store: Callable[[], Store]
) -> None:
    other = open_store()
    said(store, SALT)
    embedded(store)
    assert find(other, "salt") == [SALT.content]
    said(store, ROSES)
    embedded(store)
    store.messages.delete(HERE, SALT.id)

    assert find(other, "salt") == [ROSES.content]


@CHANNELS
def test_a_transaction_finds_what_it_has_written(store: Store, find: Find) -> None:
    said(store, BREAD)
    embedded(store)
    with store.transaction():
        said(store, SALT)
        embedded(store)

        assert find(store, "salmon soup with salt", limit=1) == [SALT.content]


@CHANNELS
def test_what_a_transaction_took_back_leaves_no_trace_in_later_searches(store: Store, find: Find) -> None:
    said(store, BREAD)
    embedded(store)

    def half_way() -> None:
        with store.transaction():
            said(store, a_message("Salt in the cellar", chat="cellar"))
            embedded(store)
            find(store, "salt")
            raise Stop

    with pytest.raises(Stop):
        half_way()
    said(store, ROSES)
    embedded(store)
    said(store, a_message("ok", chat="cellar"))
    assert find(store, "salt", scope=Scope(ANA, "cellar")) == []
    assert find(store, "roses like salt water least", limit=1) == [ROSES.content]


# Vectors


@pytest.mark.spec("C-15", "E17")
def test_a_cosine_is_a_cosine(store: Store) -> None:
    said(store, SALT)
    embedded(store)
    [hit] = store.search.dense(
        EVERYWHERE, EMBEDDER.embed_query(SALT.content), model="letters", limit=9, reach=ANYTHING
    )

    assert hit.score == pytest.approx(1.0, abs=0.01)


@pytest.mark.spec("C-16", "E17")
def test_vectors_of_other_models_are_never_compared(store: Store) -> None:
    said(store, SALT, BREAD)
    [salt, bread] = store.vectors.missing(ANA, limit=9)
    vector = EMBEDDER.embed_query(SALT.content)
    store.vectors.put(ANA, "letters", [(salt, vector)])
    store.vectors.put(ANA, "other letters", [(bread, vector)])

    def near(model: str) -> list[int]:
        hits = store.search.dense(EVERYWHERE, vector, model=model, limit=9, reach=ANYTHING)
        return [hit.passage for hit in hits]

    assert (near("letters"), near("other letters"), near("unknown")) == ([salt.number], [bread.number], [])
    numbers = [salt.number, bread.number]
    assert list(store.search.cosines(EVERYWHERE, numbers, vector, model="letters")) == [salt.number]
    assert store.vectors.models(ANA) == {"letters": 1, "other letters": 1}


def test_what_is_asked_in_one_moment_is_answered_as_of_it(store: Store) -> None:
    said(store, SALT)
    with ThreadPoolExecutor(1) as elsewhere, store.search.one_moment():
        before = by_words(store, "bread")
        elsewhere.submit(said, store, BREAD).result()
        meanwhile = by_words(store, "bread")

    assert (before, meanwhile, by_words(store, "bread")) == ([], [], [BREAD.content])


def test_a_moment_is_over_when_it_is_over_for_vectors_too(store: Store) -> None:
    said(store, SALT)
    embedded(store)
    with ThreadPoolExecutor(1) as elsewhere, store.search.one_moment():
        before = by_meaning(store, "bread")
        elsewhere.submit(said, store, BREAD).result()
        elsewhere.submit(embedded, store).result()
        meanwhile = by_meaning(store, "bread")
        with store.search.one_moment():
            within = by_meaning(store, "bread")
    after = by_meaning(store, BREAD.content)
    store.messages.delete(EVERYWHERE, BREAD.id)

    assert before == meanwhile == within == [SALT.content]
    assert after == [BREAD.content, SALT.content]
    assert by_meaning(store, BREAD.content) == [SALT.content]


def test_who_writes_in_one_moment_sees_it_and_who_fails_in_it_breaks_nothing(store: Store) -> None:
    def fail() -> None:
        with store.search.one_moment(), store.search.one_moment():
            by_words(store, "salmon")
            with store.transaction():
                said(store, SALT)
                seen.extend(by_words(store, "salmon"))
            raise Stop

    seen: list[str] = []
    with pytest.raises(Stop):
        fail()

    assert seen == by_words(store, "salmon") == [SALT.content]


def test_what_lies_in_the_middle_is_less_near_once_there_are_enough_to_have_one(store: Store) -> None:
    vector = EMBEDDER.embed_query("Salmon and roses")

    def nearness(middle: float) -> list[float]:
        hits = store.search.dense(
            EVERYWHERE, vector, model="letters", limit=200, reach=ANYTHING, middle=middle
        )
        looked_up = store.search.cosines(
            EVERYWHERE, [hit.passage for hit in hits], vector, model="letters", middle=middle
        )
        found = store.search.load(EVERYWHERE, looked_up, reach=ANYTHING, dense=looked_up)
        assert [hit.score for hit in hits] == pytest.approx(
            [looked_up[hit.passage] for hit in hits], abs=1e-5
        )
        return [c.dense or 0.0 for text in (SALT, ROSES) for c in found.values() if c.text == text.content]

    said(store, SALT, ROSES, *(a_message(f"Rose {number}", user="bea") for number in range(90)))
    embedded(store, ANA, "bea")
    few = nearness(0.0), nearness(0.5)
    said(store, *(a_message(f"Salmon soup with salt and rice {number}") for number in range(98)))
    embedded(store)
    [salt, roses], [salt_less, roses_less] = nearness(0.0), nearness(0.5)

    assert few[0] == pytest.approx(few[1])
    assert salt_less - roses_less < salt - roses - 0.02
    assert abs(roses_less - roses) < 0.1


@pytest.mark.spec("C-16")
def test_a_question_of_another_dimension_finds_nothing_and_breaks_nothing(store: Store) -> None:
    said(store, SALT)
    embedded(store)
    [hit] = store.search.lexical(EVERYWHERE, "salmon", limit=1, reach=ANYTHING)
    longer = unit([1.0] * 27)

    assert store.search.dense(EVERYWHERE, longer, model="letters", limit=9, reach=ANYTHING) == []
    assert store.search.cosines(EVERYWHERE, [hit.passage], longer, model="letters") == {}


@pytest.mark.spec("C-16")
def test_a_vector_of_another_dimension_than_its_models_is_refused(store: Store) -> None:
    said(store, SALT, BREAD)
    [salt, bread] = store.vectors.missing(ANA, limit=9)
    store.vectors.put(ANA, "letters", [(salt, EMBEDDER.embed_query(salt.text))])

    with pytest.raises(Refused, match="27"):
        store.vectors.put(ANA, "letters", [(bread, unit([1.0] * 27))])
    assert by_meaning(store, "salt") == [SALT.content]
    assert store.vectors.missing(ANA, limit=9) == [bread]


def test_cosines_are_given_for_the_passages_that_were_asked_for_and_have_a_vector(store: Store) -> None:
    said(store, SALT, BREAD)
    [salt, bread] = store.vectors.missing(ANA, limit=9)
    embedded(store)
    said(store, ROSES)
    [roses] = store.vectors.missing(ANA, limit=9)
    vector = EMBEDDER.embed_query(SALT.content)
    numbers = [salt.number, roses.number, 10**9]

    cosines = store.search.cosines(EVERYWHERE, numbers, vector, model="letters")
    assert cosines == {salt.number: pytest.approx(1.0, abs=0.01)}
    assert store.search.cosines(BRUNO, [bread.number], vector, model="letters") == {}


@pytest.mark.spec("T9", "T4")
def test_a_passage_waits_for_its_vector_until_it_has_one(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    store.memories.add(a_memory("salts soup"))
    waiting = store.vectors.missing(ANA, limit=9)

    assert sorted(passage.text for passage in waiting) == [
        "Salmon soup ", "Salmon soup with salt", "salts soup", "with salt",
    ]  # fmt: skip
    assert len(store.vectors.missing(ANA, limit=2)) == 2
    assert store.vectors.pending(ANA) == 4
    store.vectors.put(ANA, "letters", [(waiting[0], EMBEDDER.embed_query(waiting[0].text))])
    assert store.vectors.missing(ANA, limit=9) == waiting[1:]


def test_a_vector_for_a_text_that_changed_or_vanished_meanwhile_is_left_alone(store: Store) -> None:
    said(store, SALT, BREAD)
    batch = [(passage, EMBEDDER.embed_query(passage.text)) for passage in store.vectors.missing(ANA, limit=9)]
    store.messages.edit(HERE, SALT.id, "Onion broth", (), 2)
    store.messages.delete(HERE, BREAD.id)
    store.vectors.put(ANA, "letters", batch)

    assert store.vectors.models(ANA) == {}
    assert [passage.text for passage in store.vectors.missing(ANA, limit=9)] == ["Onion broth"]


@pytest.mark.spec("C-22")
def test_nobody_gives_a_vector_to_what_somebody_else_said(store: Store) -> None:
    said(store, SALT, a_message("Mine", user="bruno"))
    [salt] = store.vectors.missing(ANA, limit=9)
    store.vectors.put("bruno", "letters", [(salt, EMBEDDER.embed_query(salt.text))])

    assert store.vectors.models(ANA) == store.vectors.models("bruno") == {}
    assert (store.vectors.pending(ANA), store.vectors.pending("bruno")) == (1, 1)


def test_the_last_vector_of_a_passage_and_model_counts(store: Store) -> None:
    said(store, SALT)
    [salt] = store.vectors.missing(ANA, limit=9)
    for text in ("zzz", SALT.content):
        store.vectors.put(ANA, "letters", [(salt, EMBEDDER.embed_query(text))])

    assert store.vectors.models(ANA) == {"letters": 1}
    vector = EMBEDDER.embed_query(SALT.content)
    [hit] = store.search.dense(EVERYWHERE, vector, model="letters", limit=9, reach=ANYTHING)
    assert hit.score == pytest.approx(1.0, abs=0.01)


class NewLetters(LetterEmbedder):
    """Another space."""

    model_id = "new letters"


@pytest.mark.spec("U5")
def test_a_new_model_is_asked_for_and_the_old_one_serves_until_it_is_retired(store: Store) -> None:
    said(store, SALT, BREAD)
    embedded(store)

    assert store.vectors.request(ANA, "new letters") == 2
    assert store.vectors.pending(ANA) == 2
    assert by_meaning(store, "salt", limit=1) == [SALT.content]
    embedded(store, model=NewLetters())
    assert store.vectors.models(ANA) == {"letters": 2, "new letters": 2}
    assert store.vectors.request(ANA, "new letters") == 0
    assert store.vectors.retire(ANA, "letters") == 2
    assert by_meaning(store, "salt") == []
    assert store.vectors.models(ANA) == {"new letters": 2}


@pytest.mark.spec("C-22")
def test_every_user_waits_in_a_queue_of_their_own(store: Store) -> None:
    said(store, *(a_message(f"Mine, number {n}", user="bruno") for n in range(3)), SALT)
    assert [passage.text for passage in store.vectors.missing(ANA, limit=1)] == [SALT.content]
    embedded(store, ANA, "bruno")
    said(store, a_message("Mine, and waiting", user="bruno"))

    assert store.vectors.request(ANA, "new letters") == 1
    assert (store.vectors.pending(ANA), store.vectors.pending("bruno")) == (1, 1)
    assert (store.vectors.models(ANA), store.vectors.models("bruno")) == ({"letters": 1}, {"letters": 3})


@pytest.mark.spec("C-22")
def test_another_users_vectors_outlive_a_retired_model(store: Store) -> None:
    said(store, SALT, a_message("Salt of mine", user="bruno"))
    embedded(store, ANA, "bruno")

    assert store.vectors.retire(ANA, "letters") == 1
    assert by_meaning(store, "salt", scope=BRUNO) == ["Salt of mine"]


# Importance


def judged(store: Store, message: Message, importance: int) -> None:
    said(store, message)
    scope = Scope(message.user, message.chat)
    store.messages.judge(scope, message.id, importance=importance, summary=None, kind=MessageType.CHAT)


def test_the_most_important_come_first_then_the_newest(store: Store) -> None:
    judged(store, SALT, 80)
    judged(store, BREAD, 80)
    judged(store, ROSES, 0)
    said(store, a_message("Not judged yet"))
    store.memories.add(a_memory("is vegetarian", weight=0.9))
    store.memories.add(a_memory("smokes", standing=Standing.ARCHIVED))
    judged(store, a_message("Not mine", user="bruno"), 100)
    store.memories.add(a_memory("not mine either", user="bruno"))
    hits = store.search.important(EVERYWHERE, limit=9, reach=ANYTHING)

    assert texts(store, hits, EVERYWHERE, ANYTHING) == ["is vegetarian", BREAD.content, SALT.content]
    assert [hit.score for hit in hits] == pytest.approx([0.9, 0.8, 0.8])


@pytest.mark.parametrize(
    ("scope", "reach", "expected"),
    [
        (EVERYWHERE, Reach(importance_floor=85), ["is vegetarian"]),
        (EVERYWHERE, Reach(sources=frozenset({Source.MESSAGE})), [ROSES.content]),
        (EVERYWHERE, Reach(sources=frozenset({Source.MEMORY})), ["is vegetarian"]),
        (EVERYWHERE, Reach(chats=1), ["is vegetarian"]),
        (HERE, ANYTHING, [SALT.content]),
        (GARDEN, ANYTHING, [ROSES.content]),
    ],
)
def test_the_first_of_the_important_is_the_first_within_reach(
    store: Store, scope: Scope, reach: Reach, expected: list[str]
) -> None:
    judged(store, SALT, 70)
    judged(store, ROSES, 80)
    store.memories.add(a_memory("is vegetarian", weight=0.9))
    hits = store.search.important(scope, limit=1, reach=reach)

    assert texts(store, hits, scope, reach) == expected


# What stands behind a number


def test_a_candidate_says_where_it_comes_from(store: Store) -> None:
    code = replace(chunks_of("mix(flour)")[0], kind=ChunkKind.CODE, language="python")
    store.messages.add(replace(SALT, role=Role.ASSISTANT), [code])
    store.messages.judge(HERE, SALT.id, importance=40, summary="Soup.", kind=MessageType.CHAT)
    memory = a_memory("makes soup", chat=KITCHEN, kind=Kind.PREF, weight=0.5, seen_at=MONDAY + HOUR)
    store.memories.add(memory)
    numbers = [passage.number for passage in store.vectors.missing(ANA, limit=9)]
    loaded = store.search.load(EVERYWHERE, numbers, reach=ANYTHING).values()

    message = Candidate(
        source=Source.MESSAGE,
        id=SALT.id,
        text=SALT.content,
        created_at=MONDAY,
        seen_at=MONDAY,
        tokens=SALT.tokens,
        chat=KITCHEN,
        role=Role.ASSISTANT,
        importance=40,
        summary="Soup.",
        place=next(c.place for c in loaded if c.source is Source.MESSAGE),
    )
    chunk = message._replace(
        source=Source.CHUNK,
        id=f"{SALT.id}#0",
        parent=SALT.id,
        text="mix(flour)",
        tokens=code.tokens,
        chunk_kind=ChunkKind.CODE,
        summary=None,
    )
    fact = message._replace(
        source=Source.MEMORY,
        id=memory.id,
        text="makes soup",
        seen_at=MONDAY + HOUR,
        tokens=next(c.tokens for c in loaded if c.source is Source.MEMORY),
        role=Role.USER,
        kind=Kind.PREF,
        weight=0.5,
        importance=50,
        summary=None,
        place=None,
    )
    assert {candidate.source: candidate for candidate in loaded} == {
        Source.MESSAGE: message,
        Source.CHUNK: chunk,
        Source.MEMORY: fact,
    }


@pytest.mark.spec("C-22")
@pytest.mark.spec("K16")
def test_a_candidate_carries_what_each_channel_said(store: Store) -> None:
    said(store, SALT, BREAD, ROSES)
    salt, bread, roses = sorted(passage.number for passage in store.vectors.missing(ANA, limit=9))
    loaded = store.search.load(
        EVERYWHERE,
        [salt, bread, roses],
        reach=ANYTHING,
        dense={salt: 0.5, bread: 0.6},
        lexical={bread: 4.0, roses: 7.0},
    )

    assert {c.text: (c.dense, c.lexical) for c in loaded.values()} == {
        SALT.content: (0.5, None),
        BREAD.content: (0.6, 4.0),
        ROSES.content: (None, 7.0),
    }


def test_numbers_of_somebody_else_or_of_nothing_load_nothing(store: Store) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    store.memories.add(a_memory("makes soup"))
    said(store, a_message("Mine", user="bruno"))
    numbers = [passage.number for passage in store.vectors.missing(ANA, limit=9)]

    assert store.search.load(BRUNO, numbers, reach=ANYTHING) == {}
    assert store.search.load(EVERYWHERE, [10**9, 10**9 + 1, 10**9 + 2], reach=ANYTHING) == {}


@pytest.mark.parametrize(
    ("scope", "reach", "expected"),
    [
        (EVERYWHERE, ANYTHING, {"message", "chunk", "light memory", "heavy memory"}),
        (EVERYWHERE, Reach(sources=frozenset({Source.CHUNK})), {"chunk"}),
        (EVERYWHERE, Reach(importance_floor=50), {"message", "chunk", "heavy memory"}),
        (EVERYWHERE, Reach(kinds=frozenset({Kind.EMO})), {"message", "chunk", "light memory"}),
        (GARDEN, ANYTHING, set()),
    ],
)
def test_what_the_scope_or_the_reach_excludes_does_not_load(
    store: Store, scope: Scope, reach: Reach, expected: set[str]
) -> None:
    store.messages.add(a_message("message"), chunks_of("chunk"))
    store.memories.add(a_memory("light memory", kind=Kind.EMO, weight=0.2))
    store.memories.add(a_memory("heavy memory", kind=Kind.PREF, weight=0.9))
    numbers = [passage.number for passage in store.vectors.missing(ANA, limit=9)]
    loaded = store.search.load(scope, numbers, reach=reach)

    assert {candidate.text for candidate in loaded.values()} == expected


# The shadows


@CHANNELS
@pytest.mark.spec("U3", "X8")
def test_a_rebuilt_shadow_finds_what_the_old_one_found(store: Store, find: Find) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    said(store, BREAD)
    store.memories.add(a_memory("makes salmon soup"))
    embedded(store)
    before = find(store, "salmon soup")
    counts = [store.upkeep.rebuild(shadow) for shadow in ("fulltext", "vectors")]
    embedded(store)

    assert counts == [4, 4]
    assert find(store, "salmon soup") == before


@pytest.mark.spec("TR-12", "V1")
def test_a_store_that_is_well_has_nothing_to_sync(store: Store) -> None:
    said(store, SALT, BREAD)
    embedded(store)
    said(store, ROSES)

    assert store.upkeep.sync() == 0
    assert (store.vectors.models(ANA), store.vectors.pending(ANA)) == ({"letters": 2}, 1)
