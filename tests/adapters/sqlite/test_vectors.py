"""Quantized vectors: accuracy, and consistency of the caches with the table."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.adapters.sqlite.search import SqliteSearch
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.vector_cache import MAX_INT8_BYTES, VectorCache, VectorCaches
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import Scope
from recollect.ports.embedder import Vector
from recollect.ports.vector_math import cosine, unit_vector
from recollect.storage.passages import content_hash
from recollect.storage.quantization import _hamming_distances, pack_bits, quantize, smallest_distances
from recollect.testing.builders import ANA, KITCHEN, a_message, an_id

USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
MODEL_ID = "random"


def random_vectors(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    return _unit_rows(np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32))


def clustered_vectors(count: int, dimension: int, seed: int, topics: int = 40) -> NDArray[np.float32]:
    """Return vectors clustered around topics, like those of texts."""
    drawn = random_vectors(topics, dimension, seed=0)[np.arange(count) % topics]
    return _unit_rows(drawn + 0.8 * random_vectors(count, dimension, seed))


def _unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit_rows: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(
        np.float32
    )
    return unit_rows


def as_vector(values: NDArray[np.float32]) -> Vector:
    return array("f", values.tobytes())


def add_vectors(
    store: SqliteStore, vectors: NDArray[np.float32], *, user: str = ANA, name: str = ""
) -> list[int]:
    """Add one message per vector; return their passage numbers."""
    with store.transaction(ANA):
        for n in range(len(vectors)):
            store.messages.add(a_message(f"{name}{n}", user=user, id=an_id(user, name, str(n))), ())
        waiting = store.vectors.queue(user, limit=len(vectors)).passages
        store.vectors.put(user, MODEL_ID, [(p, as_vector(v)) for p, v in zip(waiting, vectors, strict=True)])
    return [passage.id for passage in waiting]


def nearest(
    store: SqliteStore, query: NDArray[np.float32], limit: int = 10, scope: Scope = USER_SCOPE
) -> list[int]:
    hits = store.search.dense(
        scope, as_vector(query), model=MODEL_ID, limit=limit, search_filter=SearchFilter()
    )
    return [hit.passage_id for hit in hits]


def exact_nearest(
    vectors: NDArray[np.float32], query: NDArray[np.float32], index_ids: Sequence[int]
) -> list[int]:
    return [index_ids[place] for place in np.argsort(-(vectors @ query), kind="stable")[:10]]


@pytest.mark.spec("E17", "C-15")
@settings(deadline=None)
@given(
    values=st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=400).filter(
        lambda v: any(abs(x) > 1e-3 for x in v)
    )
)
def test_the_quantization_error_is_at_most_half_a_step(values: list[float]) -> None:
    vector = unit_vector(values)
    scale, data = quantize(vector)
    back = np.frombuffer(data, dtype=np.int8) * scale

    assert len(data) == len(vector)
    assert np.abs(back - np.frombuffer(vector, dtype=np.float32)).max() <= scale / 2 * 1.001
    assert scale == pytest.approx(max(map(abs, vector)) / 127)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32), dimension=st.sampled_from([26, 256, 384, 768]))
def test_a_cosine_of_int8_vectors_is_close_to_the_exact_one(seed: int, dimension: int) -> None:
    one, other = random_vectors(2, dimension, seed)
    scale, data = quantize(as_vector(one))
    stored = float(np.frombuffer(data, dtype=np.int8).astype(np.float32) @ other) * scale

    assert stored == pytest.approx(cosine(as_vector(one), as_vector(other)), abs=0.01)


@pytest.mark.spec("C-15", "C-16", "E17")
@pytest.mark.parametrize("dimension", [384, 100])
@pytest.mark.parametrize("whole", [0, MAX_INT8_BYTES], ids=["as bits", "whole"])
def test_two_thousand_vectors_are_searched_as_well_as_floats(
    store: SqliteStore, dimension: int, whole: int
) -> None:
    store.search = SqliteSearch(store._database, VectorCaches(max_int8_bytes=whole))
    vectors = clustered_vectors(2000, dimension, seed=1)
    numbers = add_vectors(store, vectors)
    queries = clustered_vectors(40, dimension, seed=2)
    shared = sum(
        len(set(nearest(store, query)) & set(exact_nearest(vectors, query, numbers))) for query in queries
    )

    assert shared / (10 * len(queries)) >= 0.98


def test_up_to_512_vectors_the_order_is_exact_for_the_stored_int8_values(store: SqliteStore) -> None:
    vectors = random_vectors(500, 64, seed=3)
    numbers = add_vectors(store, vectors)
    stored = np.stack(
        [
            np.frombuffer(data, np.int8) * np.float32(scale)
            for scale, data in map(quantize, map(as_vector, vectors))
        ]
    )

    for query in random_vectors(20, 64, seed=4):
        assert nearest(store, query) == exact_nearest(stored.astype(np.float32), query, numbers)


def test_vectors_written_by_another_connection_are_found_by_the_next_query(
    store: SqliteStore, path: Path
) -> None:
    first, second = random_vectors(600, 64, seed=5), random_vectors(600, 64, seed=6)
    numbers = add_vectors(store, first, name="first ")
    assert nearest(store, second[0]) != []
    elsewhere = SqliteStore(path)
    later = add_vectors(elsewhere, second, name="second ")

    assert nearest(store, second[7], limit=1) == [later[7]]
    assert nearest(store, first[7], limit=1) == [numbers[7]]
    elsewhere.close()


def test_deleted_vectors_are_not_found_even_if_they_were_nearest(store: SqliteStore) -> None:
    crowd = random_vectors(1, 64, seed=7).repeat(1000, axis=0)
    others = random_vectors(20, 64, seed=8)
    add_vectors(store, crowd, name="crowd ")
    left = add_vectors(store, others, name="other ")
    nearest(store, crowd[0])
    with store.transaction(ANA):
        for n in range(1000):
            store.messages.delete(CHAT_SCOPE, an_id(ANA, "crowd ", str(n)))

    assert set(nearest(store, crowd[0], limit=20)) == set(left)
    assert nearest(store, others[3], limit=1) == [left[3]]


def test_a_replaced_vector_counts_once(store: SqliteStore) -> None:
    old, new = random_vectors(2, 64, seed=9)
    [number] = add_vectors(store, old[np.newaxis])
    nearest(store, old)
    [text] = [message.content for message in store.messages.list(USER_SCOPE)]
    store.vectors.enqueue_missing(ANA, "another model")
    [passage] = store.vectors.queue(ANA, limit=1).passages
    assert (passage.id, passage.text) == (number, text)
    store.vectors.put(ANA, MODEL_ID, [(passage, as_vector(new))])

    hits = store.search.dense(
        USER_SCOPE, as_vector(new), model=MODEL_ID, limit=9, search_filter=SearchFilter()
    )
    assert [(hit.passage_id, round(hit.score, 2)) for hit in hits] == [(number, 1.0)]


def test_each_user_has_a_separate_cache(store: SqliteStore) -> None:
    vectors = random_vectors(600, 64, seed=10)
    mine = add_vectors(store, vectors)
    theirs = add_vectors(store, vectors, user="bruno")

    assert nearest(store, vectors[5], limit=1) == [mine[5]]
    assert nearest(store, vectors[5], limit=1, scope=Scope("bruno")) == [theirs[5]]


def test_the_least_recently_used_cache_is_evicted_first(store: SqliteStore) -> None:
    for user in ("ana", "bruno", "carla"):
        add_vectors(store, random_vectors(100, 64, seed=11), user=user)
    db = store._database._writer
    shelves = VectorCaches(max_bytes=20_000)

    def ask(user_no: int) -> int:
        """Get a user's cache, fill it if it is empty, and return its previous size."""
        shelf = shelves.get(user_no, 1, 64)
        before = len(shelf.vectors.numbers)
        shelf.refresh(db, user_no, 1)
        return before

    assert [ask(1), ask(2), ask(1), ask(3), ask(1), ask(2)] == [0, 0, 100, 0, 100, 0]


def test_a_cache_above_its_limit_keeps_only_bits_and_finds_the_same(store: SqliteStore) -> None:
    vectors = clustered_vectors(900, 64, seed=12)
    add_vectors(store, vectors[:400])
    db = store._database._writer
    small, large = VectorCache(64, max_int8_bytes=500 * 64), VectorCache(64)
    for shelf in (small, large):
        shelf.refresh(db, 1, 1)
    assert small.vectors.int8 is not None
    add_vectors(store, vectors[400:], name="later ")
    for shelf in (small, large):
        shelf.refresh(db, 1, 1)

    coarse, exact = small.vectors, large.vectors
    assert coarse.int8 is None
    assert exact.int8 is not None
    for query in clustered_vectors(10, 64, seed=13):
        seeming = coarse.nearest(coarse.make_query(query, 0.5), limit=384, kinds=(0, 1, 2, 3), chats=None)
        nearest = exact.nearest(exact.make_query(query, 0.5), limit=10, kinds=(0, 1, 2, 3), chats=None)
        assert len(set(exact.numbers[nearest]) - set(coarse.numbers[seeming])) <= 1


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 20_000), words=st.integers(1, 8))
def test_the_smallest_hamming_distances_are_found(seed: int, size: int, words: int) -> None:
    rng = np.random.default_rng(seed)
    signs, question = rng.random((size, words * 64)) < 0.5, rng.random(words * 64) < 0.5
    distances = _hamming_distances(
        np.ascontiguousarray(pack_bits(signs, words).T), pack_bits(question, words)
    )
    limit = int(rng.integers(1, size + 1))
    positions = smallest_distances(distances, limit)

    assert distances.tolist() == (signs != question).sum(axis=1).tolist()
    assert len(set(positions.tolist())) == limit
    assert sorted(distances[positions].tolist()) == sorted(distances.tolist())[:limit]


def test_the_content_hash_is_a_signed_64_bit_integer() -> None:
    hashes = [content_hash(text) for text in ("", "soup", "Soup", "\ud800")]

    assert len(set(hashes)) == 4
    assert all(-(2**63) <= number < 2**63 for number in hashes)
