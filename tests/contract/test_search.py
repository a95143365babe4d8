"""Contract of search: lexical and dense, within scope and filter, and without deleted passages."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.stores import OpenStore

from recollect.domain.candidate import Candidate, Hit, SearchFilter, Source
from recollect.domain.memory import ChangeKind, Kind, MemoryStatus, SourceSpan
from recollect.domain.message import ChunkKind, Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.domain.search import CandidateBatch, CandidateRequest, DenseQuery, PassCandidates, SearchPass
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import Refused
from recollect.ports.store import IndexMaintenance, Store
from recollect.ports.vector_math import unit_vector
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, an_id, chunks_of
from recollect.testing.clock import MONDAY
from recollect.testing.embedders import LetterEmbedder

EMBEDDER = LetterEmbedder()
USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
GARDEN_SCOPE = Scope(ANA, "garden")
BRUNO_SCOPE = Scope("bruno")
NO_FILTER = SearchFilter()
HOUR = timedelta(hours=1)
SALT = a_message("Salmon soup with salt")
BREAD = a_message("Bread with butter", created_at=MONDAY + HOUR)
ROSES = a_message("Roses like salt water least", chat="garden", created_at=MONDAY + 2 * HOUR)


class RollbackError(Exception):
    """Raised to roll a transaction back."""


def add_messages(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


def embed_pending(store: Store, *users: str, model: LetterEmbedder = EMBEDDER) -> None:
    """Embed all queued passages."""
    for user in users or (ANA,):
        while batch := store.vectors.queue(user, limit=100).passages:
            vectors = model.embed([passage.text for passage in batch])
            store.vectors.put(user, model.model_id, list(zip(batch, vectors, strict=True)))


def search_lexical(
    store: Store,
    query: str,
    *,
    scope: Scope = USER_SCOPE,
    search_filter: SearchFilter = NO_FILTER,
    limit: int = 20,
) -> list[str]:
    return load_texts(
        store,
        store.search.lexical(scope, query, limit=limit, search_filter=search_filter),
        scope,
        search_filter,
    )


def search_dense(
    store: Store,
    query: str,
    *,
    scope: Scope = USER_SCOPE,
    search_filter: SearchFilter = NO_FILTER,
    limit: int = 20,
) -> list[str]:
    vector = EMBEDDER.embed_query(query)
    hits = store.search.dense(
        scope, vector, model=EMBEDDER.model_id, limit=limit, search_filter=search_filter
    )
    return load_texts(store, hits, scope, search_filter)


def load_texts(store: Store, hits: Sequence[Hit], scope: Scope, search_filter: SearchFilter) -> list[str]:
    """Return the texts of hits, best first; every hit must load."""
    loaded = store.search.load(scope, [hit.passage_id for hit in hits], search_filter=search_filter)
    assert hits == sorted(hits, key=lambda hit: -hit.score)
    return [loaded[hit.passage_id].text for hit in hits]


BOTH_CHANNELS = pytest.mark.parametrize("find", [search_lexical, search_dense])
SearchFunction = Callable[..., list[str]]


# Lexical search


@pytest.mark.spec("TR-6")
def test_passages_with_more_query_terms_score_higher_and_all_scores_are_positive(store: Store) -> None:
    add_messages(store, BREAD, SALT, a_message("Soup again"))
    hits = store.search.lexical(USER_SCOPE, "salmon soup", limit=9, search_filter=NO_FILTER)

    assert load_texts(store, hits, USER_SCOPE, NO_FILTER) == [SALT.content, "Soup again"]
    assert min(hit.score for hit in hits) > 0


def test_a_rare_term_scores_higher_than_a_common_one(store: Store) -> None:
    add_messages(store, *(a_message(f"Soup of day {n}") for n in range(9)), a_message("Saffron rice"))

    assert search_lexical(store, "soup saffron", limit=1) == ["Saffron rice"]


@pytest.mark.spec("C-22")
def test_scores_do_not_depend_on_the_texts_of_other_users(store: Store) -> None:
    add_messages(store, SALT, BREAD, ROSES)
    alone = {query: search_lexical(store, query) for query in ("salt", "bread", "salmon butter")}
    for user in ("bruno", "carla"):
        texts = ("Salt", "salt and salt and more salt " * 20, "bread", "butter")
        add_messages(
            store, *(a_message(text, user=user, id=an_id(f"{user} {n}")) for n, text in enumerate(texts))
        )
    store.memories.add(a_memory("likes salt", user="bruno"))
    among_others = {query: search_lexical(store, query) for query in alone}
    store.erasure.erase_user("bruno")

    assert all(alone.values())
    assert among_others == alone
    assert {query: search_lexical(store, query) for query in alone} == alone


def test_a_hit_has_its_query_coverage(store: Store) -> None:
    add_messages(store, SALT, BREAD, a_message("Soup again"))
    hits = store.search.lexical(
        USER_SCOPE, "salmon soup for the lighthouse keeper", limit=9, search_filter=NO_FILTER
    )

    assert [hit.query_coverage for hit in hits] == [0.5, 0.25]


def test_a_term_in_a_short_text_scores_higher_than_in_a_long_one(store: Store) -> None:
    add_messages(
        store, a_message("Saffron and rice and fish and oil and onions and time"), a_message("Saffron rice")
    )

    assert search_lexical(store, "saffron", limit=1) == ["Saffron rice"]


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
    add_messages(store, SALT)

    results = search_lexical(store, query)
    assert results == ([SALT.content] if "soup" in query else [])


@pytest.mark.spec("TR-1")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=60))
def test_no_query_raises_or_reaches_another_user(store: Store, query: str) -> None:
    store.messages.add(
        a_message(f"bruno's secret {query}", user="bruno", id=an_id(query), client_id=query), ()
    )

    assert search_lexical(store, query) == []


@pytest.mark.spec("Y11")
def test_an_identifier_is_found_whole_and_by_its_parts(store: Store) -> None:
    add_messages(store, a_message("function calculateTotal(items) adds the tax"), BREAD)

    for query in ("calculateTotal", "calculateTotal()", "CALCULATETOTAL", "calculate total"):
        assert search_lexical(store, query) == ["function calculateTotal(items) adds the tax"]


# Both channels


@BOTH_CHANNELS
@pytest.mark.spec("E10")
def test_messages_chunks_and_memories_are_found_alike(store: Store, find: SearchFunction) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    store.memories.add(a_memory("salts salmon soup"))
    embed_pending(store)

    assert sorted(find(store, "salmon soup salt")) == [
        "Salmon soup ", "Salmon soup with salt", "salts salmon soup", "with salt",
    ]  # fmt: skip


@BOTH_CHANNELS
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Source.MESSAGE, ["Salmon soup with salt"]),
        (Source.CHUNK, ["salmon soup"]),
        (Source.MEMORY, ["makes salmon soup"]),
        (Source.SUMMARY, []),
    ],
)
def test_only_the_requested_sources_are_searched(
    store: Store, find: SearchFunction, source: Source, expected: list[str]
) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    store.memories.add(a_memory("makes salmon soup"))
    embed_pending(store)

    assert find(store, "salmon soup", search_filter=SearchFilter(sources=frozenset({source}))) == expected


@BOTH_CHANNELS
@pytest.mark.spec("C-22", "A9")
def test_passages_of_other_users_are_never_found(store: Store, find: SearchFunction) -> None:
    add_messages(store, SALT, a_message("Salmon soup, my way", user="bruno"))
    store.memories.add(a_memory("owns a salmon farm", user="bruno"))
    embed_pending(store, ANA, "bruno")

    assert find(store, "salmon soup farm") == [SALT.content]
    assert sorted(find(store, "salmon soup farm", scope=BRUNO_SCOPE)) == [
        "Salmon soup, my way",
        "owns a salmon farm",
    ]
    assert find(store, "salmon soup farm", scope=Scope("carla")) == []


@BOTH_CHANNELS
@pytest.mark.spec("C-22")
def test_chats_of_two_users_with_the_same_id_are_separate(store: Store, find: SearchFunction) -> None:
    add_messages(store, SALT, a_message("Salmon soup, my way", user="bruno"))
    embed_pending(store, ANA, "bruno")

    assert find(store, "salmon", scope=CHAT_SCOPE) == [SALT.content]
    assert find(store, "salmon", scope=Scope("bruno", "garden")) == []


@BOTH_CHANNELS
@pytest.mark.spec("C-22", "C-27")
def test_a_summary_is_found_in_its_chat_by_its_user_only(store: Store, find: SearchFunction) -> None:
    for user, chat in ((ANA, KITCHEN), (ANA, "garden"), ("bruno", KITCHEN)):
        add_messages(store, a_message("ok", user=user, chat=chat))
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
    embed_pending(store, ANA, "bruno")
    summaries = SearchFilter(sources=frozenset({Source.SUMMARY}))

    assert find(store, "salmon", scope=CHAT_SCOPE, search_filter=summaries) == ["Salmon in ana's kitchen"]
    assert len(find(store, "salmon", search_filter=summaries)) == 2
    assert find(store, "salmon", scope=BRUNO_SCOPE, search_filter=summaries) == ["Salmon in bruno's kitchen"]
    assert find(store, "salmon", search_filter=replace(summaries, as_of=MONDAY - HOUR)) == []
    of_both = [
        hit.passage_id
        for scope in (USER_SCOPE, BRUNO_SCOPE)
        for hit in store.search.lexical(scope, "salmon", limit=20, search_filter=summaries)
    ]
    loaded = store.search.load(BRUNO_SCOPE, of_both, search_filter=summaries).values()
    assert len(of_both) == 3
    assert [candidate.text for candidate in loaded] == ["Salmon in bruno's kitchen"]
    store.chats.delete(CHAT_SCOPE)
    assert find(store, "salmon", search_filter=summaries) == ["Salmon in ana's garden"]


@BOTH_CHANNELS
@pytest.mark.spec("C-27")
def test_a_scope_with_a_chat_searches_only_that_chat(store: Store, find: SearchFunction) -> None:
    store.messages.add(SALT, chunks_of("salt soup"))
    add_messages(store, ROSES)
    store.memories.add(a_memory("salts everything", chat=KITCHEN))
    embed_pending(store)

    assert sorted(find(store, "salt", scope=CHAT_SCOPE)) == [SALT.content, "salt soup"]
    assert find(store, "salt", scope=GARDEN_SCOPE) == [ROSES.content]
    assert find(store, "salt", scope=Scope(ANA, "cellar")) == []


@BOTH_CHANNELS
def test_a_limit_of_recent_chats_includes_memories(store: Store, find: SearchFunction) -> None:
    add_messages(
        store, *(a_message(f"Salt, day {n}", chat=f"day {n}", created_at=MONDAY + n * HOUR) for n in range(4))
    )
    store.memories.add(a_memory("salts everything"))
    add_messages(store, a_message("Salt, much later", user="bruno", created_at=MONDAY + 99 * HOUR))
    embed_pending(store)

    assert sorted(find(store, "salt", search_filter=SearchFilter(max_recent_chats=2))) == [
        "Salt, day 2",
        "Salt, day 3",
        "salts everything",
    ]


@BOTH_CHANNELS
def test_many_hits_in_older_chats_do_not_hide_those_in_the_recent_ones(
    store: Store, find: SearchFunction
) -> None:
    add_messages(
        store, *(a_message("Salt salt salt", id=an_id(str(n)), chat="old") for n in range(30)), ROSES
    )
    embed_pending(store)

    assert find(store, "salt", search_filter=SearchFilter(max_recent_chats=1), limit=3) == [ROSES.content]


@BOTH_CHANNELS
@pytest.mark.spec("TR-4")
def test_an_edited_text_is_found_by_its_new_terms_only(store: Store, find: SearchFunction) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    embed_pending(store)
    store.messages.edit(CHAT_SCOPE, SALT.id, "Onion broth", chunks_of("Onion ", "broth"), 2)

    assert search_lexical(store, "salmon soup salt") == search_dense(store, "salmon soup salt") == []
    embed_pending(store)
    assert set(find(store, "onion broth")) == {"Onion broth", "Onion ", "broth"}


@pytest.mark.spec("V2", "TR-14", "TR-19")
def test_correcting_a_memory_deletes_its_vector_and_queues_it_in_the_same_transaction(
    store: Store,
) -> None:
    memory, _ = store.memories.add(a_memory("is vegetarian"))
    embed_pending(store)

    def write_and_fail() -> None:
        with store.transaction(ANA):
            store.memories.save(replace(memory, text="is vegan"), ChangeKind.UPDATE)
            assert (store.vectors.count_by_model(ANA), store.vectors.count_queued(ANA)) == ({}, 1)
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    assert search_dense(store, "vegetarian") == search_lexical(store, "vegetarian") == ["is vegetarian"]
    store.memories.save(replace(memory, text="is vegan"), ChangeKind.UPDATE)
    assert search_dense(store, "vegetarian") == search_lexical(store, "vegetarian") == []
    embed_pending(store)
    assert search_dense(store, "vegan") == search_lexical(store, "vegan") == ["is vegan"]


@pytest.mark.spec("V3", "TR-4")
def test_a_deleted_message_is_found_by_neither_channel(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    add_messages(store, ROSES)
    embed_pending(store)
    search_dense(store, "salt")
    store.messages.delete(CHAT_SCOPE, SALT.id)

    assert search_lexical(store, "salmon soup salt") == search_dense(store, "salt") == [ROSES.content]
    assert store.vectors.count_by_model(ANA) == {"letters": 1}


@pytest.mark.spec("V3")
def test_passages_of_a_deleted_chat_are_found_by_neither_channel(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    add_messages(store, ROSES, BREAD)
    embed_pending(store)
    add_messages(store, a_message("Salt that waits"))
    store.chats.delete(CHAT_SCOPE)

    assert search_lexical(store, "salmon salt") == search_dense(store, "salt") == [ROSES.content]
    assert (store.vectors.count_by_model(ANA), store.vectors.count_queued(ANA)) == ({"letters": 1}, 0)


def test_an_erased_memory_is_found_by_neither_channel(store: Store) -> None:
    memory, _ = store.memories.add(a_memory("is vegetarian"))
    embed_pending(store)
    store.memories.erase(USER_SCOPE, memory.id)

    assert search_lexical(store, "vegetarian") == search_dense(store, "vegetarian") == []
    assert (store.vectors.count_by_model(ANA), store.vectors.count_queued(ANA)) == ({}, 0)


@BOTH_CHANNELS
@pytest.mark.spec("W3", "E10", "TR-5")
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
def test_system_and_tool_messages_are_never_found(store: Store, find: SearchFunction, role: Role) -> None:
    hidden = a_message("Always salt the salmon", role=role)
    store.messages.add(hidden, chunks_of("Always salt ", "the salmon"))
    add_messages(store, a_message("ok", role=Role.ASSISTANT))
    store.messages.edit(CHAT_SCOPE, hidden.id, "Salt the salmon twice", chunks_of("Salt it ", "twice"), 4)
    store.messages.annotate(CHAT_SCOPE, hidden.id, importance=100, summary="Salt.", kind=MessageType.DECISION)
    assert [passage.text for passage in store.vectors.queue(ANA, limit=9).passages] == ["ok"]
    embed_pending(store)
    if store.indexes is not None:
        for shadow in ("fulltext", "vectors"):
            store.indexes.rebuild(shadow)
    embed_pending(store)

    assert "salmon" not in " ".join(find(store, "salt the salmon twice"))
    important = store.search.most_important(USER_SCOPE, limit=9, search_filter=NO_FILTER)
    assert important == []


@BOTH_CHANNELS
@pytest.mark.parametrize("status", [s for s in MemoryStatus if s is not MemoryStatus.ACTIVE])
def test_only_active_memories_are_found(store: Store, find: SearchFunction, status: MemoryStatus) -> None:
    store.memories.add(a_memory("is vegetarian"))
    store.memories.add(a_memory("was vegetarian", status=status))
    embed_pending(store)

    assert find(store, "vegetarian") == ["is vegetarian"]


@BOTH_CHANNELS
def test_forgotten_memories_do_not_displace_others(store: Store, find: SearchFunction) -> None:
    for n in range(40):
        gone, _ = store.memories.add(a_memory(f"tea tea tea {n}"))
        store.memories.save(replace(gone, status=MemoryStatus.FORGOTTEN), ChangeKind.DELETE)
    store.memories.add(a_memory("drinks tea at five in the garden"))
    embed_pending(store)

    assert find(store, "tea", limit=5) == ["drinks tea at five in the garden"]


@BOTH_CHANNELS
def test_a_forgotten_memory_hides_its_source_message(store: Store, find: SearchFunction) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    span = SourceSpan(message_id=SALT.id, start=0, end=11)
    memory, _ = store.memories.add(a_memory("makes salmon soup", spans=(span,)))
    embed_pending(store)
    assert len(find(store, "salmon soup")) == 3
    store.memories.save(replace(memory, status=MemoryStatus.FORGOTTEN), ChangeKind.DELETE)

    assert find(store, "salmon soup") == []


@BOTH_CHANNELS
def test_results_excluded_by_importance_or_kind_do_not_displace_others(
    store: Store, find: SearchFunction
) -> None:
    for n in range(30):
        store.memories.add(a_memory(f"tea tea {n}", kind=Kind.EMOTION, weight=0.2))
    store.memories.add(a_memory("drinks tea at five", kind=Kind.PREFERENCE, weight=0.8))
    embed_pending(store)

    assert find(store, "tea", limit=3, search_filter=SearchFilter(min_importance=50)) == [
        "drinks tea at five"
    ]
    assert find(store, "tea", limit=3, search_filter=SearchFilter(kinds=frozenset({Kind.PREFERENCE}))) == [
        "drinks tea at five"
    ]


@BOTH_CHANNELS
def test_as_of_finds_messages_up_to_that_time(store: Store, find: SearchFunction) -> None:
    store.messages.add(SALT, chunks_of("salt soup"))
    add_messages(store, ROSES)
    embed_pending(store)

    assert sorted(find(store, "salt", search_filter=SearchFilter(as_of=MONDAY + HOUR))) == [
        SALT.content,
        "salt soup",
    ]
    assert find(store, "salt", search_filter=SearchFilter(as_of=MONDAY - HOUR)) == []


@BOTH_CHANNELS
def test_as_of_finds_memories_valid_at_that_time(store: Store, find: SearchFunction) -> None:
    moved = MONDAY + 10 * HOUR
    store.memories.add(a_memory("lives in Porto", status=MemoryStatus.SUPERSEDED, valid_to=moved))
    store.memories.add(a_memory("lives in Lisboa", created_at=moved, valid_from=moved))
    store.memories.add(a_memory("lives in Atlantis", status=MemoryStatus.FORGOTTEN))
    embed_pending(store)

    def at(search_filter: SearchFilter) -> list[str]:
        return find(store, "lives in Porto Lisboa Atlantis", search_filter=search_filter)

    assert at(SearchFilter(as_of=MONDAY + HOUR)) == ["lives in Porto"]
    assert at(SearchFilter(as_of=moved)) == ["lives in Lisboa"]
    assert at(NO_FILTER) == ["lives in Lisboa"]
    assert at(SearchFilter(as_of=MONDAY - HOUR)) == []


def test_a_message_is_outdated_once_its_memory_is_superseded(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    span = SourceSpan(message_id=SALT.id, start=0, end=6)
    fact = a_memory("likes salt", spans=(span,), status=MemoryStatus.SUPERSEDED)
    store.memories.add(fact)
    numbers = [passage.id for passage in store.vectors.queue(ANA, limit=9).passages]

    def outdated(search_filter: SearchFilter) -> set[str]:
        loaded = store.search.load(USER_SCOPE, numbers, search_filter=search_filter)
        return {candidate.text for candidate in loaded.values() if candidate.outdated}

    assert outdated(NO_FILTER) == {SALT.content}
    assert outdated(SearchFilter(as_of=MONDAY + 9 * HOUR)) == set()


@BOTH_CHANNELS
def test_passages_of_another_writer_are_found(
    store: Store, find: SearchFunction, open_store: OpenStore
) -> None:
    other = open_store()
    add_messages(store, SALT)
    embed_pending(store)
    assert find(other, "salt") == [SALT.content]
    add_messages(store, ROSES)
    embed_pending(store)
    store.messages.delete(CHAT_SCOPE, SALT.id)

    assert find(other, "salt") == [ROSES.content]


@BOTH_CHANNELS
def test_a_transaction_finds_its_own_writes(store: Store, find: SearchFunction) -> None:
    add_messages(store, BREAD)
    embed_pending(store)
    with store.transaction(ANA):
        add_messages(store, SALT)
        embed_pending(store)

        assert find(store, "salmon soup with salt", limit=1) == [SALT.content]


@BOTH_CHANNELS
def test_rolled_back_writes_leave_no_trace_in_later_searches(store: Store, find: SearchFunction) -> None:
    add_messages(store, BREAD)
    embed_pending(store)

    def write_and_fail() -> None:
        with store.transaction(ANA):
            add_messages(store, a_message("Salt in the cellar", chat="cellar"))
            embed_pending(store)
            find(store, "salt")
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    add_messages(store, ROSES)
    embed_pending(store)
    add_messages(store, a_message("ok", chat="cellar"))
    assert find(store, "salt", scope=Scope(ANA, "cellar")) == []
    assert find(store, "roses like salt water least", limit=1) == [ROSES.content]


# Vectors


@pytest.mark.spec("C-15", "E17")
def test_a_cosine_is_a_cosine(store: Store) -> None:
    add_messages(store, SALT)
    embed_pending(store)
    [hit] = store.search.dense(
        USER_SCOPE, EMBEDDER.embed_query(SALT.content), model="letters", limit=9, search_filter=NO_FILTER
    )

    assert hit.score == pytest.approx(1.0, abs=0.01)


def test_the_most_valuable_passages_can_be_embedded_first(store: Store) -> None:
    """Memories, then the user's messages, then the rest; each newest first by date, whatever was stored first."""
    answer = a_message("Try rye bread", role=Role.ASSISTANT, created_at=MONDAY + 9 * HOUR)
    add_messages(store, ROSES, answer, SALT, BREAD)
    store.memories.add(a_memory("bakes bread"))
    ordered = [each.text for each in store.vectors.queue(ANA, limit=9, by_value=True).passages]

    assert ordered == ["bakes bread", ROSES.content, BREAD.content, SALT.content, "Try rye bread"]
    first = store.vectors.queue(ANA, limit=2, by_value=True).passages
    assert [each.text for each in first] == ordered[:2]


def test_chunks_are_as_valuable_as_their_message(store: Store) -> None:
    [chunk] = chunks_of("a chunk of it")
    answer = a_message("Try rye bread", role=Role.ASSISTANT, created_at=MONDAY + 9 * HOUR)
    add_messages(store, answer)
    store.messages.add(SALT, (chunk,))
    ordered = [each.text for each in store.vectors.queue(ANA, limit=9, by_value=True).passages]

    assert sorted(ordered[:2]) == sorted([chunk.content, SALT.content])
    assert ordered[2:] == [answer.content]


@pytest.mark.spec("C-16", "E17")
def test_vectors_of_other_models_are_never_compared(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    [salt, bread] = store.vectors.queue(ANA, limit=9).passages
    vector = EMBEDDER.embed_query(SALT.content)
    store.vectors.put(ANA, "letters", [(salt, vector)])
    store.vectors.put(ANA, "other letters", [(bread, vector)])

    def near(model: str) -> list[int]:
        hits = store.search.dense(USER_SCOPE, vector, model=model, limit=9, search_filter=NO_FILTER)
        return [hit.passage_id for hit in hits]

    assert (near("letters"), near("other letters"), near("unknown")) == ([salt.id], [bread.id], [])
    numbers = [salt.id, bread.id]
    assert list(store.search.cosines(USER_SCOPE, numbers, vector, model="letters")) == [salt.id]
    assert store.vectors.count_by_model(ANA) == {"letters": 1, "other letters": 1}


def test_searches_in_a_snapshot_see_one_state(store: Store) -> None:
    add_messages(store, SALT)
    with ThreadPoolExecutor(1) as elsewhere, store.search.snapshot():
        before = search_lexical(store, "bread")
        elsewhere.submit(add_messages, store, BREAD).result()
        meanwhile = search_lexical(store, "bread")

    assert (before, meanwhile, search_lexical(store, "bread")) == ([], [], [BREAD.content])


def test_vectors_are_current_after_a_snapshot_ends(store: Store) -> None:
    add_messages(store, SALT)
    embed_pending(store)
    with ThreadPoolExecutor(1) as elsewhere, store.search.snapshot():
        before = search_dense(store, "bread")
        elsewhere.submit(add_messages, store, BREAD).result()
        elsewhere.submit(embed_pending, store).result()
        meanwhile = search_dense(store, "bread")
        with store.search.snapshot():
            within = search_dense(store, "bread")
    after = search_dense(store, BREAD.content)
    store.messages.delete(USER_SCOPE, BREAD.id)

    assert before == meanwhile == within == [SALT.content]
    assert after == [BREAD.content, SALT.content]
    assert search_dense(store, BREAD.content) == [SALT.content]


def test_a_snapshot_sees_own_writes_and_survives_errors(store: Store) -> None:
    def fail() -> None:
        with store.search.snapshot(), store.search.snapshot():
            search_lexical(store, "salmon")
            with store.transaction(ANA):
                add_messages(store, SALT)
                texts.extend(search_lexical(store, "salmon"))
            raise RollbackError

    texts: list[str] = []
    with pytest.raises(RollbackError):
        fail()

    assert texts == search_lexical(store, "salmon") == [SALT.content]


def test_vectors_near_the_centroid_score_lower_given_enough_vectors(store: Store) -> None:
    vector = EMBEDDER.embed_query("Salmon and roses")

    def nearness(middle: float) -> list[float]:
        hits = store.search.dense(
            USER_SCOPE, vector, model="letters", limit=200, search_filter=NO_FILTER, centroid_penalty=middle
        )
        scores = store.search.cosines(
            USER_SCOPE, [hit.passage_id for hit in hits], vector, model="letters", centroid_penalty=middle
        )
        results = store.search.load(USER_SCOPE, scores, search_filter=NO_FILTER, dense=scores)
        assert [hit.score for hit in hits] == pytest.approx(
            [scores[hit.passage_id] for hit in hits], abs=1e-5
        )
        return [c.dense or 0.0 for text in (SALT, ROSES) for c in results.values() if c.text == text.content]

    add_messages(store, SALT, ROSES, *(a_message(f"Rose {number}", user="bea") for number in range(90)))
    embed_pending(store, ANA, "bea")
    few = nearness(0.0), nearness(0.5)
    add_messages(store, *(a_message(f"Salmon soup with salt and rice {number}") for number in range(98)))
    embed_pending(store)
    [salt, roses], [salt_less, roses_less] = nearness(0.0), nearness(0.5)

    assert few[0] == pytest.approx(few[1])
    assert salt_less - roses_less < salt - roses - 0.02
    assert abs(roses_less - roses) < 0.1


@pytest.mark.spec("C-16")
def test_a_query_vector_of_another_dimension_finds_nothing(store: Store) -> None:
    add_messages(store, SALT)
    embed_pending(store)
    [hit] = store.search.lexical(USER_SCOPE, "salmon", limit=1, search_filter=NO_FILTER)
    longer = unit_vector([1.0] * 27)

    assert store.search.dense(USER_SCOPE, longer, model="letters", limit=9, search_filter=NO_FILTER) == []
    assert store.search.cosines(USER_SCOPE, [hit.passage_id], longer, model="letters") == {}


@pytest.mark.spec("C-16")
def test_a_vector_of_another_dimension_than_its_models_is_refused(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    [salt, bread] = store.vectors.queue(ANA, limit=9).passages
    store.vectors.put(ANA, "letters", [(salt, EMBEDDER.embed_query(salt.text))])

    with pytest.raises(Refused, match="27"):
        store.vectors.put(ANA, "letters", [(bread, unit_vector([1.0] * 27))])
    assert search_dense(store, "salt") == [SALT.content]
    assert store.vectors.queue(ANA, limit=9).passages == [bread]


def test_cosines_are_returned_for_requested_passages_with_a_vector(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    [salt, bread] = store.vectors.queue(ANA, limit=9).passages
    embed_pending(store)
    add_messages(store, ROSES)
    [roses] = store.vectors.queue(ANA, limit=9).passages
    vector = EMBEDDER.embed_query(SALT.content)
    numbers = [salt.id, roses.id, 10**9]

    cosines = store.search.cosines(USER_SCOPE, numbers, vector, model="letters")
    assert cosines == {salt.id: pytest.approx(1.0, abs=0.01)}
    assert store.search.cosines(BRUNO_SCOPE, [bread.id], vector, model="letters") == {}


@pytest.mark.spec("T9", "T4")
def test_a_passage_is_queued_until_it_has_a_vector(store: Store) -> None:
    store.messages.add(SALT, chunks_of("Salmon soup ", "with salt"))
    store.memories.add(a_memory("salts soup"))
    waiting = store.vectors.queue(ANA, limit=9).passages

    assert sorted(passage.text for passage in waiting) == [
        "Salmon soup ", "Salmon soup with salt", "salts soup", "with salt",
    ]  # fmt: skip
    assert len(store.vectors.queue(ANA, limit=2).passages) == 2
    assert store.vectors.count_queued(ANA) == 4
    store.vectors.put(ANA, "letters", [(waiting[0], EMBEDDER.embed_query(waiting[0].text))])
    assert store.vectors.queue(ANA, limit=9).passages == waiting[1:]


def test_a_vector_of_a_changed_or_deleted_text_is_not_stored(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    batch = [
        (passage, EMBEDDER.embed_query(passage.text))
        for passage in store.vectors.queue(ANA, limit=9).passages
    ]
    store.messages.edit(CHAT_SCOPE, SALT.id, "Onion broth", (), 2)
    store.messages.delete(CHAT_SCOPE, BREAD.id)
    store.vectors.put(ANA, "letters", batch)

    assert store.vectors.count_by_model(ANA) == {}
    assert [passage.text for passage in store.vectors.queue(ANA, limit=9).passages] == ["Onion broth"]


@pytest.mark.spec("C-22")
def test_a_vector_for_a_passage_of_another_user_is_not_stored(store: Store) -> None:
    add_messages(store, SALT, a_message("Mine", user="bruno"))
    [salt] = store.vectors.queue(ANA, limit=9).passages
    store.vectors.put("bruno", "letters", [(salt, EMBEDDER.embed_query(salt.text))])

    assert store.vectors.count_by_model(ANA) == store.vectors.count_by_model("bruno") == {}
    assert (store.vectors.count_queued(ANA), store.vectors.count_queued("bruno")) == (1, 1)


def test_a_new_vector_replaces_the_previous_one_of_its_model(store: Store) -> None:
    add_messages(store, SALT)
    [salt] = store.vectors.queue(ANA, limit=9).passages
    for text in ("zzz", SALT.content):
        store.vectors.put(ANA, "letters", [(salt, EMBEDDER.embed_query(text))])

    assert store.vectors.count_by_model(ANA) == {"letters": 1}
    vector = EMBEDDER.embed_query(SALT.content)
    [hit] = store.search.dense(USER_SCOPE, vector, model="letters", limit=9, search_filter=NO_FILTER)
    assert hit.score == pytest.approx(1.0, abs=0.01)


class OtherModelEmbedder(LetterEmbedder):
    """An embedder with another model id."""

    model_id = "new letters"


@pytest.mark.spec("U5")
def test_the_old_model_is_searchable_until_its_vectors_are_deleted(store: Store) -> None:
    add_messages(store, SALT, BREAD)
    embed_pending(store)

    assert store.vectors.enqueue_missing(ANA, "new letters") == 2
    assert store.vectors.count_queued(ANA) == 2
    assert search_dense(store, "salt", limit=1) == [SALT.content]
    embed_pending(store, model=OtherModelEmbedder())
    assert store.vectors.count_by_model(ANA) == {"letters": 2, "new letters": 2}
    assert store.vectors.enqueue_missing(ANA, "new letters") == 0
    assert store.vectors.delete_model(ANA, "letters") == 2
    assert search_dense(store, "salt") == []
    assert store.vectors.count_by_model(ANA) == {"new letters": 2}


@pytest.mark.spec("C-22")
def test_every_user_has_a_separate_embedding_queue(store: Store) -> None:
    add_messages(store, *(a_message(f"Mine, number {n}", user="bruno") for n in range(3)), SALT)
    assert [passage.text for passage in store.vectors.queue(ANA, limit=1).passages] == [SALT.content]
    embed_pending(store, ANA, "bruno")
    add_messages(store, a_message("Mine, and waiting", user="bruno"))

    assert store.vectors.enqueue_missing(ANA, "new letters") == 1
    assert (store.vectors.count_queued(ANA), store.vectors.count_queued("bruno")) == (1, 1)
    assert (store.vectors.count_by_model(ANA), store.vectors.count_by_model("bruno")) == (
        {"letters": 1},
        {"letters": 3},
    )


@pytest.mark.spec("C-22")
def test_deleting_a_model_keeps_the_vectors_of_other_users(store: Store) -> None:
    add_messages(store, SALT, a_message("Salt of mine", user="bruno"))
    embed_pending(store, ANA, "bruno")

    assert store.vectors.delete_model(ANA, "letters") == 1
    assert search_dense(store, "salt", scope=BRUNO_SCOPE) == ["Salt of mine"]


# Importance


def set_importance(store: Store, message: Message, importance: int) -> None:
    add_messages(store, message)
    scope = Scope(message.user, message.chat)
    store.messages.annotate(scope, message.id, importance=importance, summary=None, kind=MessageType.CHAT)


def test_the_most_important_come_first_then_the_newest(store: Store) -> None:
    set_importance(store, SALT, 80)
    set_importance(store, BREAD, 80)
    set_importance(store, ROSES, 0)
    add_messages(store, a_message("Not judged yet"))
    store.memories.add(a_memory("is vegetarian", weight=0.9))
    store.memories.add(a_memory("smokes", status=MemoryStatus.ARCHIVED))
    set_importance(store, a_message("Not mine", user="bruno"), 100)
    store.memories.add(a_memory("not mine either", user="bruno"))
    hits = store.search.most_important(USER_SCOPE, limit=9, search_filter=NO_FILTER)

    assert load_texts(store, hits, USER_SCOPE, NO_FILTER) == ["is vegetarian", BREAD.content, SALT.content]
    assert [hit.score for hit in hits] == pytest.approx([0.9, 0.8, 0.8])


@pytest.mark.parametrize(
    ("scope", "search_filter", "expected"),
    [
        (USER_SCOPE, SearchFilter(min_importance=85), ["is vegetarian"]),
        (USER_SCOPE, SearchFilter(sources=frozenset({Source.MESSAGE})), [ROSES.content]),
        (USER_SCOPE, SearchFilter(sources=frozenset({Source.MEMORY})), ["is vegetarian"]),
        (USER_SCOPE, SearchFilter(max_recent_chats=1), ["is vegetarian"]),
        (CHAT_SCOPE, NO_FILTER, [SALT.content]),
        (GARDEN_SCOPE, NO_FILTER, [ROSES.content]),
    ],
)
def test_the_most_important_passages_respect_the_filter(
    store: Store, scope: Scope, search_filter: SearchFilter, expected: list[str]
) -> None:
    set_importance(store, SALT, 70)
    set_importance(store, ROSES, 80)
    store.memories.add(a_memory("is vegetarian", weight=0.9))
    hits = store.search.most_important(scope, limit=1, search_filter=search_filter)

    assert load_texts(store, hits, scope, search_filter) == expected


# Loading candidates


def test_a_candidate_has_its_source(store: Store) -> None:
    code = replace(chunks_of("mix(flour)")[0], kind=ChunkKind.CODE, language="python")
    store.messages.add(replace(SALT, role=Role.ASSISTANT), [code])
    store.messages.annotate(CHAT_SCOPE, SALT.id, importance=40, summary="Soup.", kind=MessageType.CHAT)
    memory = a_memory(
        "makes soup", chat=KITCHEN, kind=Kind.PREFERENCE, weight=0.5, last_stated_at=MONDAY + HOUR
    )
    store.memories.add(memory)
    numbers = [passage.id for passage in store.vectors.queue(ANA, limit=9).passages]
    loaded = store.search.load(USER_SCOPE, numbers, search_filter=NO_FILTER).values()

    message = Candidate(
        source=Source.MESSAGE,
        id=SALT.id,
        text=SALT.content,
        created_at=MONDAY,
        last_stated_at=MONDAY,
        tokens=SALT.tokens,
        chat=KITCHEN,
        role=Role.ASSISTANT,
        importance=40,
        summary="Soup.",
        position=next(c.position for c in loaded if c.source is Source.MESSAGE),
    )
    chunk = message._replace(
        source=Source.CHUNK,
        id=f"{SALT.id}#0",
        parent_id=SALT.id,
        text="mix(flour)",
        tokens=code.tokens,
        chunk_kind=ChunkKind.CODE,
        summary=None,
    )
    fact = message._replace(
        source=Source.MEMORY,
        id=memory.id,
        text="makes soup",
        last_stated_at=MONDAY + HOUR,
        tokens=next(c.tokens for c in loaded if c.source is Source.MEMORY),
        version=1,
        role=Role.USER,
        kind=Kind.PREFERENCE,
        weight=0.5,
        importance=50,
        summary=None,
        position=None,
    )
    assert {candidate.source: candidate for candidate in loaded} == {
        Source.MESSAGE: message,
        Source.CHUNK: chunk,
        Source.MEMORY: fact,
    }


@pytest.mark.spec("C-22")
@pytest.mark.spec("K16")
def test_a_candidate_has_the_scores_of_both_channels(store: Store) -> None:
    add_messages(store, SALT, BREAD, ROSES)
    salt, bread, roses = sorted(passage.id for passage in store.vectors.queue(ANA, limit=9).passages)
    loaded = store.search.load(
        USER_SCOPE,
        [salt, bread, roses],
        search_filter=NO_FILTER,
        dense={salt: 0.5, bread: 0.6},
        lexical={bread: 4.0, roses: 7.0},
    )

    assert {c.text: (c.dense, c.lexical) for c in loaded.values()} == {
        SALT.content: (0.5, None),
        BREAD.content: (0.6, 4.0),
        ROSES.content: (None, 7.0),
    }


def test_passage_numbers_of_other_users_or_missing_rows_load_nothing(store: Store) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    store.memories.add(a_memory("makes soup"))
    add_messages(store, a_message("Mine", user="bruno"))
    numbers = [passage.id for passage in store.vectors.queue(ANA, limit=9).passages]

    assert store.search.load(BRUNO_SCOPE, numbers, search_filter=NO_FILTER) == {}
    assert store.search.load(USER_SCOPE, [10**9, 10**9 + 1, 10**9 + 2], search_filter=NO_FILTER) == {}


@pytest.mark.parametrize(
    ("scope", "search_filter", "expected"),
    [
        (USER_SCOPE, NO_FILTER, {"message", "chunk", "light memory", "heavy memory"}),
        (USER_SCOPE, SearchFilter(sources=frozenset({Source.CHUNK})), {"chunk"}),
        (USER_SCOPE, SearchFilter(min_importance=50), {"message", "chunk", "heavy memory"}),
        (USER_SCOPE, SearchFilter(kinds=frozenset({Kind.EMOTION})), {"message", "chunk", "light memory"}),
        (GARDEN_SCOPE, NO_FILTER, set()),
    ],
)
def test_passages_excluded_by_scope_or_filter_are_not_loaded(
    store: Store, scope: Scope, search_filter: SearchFilter, expected: set[str]
) -> None:
    store.messages.add(a_message("message"), chunks_of("chunk"))
    store.memories.add(a_memory("light memory", kind=Kind.EMOTION, weight=0.2))
    store.memories.add(a_memory("heavy memory", kind=Kind.PREFERENCE, weight=0.9))
    numbers = [passage.id for passage in store.vectors.queue(ANA, limit=9).passages]
    loaded = store.search.load(scope, numbers, search_filter=search_filter)

    assert {candidate.text for candidate in loaded.values()} == expected


# Derived indexes


@BOTH_CHANNELS
@pytest.mark.spec("U3", "X8")
def test_a_rebuilt_index_finds_the_same(
    store: Store, indexes: IndexMaintenance, find: SearchFunction
) -> None:
    store.messages.add(SALT, chunks_of("salmon soup"))
    add_messages(store, BREAD)
    store.memories.add(a_memory("makes salmon soup"))
    embed_pending(store)
    before = find(store, "salmon soup")
    counts = [indexes.rebuild(shadow) for shadow in ("fulltext", "vectors")]
    embed_pending(store)

    assert counts == [4, 4]
    assert find(store, "salmon soup") == before


@pytest.mark.spec("TR-12", "V1")
def test_a_consistent_store_needs_no_repair(store: Store, indexes: IndexMaintenance) -> None:
    add_messages(store, SALT, BREAD)
    embed_pending(store)
    add_messages(store, ROSES)

    assert indexes.repair() == 0
    assert (store.vectors.count_by_model(ANA), store.vectors.count_queued(ANA)) == ({"letters": 2}, 1)


def test_all_memories_are_candidates_with_the_hits_if_they_are_few(store: Store) -> None:
    add_messages(store, SALT)
    for text in ("likes salt", "has a dog"):
        store.memories.add(a_memory(text))
    embed_pending(store)
    passes = tuple(
        SearchPass(scope=scope, search_filter=SearchFilter(sources=frozenset(sources)))
        for scope, sources in ((CHAT_SCOPE, {Source.MESSAGE}), (Scope(ANA), {Source.MEMORY}))
    )
    request = CandidateRequest(
        scope=CHAT_SCOPE,
        dense=DenseQuery(vector=EMBEDDER.embed_query("salt"), model=EMBEDDER.model_id),
        passes=passes,
        lexical_hits=store.search.lexical_hits("salt", passes, limit=1),
        limit=1,
        max_all_memories=2,
    )

    batch = store.search.candidates(request)
    assert [[each.text for each in part.candidates] for part in batch.passes] == [
        [SALT.content],
        ["likes salt"],
    ]
    assert {each.text for each in batch.all_memories} == {"likes salt", "has a dog"}
    assert store.search.candidates(replace(request, max_all_memories=1)).all_memories == ()


def test_memories_without_consent_are_no_candidates(store: Store) -> None:
    store.consents.set(Scope(ANA), "emotion", granted=False, now=MONDAY)
    store.memories.add(a_memory("is sad", kind=Kind.EMOTION))
    everything = SearchPass(scope=Scope(ANA), search_filter=SearchFilter())
    request = CandidateRequest(
        scope=Scope(ANA),
        dense=None,
        passes=(everything,),
        lexical_hits=[[]],
        limit=5,
        max_all_memories=9,
    )

    assert store.search.candidates(request) == CandidateBatch(passes=(PassCandidates(),))
