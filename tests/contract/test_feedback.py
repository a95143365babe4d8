"""Store contract: relevance feedback is kept until its item is deleted."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.feedback import RelevanceFeedback
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, a_receipt, chunks_of
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope(ANA)
VEGETARIAN_MEMORY = a_memory("is vegetarian")
SOUP_MESSAGE = a_message("The soup needs saffron")


def a_feedback(item: str, *, receipt: str = "r1", relevant: bool = True) -> RelevanceFeedback:
    return RelevanceFeedback(
        user=ANA,
        receipt_id=receipt,
        item_id=item,
        relevant=relevant,
        query="what can I cook?",
        chat=KITCHEN,
        created_at=MONDAY,
    )


@pytest.fixture
def store_with_feedback(store: Store) -> Store:
    """A store with an item of each kind and feedback on each."""
    store.messages.add(SOUP_MESSAGE, chunks_of("The soup ", "needs saffron"))
    store.memories.add(VEGETARIAN_MEMORY)
    for item in (VEGETARIAN_MEMORY.id, SOUP_MESSAGE.id, f"{SOUP_MESSAGE.id}#1"):
        store.feedback.add(a_feedback(item))
    return store


def rated_item_ids(store: Store) -> set[str]:
    return {opinion.item_id for opinion in store.feedback.list(USER_SCOPE)}


@pytest.mark.spec("K5")
def test_feedback_is_listed_unchanged_newest_first(store: Store) -> None:
    older, newer = a_feedback("a"), replace(a_feedback("b"), created_at=MONDAY + timedelta(days=1), chat=None)
    for opinion in (older, newer):
        store.feedback.add(opinion)

    assert store.feedback.list(USER_SCOPE) == [newer, older]
    assert store.feedback.list(USER_SCOPE, limit=1) == [newer]
    assert store.feedback.list(Scope(ANA, KITCHEN)) == [older]


def test_new_feedback_replaces_the_previous_one(store: Store) -> None:
    store.feedback.add(a_feedback("a"))
    store.feedback.add(a_feedback("a", relevant=False))
    store.feedback.add(a_feedback("a", receipt="r2"))

    assert [(o.receipt_id, o.relevant) for o in store.feedback.list(USER_SCOPE)] == [
        ("r1", False),
        ("r2", True),
    ]


def test_feedback_of_other_users_is_not_visible(store: Store) -> None:
    store.feedback.add(a_feedback("a"))

    assert store.feedback.list(Scope("bruno")) == []


SOUP_PASSAGES = {SOUP_MESSAGE.id, f"{SOUP_MESSAGE.id}#1"}


@pytest.mark.parametrize(
    ("deed", "left"),
    [
        (lambda store: store.memories.erase(USER_SCOPE, VEGETARIAN_MEMORY.id), SOUP_PASSAGES),
        (lambda store: store.erasure.erase_memory(USER_SCOPE, VEGETARIAN_MEMORY.id), SOUP_PASSAGES),
        (lambda store: store.messages.delete(USER_SCOPE, SOUP_MESSAGE.id), {VEGETARIAN_MEMORY.id}),
        (lambda store: store.chats.delete(Scope(ANA, KITCHEN)), set()),
        (lambda store: store.erasure.erase_chat(Scope(ANA, KITCHEN)), set()),
        (lambda store: store.erasure.erase_user(ANA), set()),
        (lambda store: store.consents.set(USER_SCOPE, "note", granted=False, now=MONDAY), SOUP_PASSAGES),
    ],
    ids=["memory", "memory erased", "message", "chat", "chat erased", "user", "consent"],
)  # fmt: skip
def test_feedback_is_deleted_with_its_item(
    store_with_feedback: Store, deed: Callable[[Store], object], left: set[str]
) -> None:
    deed(store_with_feedback)

    assert rated_item_ids(store_with_feedback) == left


def test_feedback_outlives_its_receipt(store: Store) -> None:
    receipt = a_receipt("what can I cook?")
    store.receipts.add(receipt)
    store.feedback.add(a_feedback("a", receipt=receipt.id))
    pruned = store.receipts.prune(MONDAY + timedelta(days=31))

    assert pruned == 1
    assert rated_item_ids(store) == {"a"}
