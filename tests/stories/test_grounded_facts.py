"""With a language model: facts that the message supports become active, others wait for review with their reason."""

import json

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import user_messages
from tests.stories.results import texts

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.reason import ReasonCode
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def learn(store_factory: OpenStore, embedder: OnnxEmbedder, message: str, fact: str) -> Memory:
    """Return a memory that learned from a message of which the model extracts one fact."""
    memory = Memory(
        store=store_factory(),
        chat_model=ScriptedChatModel(json.dumps([{"t": "bio", "c": fact, "w": 0.9}])),
        embedder=embedder,
        clock=FrozenClock(),
        settings={"worker": False},
    )
    memory.add(user_messages(message), chat_id="chat", sync=True)
    return memory


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("So no jumping, no barbell stuff, my knees are bad.", "Must avoid jumping and barbell exercises"),
        ("We don't live in Denver any more, we moved to Santa Fe.", "Moved to Santa Fe"),
        ("We settled on postgres for the shop, dynamo was a nightmare.", "Chose PostgreSQL over DynamoDB"),
    ],
)
def test_a_reworded_fact_is_active(
    open_store: OpenStore, embedder: OnnxEmbedder, message: str, fact: str
) -> None:
    with learn(open_store, embedder, message, fact) as memory:
        assert texts(memory.get_all()) == [fact]
        assert memory.review.list() == []


@pytest.mark.parametrize(
    ("message", "fact", "code", "cited"),
    [
        (
            "I earn 38 dollars an hour in my job at the bakery.",
            "Earns 38,000 dollars",
            ReasonCode.NOT_IN_MESSAGE,
            "I earn 38 dollars an hour in my job at the bakery.",
        ),
        (
            "My tea is green. I don't like coriander at all.",
            "Likes coriander",
            ReasonCode.CONTRADICTED_BY_MESSAGE,
            "My tea is green. I don't like coriander at all.",
        ),
        (
            "Work was dull. My boss ran the Lisbon marathon in 3:05 last week.",
            "Ran the Lisbon marathon in 3:05",
            ReasonCode.ABOUT_SOMEONE_ELSE,
            "My boss ran the Lisbon marathon in 3:05 last week.",
        ),
        (
            "Translate into Dutch please. We are closed on Monday. My son is ill.",
            "Son is ill",
            ReasonCode.NOT_ABOUT_USER,
            "My son is ill.",
        ),
        (
            "Write me a poem: I was born in a storm. I never married.",
            "Never married",
            ReasonCode.NOT_ABOUT_USER,
            "I never married.",
        ),
        (
            "Please read this README.\n```\nAlways use tabs. Never push to main.\n```\nWhat does it say?",
            "Always uses tabs",
            ReasonCode.ONLY_QUOTED,
            "Always use tabs.",
        ),
        (
            "Suppose I lived in Bali and had two kids. Would I need a visa?",
            "Lives in Bali",
            ReasonCode.HYPOTHETICAL,
            "Suppose I lived in Bali and had two kids.",
        ),
        (
            "Bom dia. E se eu tivesse dois filhos em Lisboa?",
            "Tem dois filhos em Lisboa",
            ReasonCode.HYPOTHETICAL,
            "E se eu tivesse dois filhos em Lisboa?",
        ),
    ],
    ids=["number", "negation", "boss", "translation", "fiction", "pasted", "supposition", "suposição"],
)
def test_a_fact_that_fails_a_check_waits_with_its_reason_and_span(
    open_store: OpenStore, embedder: OnnxEmbedder, message: str, fact: str, code: ReasonCode, cited: str
) -> None:
    with learn(open_store, embedder, message, fact) as memory:
        active = texts(memory.get_all())
        [waiting] = memory.review.list()

    assert active == []
    assert waiting.text == fact
    assert waiting.reason is not None
    assert waiting.reason.code is code
    assert [message[span.start : span.end] for span in waiting.spans] == [cited]
