from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.integrations.chroma import ChromaMirror
from recollect.testing.chroma import FakeChroma
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"worker": False}) as opened:
        opened.add("likes green tea")
        opened.add("plays the cello")
        yield opened


@pytest.fixture
def client() -> FakeChroma:
    return FakeChroma()


@pytest.mark.spec("E15", "P8")
def test_the_collection_holds_every_memory_under_its_id(memory: Memory, client: FakeChroma) -> None:
    written = ChromaMirror(memory, client=client).sync_memories_from_db()
    collection = client.collections["memory"]
    facts = store_of(memory.application).memories.list(Scope("default"))

    assert written == 2
    assert collection.metadata == {"hnsw:space": "cosine"}
    assert collection.documents == {fact.id: fact.text for fact in facts}


@pytest.mark.spec("V1", "TR-12")
def test_only_differences_are_written_and_stale_documents_deleted(memory: Memory, client: FakeChroma) -> None:
    mirror = ChromaMirror(memory, client=client)
    mirror.sync_memories_from_db()
    again = mirror.sync_memories_from_db()
    [tea] = [f for f in store_of(memory.application).memories.list(Scope("default")) if "tea" in f.text]
    memory.delete(tea.id)

    assert (again, mirror.sync_memories_from_db()) == (0, 1)
    assert list(client.collections["memory"].documents.values()) == ["plays the cello"]


@pytest.mark.spec("P8", "K10")
def test_it_is_asked_with_a_least_similarity(memory: Memory, client: FakeChroma) -> None:
    mirror = ChromaMirror(memory, client=client)
    mirror.add_memory("7", "likes green tea")
    mirror.add_memory("8", "zzz")

    assert mirror.query("likes green tea", top_k=1) == [("7", "likes green tea")]
    assert mirror.query("likes green tea", min_similarity=0.99) == [("7", "likes green tea")]
    mirror.delete_memory("7")
    assert mirror.query("likes green tea", min_similarity=0.99) == []
    mirror.clear_memory_collection()
    assert mirror.query("likes green tea") == []
    assert "".join(mirror.chunk_text_for_embedding("a long text")) == "a long text"


def test_without_an_embedder_there_is_nothing_to_mirror(tmp_path: Path, client: FakeChroma) -> None:
    settings = {"worker": False, "embedder": "none"}
    with Memory(tmp_path / "m.db", settings=settings) as memory, pytest.raises(ConfigError, match="embedder"):
        ChromaMirror(memory, client=client).add_memory("1", "tea")
