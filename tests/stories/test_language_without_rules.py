"""Messages in a language without extraction rules are recalled with their relevance, though nothing is learned."""

from tests.contract.stores import OpenStore
from tests.stories.presets import user_messages

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.policy import Policy
from recollect.testing.clock import FrozenClock

GERMAN_MESSAGE = "Ich wohne in Hamburg und arbeite als Lehrerin."


def test_a_message_is_recalled_with_its_relevance(open_store: OpenStore) -> None:
    with Memory(
        store=open_store(), embedder=OnnxEmbedder(), clock=FrozenClock(), settings={"worker": False}
    ) as memory:
        memory.add(user_messages(GERMAN_MESSAGE, "Der Bus fährt um neun."), chat_id="monday", sync=True)
        learned = memory.get_all()
        receipt = memory.context("Wo wohne ich?", chat_id="today").receipt
    [injected] = receipt.injected_items
    excluded = [item for item in receipt.items if item is not injected]
    threshold = Policy().recall.relevance

    assert learned == []
    assert injected.text == GERMAN_MESSAGE
    assert injected.parts["relevance"] >= threshold
    assert [item.text for item in excluded] == ["Der Bus fährt um neun."]
    assert excluded[0].parts["relevance"] < threshold
