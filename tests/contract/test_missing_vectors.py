"""Which passages lack a vector of a model, so that one can move to another."""

import pytest

from recollect.domain.candidate import Passage
from recollect.ports.store import Store
from recollect.ports.vector_math import unit
from recollect.testing.builders import ANA, a_memory

OLD, NEW = "old", "new"
VECTOR = unit([1.0, 2.0])


@pytest.fixture
def passages(store: Store) -> list[Passage]:
    for text in ("is vegetarian", "rides a bicycle", "lives in Lisbon"):
        store.memories.add(a_memory(text))
    store.memories.add(a_memory("hates rain", user="bruno"))
    return store.vectors.missing(ANA, limit=10)


@pytest.mark.spec("T7")
def test_what_has_a_vector_of_another_model_only_is_lacking_one(
    store: Store, passages: list[Passage]
) -> None:
    first, second, third = passages
    store.vectors.put(ANA, OLD, [(first, VECTOR), (second, VECTOR)])
    store.vectors.put(ANA, NEW, [(second, VECTOR)])

    assert store.vectors.lacking(ANA, NEW, limit=10) == [first]
    assert store.vectors.lacks(ANA, NEW) == 2
    assert store.vectors.missing(ANA, limit=10) == [third]


def test_a_model_without_any_vectors_lacks_them_all(store: Store, passages: list[Passage]) -> None:
    store.vectors.put(ANA, OLD, [(each, VECTOR) for each in passages])

    assert store.vectors.lacking(ANA, "never heard of", limit=2) == passages[:2]
    assert store.vectors.lacks(ANA, "never heard of") == 3
    assert (store.vectors.lacks(ANA, OLD), store.vectors.lacking(ANA, OLD, limit=10)) == (0, [])
    assert store.vectors.lacks("nobody", OLD) == 0
