"""What the user said of what was recalled is kept until what it is about goes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.feedback import Opinion
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, a_receipt, chunks_of
from recollect.testing.clock import MONDAY

MINE = Scope(ANA)
MEMORY = a_memory("is vegetarian")
MESSAGE = a_message("The soup needs saffron")


def an_opinion(item: str, *, receipt: str = "r1", relevant: bool = True) -> Opinion:
    return Opinion(
        user=ANA,
        receipt_id=receipt,
        item_id=item,
        relevant=relevant,
        query="what can I cook?",
        chat=KITCHEN,
        created_at=MONDAY,
    )


@pytest.fixture
def judged(store: Store) -> Store:
    """A store with something of each kind, and an opinion about each."""
    store.messages.add(MESSAGE, chunks_of("The soup ", "needs saffron"))
    store.memories.add(MEMORY)
    for item in (MEMORY.id, MESSAGE.id, f"{MESSAGE.id}#1"):
        store.feedback.add(an_opinion(item))
    return store


def about(store: Store) -> set[str]:
    return {opinion.item_id for opinion in store.feedback.list(MINE)}


@pytest.mark.spec("K5")
def test_opinions_come_back_as_they_were_given_the_newest_first(store: Store) -> None:
    older, newer = an_opinion("a"), replace(an_opinion("b"), created_at=MONDAY + timedelta(days=1), chat=None)
    for opinion in (older, newer):
        store.feedback.add(opinion)

    assert store.feedback.list(MINE) == [newer, older]
    assert store.feedback.list(MINE, limit=1) == [newer]
    assert store.feedback.list(Scope(ANA, KITCHEN)) == [older]


def test_who_thinks_again_has_one_opinion(store: Store) -> None:
    store.feedback.add(an_opinion("a"))
    store.feedback.add(an_opinion("a", relevant=False))
    store.feedback.add(an_opinion("a", receipt="r2"))

    assert [(o.receipt_id, o.relevant) for o in store.feedback.list(MINE)] == [("r1", False), ("r2", True)]


def test_nobody_sees_the_opinions_of_others(store: Store) -> None:
    store.feedback.add(an_opinion("a"))

    assert store.feedback.list(Scope("bruno")) == []


@pytest.mark.parametrize(
    ("deed", "left"),
    [
        (lambda store: store.memories.erase(MINE, MEMORY.id), {MESSAGE.id, f"{MESSAGE.id}#1"}),
        (lambda store: store.erasure.memory(MINE, MEMORY.id), {MESSAGE.id, f"{MESSAGE.id}#1"}),
        (lambda store: store.messages.delete(MINE, MESSAGE.id), {MEMORY.id}),
        (lambda store: store.chats.delete(Scope(ANA, KITCHEN)), set()),
        (lambda store: store.erasure.chat(Scope(ANA, KITCHEN)), set()),
        (lambda store: store.erasure.user(ANA), set()),
        (lambda store: store.consents.set(MINE, "note", granted=False, now=MONDAY), {MESSAGE.id, f"{MESSAGE.id}#1"}),
    ],
    ids=["memory", "memory erased", "message", "chat", "chat erased", "user", "consent"],
)  # fmt: skip
def test_an_opinion_goes_with_what_it_is_about(
    judged: Store, deed: Callable[[Store], object], left: set[str]
) -> None:
    deed(judged)

    assert about(judged) == left


def test_an_opinion_outlives_its_receipt(store: Store) -> None:
    receipt = a_receipt("what can I cook?")
    store.receipts.add(receipt)
    store.feedback.add(an_opinion("a", receipt=receipt.id))
    pruned = store.receipts.prune(MONDAY + timedelta(days=31))

    assert pruned == 1
    assert about(store) == {"a"}
