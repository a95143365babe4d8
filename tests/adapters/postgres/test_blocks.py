"""Postings and codes in blocks: they answer as the arrays and the vectors do, and lose what is deleted."""

from dataclasses import replace

import numpy as np
import psycopg
import pytest

from recollect.adapters.postgres.postings import (
    COMMON_TERM_PASSAGES,
    FULL_BLOCK_ENTRIES,
    MAX_UNPOSTED_PASSAGES,
    term_hash,
)
from recollect.adapters.postgres.store import PostgresStore
from recollect.adapters.postgres.vector_codes import MIN_PACKED_VECTORS
from recollect.domain.candidate import Hit, SearchFilter, Source
from recollect.domain.memory import ChangeKind
from recollect.domain.scope import Scope
from recollect.ports.vector_math import unit_vector
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, an_id
from recollect.text.analyzer import query_terms

USER_SCOPE, CHAT_SCOPE = Scope(ANA), Scope(ANA, KITCHEN)
WORDS = ("soup", "salt", "saffron", "bread", "butter", "calculateTotal", "limões", "cooking")
MODEL, DIMENSION = "test", 40


def add_texts(store: PostgresStore, count: int, *, first: int = 0) -> None:
    random = np.random.default_rng(first)
    with store.transaction(ANA):
        for number in range(first, first + count):
            text = " ".join(random.choice(WORDS, size=int(random.integers(1, 12))))
            store.messages.add(a_message(text, id=an_id(str(number)), chat=f"chat {number % 2}"), ())


def search(store: PostgresStore, **fields: object) -> dict[tuple[str, str], list[Hit]]:
    found = {}
    for name, search_filter in (
        ("all", SearchFilter()),
        ("messages", SearchFilter(sources=frozenset({Source.MESSAGE}))),
        ("memories", SearchFilter(sources=frozenset({Source.MEMORY}))),
    ):
        for query in ("saffron soup", "limão", "cooked", "nothing of it", "butter total"):
            for scope in (USER_SCOPE, Scope(ANA, "chat 1")):
                found[f"{name} {scope.chat}", query] = store.search.lexical(
                    scope, query, limit=20, search_filter=search_filter
                )
    return found


def count(url: str, sql: str) -> int:
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL recollect.all_users = 'on'")
        row = connection.execute(sql).fetchone()
        assert row is not None
        return int(row[0])


def test_posted_passages_have_the_same_scores(store: PostgresStore, url: str) -> None:
    add_texts(store, MAX_UNPOSTED_PASSAGES - 2)
    store.memories.add(a_memory("likes saffron soup"))
    before = search(store)
    assert store.indexes.optimize() == 1
    assert search(store) == before

    add_texts(store, 3 * FULL_BLOCK_ENTRIES, first=1_000)
    store.indexes.optimize()
    unposted = count(url, "SELECT count(*) FROM passages WHERE NOT is_posted")
    blocks = count(url, "SELECT max(block) FROM postings")
    posted = search(store)
    store.indexes.rebuild("fulltext")

    assert (unposted, blocks > 1) == (0, True)
    assert search(store) == posted


def test_passages_are_posted_when_there_are_enough(store: PostgresStore, url: str) -> None:
    add_texts(store, MAX_UNPOSTED_PASSAGES + 1)

    assert count(url, "SELECT count(*) FROM passages WHERE NOT is_posted") == 1
    assert count(url, "SELECT unposted FROM passage_statistics") == 1


def test_deleted_and_edited_passages_leave_their_blocks(store: PostgresStore, url: str) -> None:
    add_texts(store, MAX_UNPOSTED_PASSAGES)
    memory, _ = store.memories.add(a_memory("likes xylophones"))
    only, other = (a_message(text, id=an_id(text)) for text in ("zither", "didgeridoo and soup"))
    for message in (only, other):
        store.messages.add(message, ())
    store.indexes.optimize()
    terms = count(url, "SELECT count(DISTINCT term) FROM postings")
    store.messages.delete(CHAT_SCOPE, only.id)
    store.messages.edit(CHAT_SCOPE, other.id, "Saffron", (), 1)
    store.erasure.erase_memory(USER_SCOPE, memory.id)

    # "likes" and "xylophones", "zither", "didgeridoo" and "and".
    assert count(url, "SELECT count(DISTINCT term) FROM postings") == terms - 5
    assert count(url, "SELECT count(*) FROM passages WHERE NOT is_posted") == 1
    assert store.indexes.repair() == 0
    assert all(check.ok for check in store.maintenance.check(deep=True) if check.fix is not None)
    store.erasure.erase_user(ANA)
    assert count(url, "SELECT count(*) FROM postings") == 0


def test_wrong_entries_are_found_and_repaired(store: PostgresStore, url: str) -> None:
    add_texts(store, MAX_UNPOSTED_PASSAGES)
    before = search(store)
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL recollect.all_users = 'on'")
        connection.execute("UPDATE postings SET passages = 1, entries = substring(entries FROM 1 FOR 8)")
    [found] = [check for check in store.maintenance.check(deep=True) if check.name == "index content"]

    assert not found.ok
    assert store.indexes.repair() > 0
    assert search(store) == before


def test_common_terms_return_the_newest_passages(store: PostgresStore, url: str) -> None:
    [forms] = query_terms("saffron")
    store.messages.add(a_message("saffron"), ())
    # Blocks as of that many other passages, which would take a minute to store.
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL recollect.all_users = 'on'")
        connection.execute(
            "INSERT INTO postings SELECT user_id, %s, n, no, no, %s, int8send(no << 16 | 1)"
            " FROM passages, generate_series(0, 99) n",
            (term_hash(ANA, forms[0]), COMMON_TERM_PASSAGES // 100),
        )
    alone = store.search.lexical(USER_SCOPE, "saffron", limit=5, search_filter=SearchFilter())

    assert len(alone) == 1


@pytest.fixture
def packed_store(store: PostgresStore) -> PostgresStore:
    """A store with more vectors than are compared exactly, of messages without words."""
    random = np.random.default_rng(7)
    with store.transaction(ANA):
        for number in range(MIN_PACKED_VECTORS):
            store.messages.add(a_message("?", id=an_id(str(number)), chat=f"chat {number % 50}"), ())
        store.memories.add(a_memory("likes soup"))
        while batch := store.vectors.queue(ANA, limit=1_000).passages:
            vectors = [unit_vector(random.standard_normal(DIMENSION).astype(np.float32)) for _ in batch]
            store.vectors.put(ANA, MODEL, list(zip(batch, vectors, strict=True)))
    return store


def rank_exactly(store: PostgresStore, query: object, **fields: object) -> list[int]:
    with store._database.reader(ANA) as db:
        rows = db.execute(
            "SELECT passage_no FROM vectors WHERE user_id = $1 ORDER BY embedding <#> $2::halfvec LIMIT 10",
            (ANA, str(list(query))),  # type: ignore[call-overload]
        ).fetchall()
    return [no for (no,) in rows]


def test_the_nearest_vectors_are_found_by_their_codes(packed_store: PostgresStore, url: str) -> None:
    random = np.random.default_rng(8)
    packed = count(url, "SELECT sum(vectors) FROM vector_blocks")
    queries = [unit_vector(random.standard_normal(DIMENSION).astype(np.float32)) for _ in range(5)]
    found = [
        [
            hit.passage_id
            for hit in packed_store.search.dense(
                USER_SCOPE, query, model=MODEL, limit=10, search_filter=SearchFilter()
            )
        ]
        for query in queries
    ]
    exact = [rank_exactly(packed_store, query) for query in queries]
    memories = packed_store.search.dense(
        USER_SCOPE, queries[0], model=MODEL, limit=10,
        search_filter=SearchFilter(sources=frozenset({Source.MEMORY})),
    )  # fmt: skip
    of_chat = packed_store.search.dense(
        Scope(ANA, "chat 7"), queries[0], model=MODEL, limit=100, search_filter=SearchFilter()
    )

    assert packed == MIN_PACKED_VECTORS + 1
    overlap = sum(len(set(a) & set(b)) for a, b in zip(found, exact, strict=True))
    assert overlap >= 45
    assert (len(memories), len(of_chat)) == (1, MIN_PACKED_VECTORS // 50)


def test_kept_codes_are_read_again_after_another_process_changed_them(
    packed_store: PostgresStore, url: str
) -> None:
    query = unit_vector(np.random.default_rng(9).standard_normal(DIMENSION).astype(np.float32))
    other = PostgresStore(url)

    def nearest() -> list[int]:
        hits = packed_store.search.dense(
            USER_SCOPE, query, model=MODEL, limit=10, search_filter=SearchFilter()
        )
        return [hit.passage_id for hit in hits]

    before = nearest()
    [candidate] = packed_store.search.load(USER_SCOPE, before[:1], search_filter=SearchFilter()).values()
    other.messages.delete(USER_SCOPE, candidate.id)
    after_deletion = nearest()
    other.messages.add(a_message("?", id=an_id("new")), ())
    [passage] = other.vectors.queue(ANA, limit=1).passages
    with pytest.raises(InterruptedError), other.transaction(ANA):  # noqa: PT012 - rolled back after a write
        other.vectors.put(ANA, MODEL, [(passage, query)])
        raise InterruptedError
    after_rollback = nearest()
    other.vectors.put(ANA, MODEL, [(passage, unit_vector(-np.asarray(query)))])
    other.vectors.put(ANA, MODEL, [(passage, query)])
    after_insertion = nearest()
    other.close()

    assert before[0] not in after_deletion
    assert after_deletion[:9] == before[1:] == after_rollback[:9]
    assert after_insertion[0] == passage.id
    assert after_insertion[1:] == after_deletion[:9]


def test_codes_leave_their_blocks_with_the_vectors(packed_store: PostgresStore, url: str) -> None:
    store = packed_store
    [memory] = store.memories.list(USER_SCOPE)
    store.messages.delete(USER_SCOPE, an_id("5"))
    store.chats.delete(Scope(ANA, "chat 7"))
    store.memories.save(replace(memory, text="likes salt"), ChangeKind.UPDATE)

    assert (
        count(url, "SELECT sum(vectors) FROM vector_blocks")
        == MIN_PACKED_VECTORS - 1 - MIN_PACKED_VECTORS // 50
    )
    assert count(url, "SELECT sum(vectors) FROM vector_blocks") == count(url, "SELECT count(*) FROM vectors")
    store.erasure.erase_user(ANA)
    assert count(url, "SELECT count(*) FROM vector_blocks") == 0
