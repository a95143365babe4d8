"""Store contract: passages without a vector of a model, for re-embedding."""

import pytest

from recollect.domain.candidate import Passage
from recollect.ports.store import Store
from recollect.ports.vector_math import unit_vector
from recollect.testing.builders import ANA, a_memory

OLD_MODEL, NEW_MODEL = "old", "new"
VECTOR = unit_vector([1.0, 2.0])


@pytest.fixture
def passages(store: Store) -> list[Passage]:
    for text in ("is vegetarian", "rides a bicycle", "lives in Lisbon"):
        store.memories.add(a_memory(text))
    store.memories.add(a_memory("hates rain", user="bruno"))
    return list(store.vectors.queue(ANA, limit=10).passages)


@pytest.mark.spec("T7")
def test_a_passage_with_a_vector_of_another_model_only_lacks_one(
    store: Store, passages: list[Passage]
) -> None:
    first, second, third = passages
    store.vectors.put(ANA, OLD_MODEL, [(first, VECTOR), (second, VECTOR)])
    store.vectors.put(ANA, NEW_MODEL, [(second, VECTOR)])

    assert store.vectors.passages_without_vector(ANA, NEW_MODEL, limit=10) == [first]
    assert store.vectors.count_without_vector(ANA, NEW_MODEL) == 2
    assert store.vectors.queue(ANA, limit=10).passages == [third]


def test_a_model_without_any_vectors_lacks_them_all(store: Store, passages: list[Passage]) -> None:
    store.vectors.put(ANA, OLD_MODEL, [(each, VECTOR) for each in passages])

    assert store.vectors.passages_without_vector(ANA, "never heard of", limit=2) == passages[:2]
    assert store.vectors.count_without_vector(ANA, "never heard of") == 3
    assert (
        store.vectors.count_without_vector(ANA, OLD_MODEL),
        store.vectors.passages_without_vector(ANA, OLD_MODEL, limit=10),
    ) == (0, [])
    assert store.vectors.count_without_vector("nobody", OLD_MODEL) == 0
