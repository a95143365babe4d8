"""What was just stored is recalled at once: by its words, and by its meaning as soon as it has an embedding."""

from collections.abc import Iterator, Sequence
from threading import Event

import pytest
from tests.contract.stores import OpenStore

from recollect import Memory
from recollect.domain.reason import Reason, ReasonCode
from recollect.ports.embedder import Vector
from recollect.ports.vector_math import unit_vector
from recollect.testing.embedders import LetterEmbedder

SAID = "My sister works as a nurse."
SAME_WORDS = "Who is a nurse?"
OTHER_WORDS = "hospital staff"


class BlockingEmbedder(LetterEmbedder):
    """Knows only whether a text is about hospitals; embeds passages only after `free` is set."""

    model_id = "hospital"
    cosine_floor = 0.5

    def __init__(self) -> None:
        super().__init__(dimension=2)
        self.free = Event()
        self.free.set()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        assert self.free.wait(30)
        return super().embed(texts)

    def embed_query(self, text: str) -> Vector:
        is_about_hospital = any(word in text for word in ("nurse", "hospital"))
        return unit_vector([1.0, 0.0] if is_about_hospital else [0.0, 1.0])


@pytest.fixture
def embedder() -> BlockingEmbedder:
    return BlockingEmbedder()


@pytest.fixture(params=[False, True], ids=["no worker", "worker"])
def memory(
    request: pytest.FixtureRequest, open_store: OpenStore, embedder: BlockingEmbedder
) -> Iterator[Memory]:
    settings = {"worker": request.param, "extraction.mode": "off"}
    with Memory(store=open_store(), user_id="ana", embedder=embedder, settings=settings) as opened:
        yield opened
        embedder.free.set()


def add_messages(memory: Memory, *texts: str) -> None:
    memory.add([{"role": "user", "content": text} for text in texts], chat_id="kitchen")


@pytest.mark.parametrize("query", [SAME_WORDS, OTHER_WORDS])
def test_a_message_is_recalled_at_once_by_words_and_by_meaning(memory: Memory, query: str) -> None:
    add_messages(memory, SAID)
    block = memory.context(query)

    assert SAID in block.text
    assert block.receipt.pending_embeddings == 0


def test_the_receipt_says_what_has_no_embedding_by_the_deadline(
    memory: Memory, embedder: BlockingEmbedder
) -> None:
    embedder.free.clear()
    add_messages(memory, SAID, "The boat is blue.")
    by_words = memory.context(SAME_WORDS, settings={"recall.deadline_ms": 200})
    by_meaning = memory.context(OTHER_WORDS, settings={"recall.deadline_ms": 200})

    assert SAID in by_words.text
    assert SAID not in by_meaning.text
    assert by_meaning.receipt.pending_embeddings == 2
    assert by_meaning.receipt.skipped_sources == (
        Reason(ReasonCode.NO_CONSENT, {"category": "profile"}),
        Reason(ReasonCode.NOT_EMBEDDED, {"count": 2}),
    )


def test_many_new_passages_are_left_to_the_worker(open_store: OpenStore, embedder: BlockingEmbedder) -> None:
    settings = {"worker": False, "extraction.mode": "off"}
    with Memory(store=open_store(), user_id="ana", embedder=embedder, settings=settings) as memory:
        add_messages(memory, SAID, *(f"Note number {number} of today." for number in range(20)))
        before = memory.context(OTHER_WORDS)
        memory.flush()
        after = memory.context(OTHER_WORDS)

    assert before.receipt.pending_embeddings == 21
    assert SAID in after.text
    assert after.receipt.pending_embeddings == 0
