"""A mirror of the active memories in a Chroma collection, for programs that query Chroma."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from recollect.domain.memory import Memory as Fact
from recollect.domain.scope import Scope
from recollect.errors import ConfigError, ModelMissing
from recollect.library.memory import Memory
from recollect.ports.embedder import Embedder

COLLECTION_NAME = "memory"
COLLECTION_METADATA: Mapping[str, str] = {"hnsw:space": "cosine"}


class ChromaCollection(Protocol):
    """The methods of Chroma's collection that are used."""

    def upsert(
        self, ids: Sequence[str], embeddings: Sequence[Sequence[float]], documents: Sequence[str]
    ) -> None: ...

    def delete(self, ids: Sequence[str]) -> None: ...

    def get(self) -> Mapping[str, Any]: ...

    def query(self, query_embeddings: Sequence[Sequence[float]], n_results: int) -> Mapping[str, Any]: ...


class ChromaClient(Protocol):
    def get_or_create_collection(self, name: str, metadata: Mapping[str, str]) -> ChromaCollection: ...

    def delete_collection(self, name: str) -> None: ...


class ChromaMirror:
    """
    The collection `memory` (cosine) with one document per active memory, under the memory's id.

    The collection is derived from the store: `sync_memories_from_db` writes only differences, so after a crash
    calling it again repairs the collection. Without a client, Chroma stores the collection in the folder
    `chroma_dir`; that needs `pip install recollect[chroma]`.
    """

    def __init__(
        self, memory: Memory, *, user_id: str | None = None, client: ChromaClient | None = None
    ) -> None:
        connection = memory.application.settings.resolve().machine
        self._memory = memory
        self._scope = Scope(user_id or connection.user)
        self._client = client or _open_persistent_client(connection.chroma_dir)
        self._collection = self._open_collection()

    def add_memory(self, memory_id: str, content: str) -> None:
        """Insert or replace a memory's text in the collection."""
        [vector] = self._embedder.embed([content])
        self._collection.upsert(ids=[str(memory_id)], embeddings=[list(vector)], documents=[content])

    def delete_memory(self, memory_id: str) -> None:
        self._collection.delete(ids=[str(memory_id)])

    def query(self, text: str, top_k: int = 5, min_similarity: float | None = None) -> list[tuple[str, str]]:
        """Return id and text of the nearest memories; similarity is 1 minus the cosine distance."""
        matches = self._collection.query(
            query_embeddings=[list(self._embedder.embed_query(text))], n_results=top_k
        )
        rows = zip(matches["ids"][0], matches["documents"][0], matches["distances"][0], strict=True)
        min_cosine = -1.0 if min_similarity is None else min_similarity
        return [
            (str(memory_id), str(document))
            for memory_id, document, distance in rows
            if 1 - float(distance) >= min_cosine
        ]

    def clear_memory_collection(self) -> None:
        self._client.delete_collection(name=COLLECTION_NAME)
        self._collection = self._open_collection()

    def sync_memories_from_db(self) -> int:
        """Make the collection equal to the store; return how many documents were written or deleted."""
        stored = self._collection.get()
        stored_texts = dict(zip(stored["ids"], stored["documents"], strict=True))
        active_texts = {fact.id: fact.text for fact in self._active_memories()}
        deleted_ids = [name for name in stored_texts if name not in active_texts]
        changed_ids = [name for name, text in active_texts.items() if stored_texts.get(name) != text]
        if deleted_ids:
            self._collection.delete(ids=deleted_ids)
        if changed_ids:
            texts = [active_texts[name] for name in changed_ids]
            vectors = [list(vector) for vector in self._embedder.embed(texts)]
            self._collection.upsert(ids=changed_ids, embeddings=vectors, documents=texts)
        return len(deleted_ids) + len(changed_ids)

    def chunk_text_for_embedding(self, text: str) -> list[str]:
        """Split a text into parts that each fit the embedding model."""
        return self._embedder.windows(text)

    def _active_memories(self) -> Sequence[Fact]:
        return self._memory.application.services.memories.list_all(self._scope)

    def _open_collection(self) -> ChromaCollection:
        return self._client.get_or_create_collection(name=COLLECTION_NAME, metadata=dict(COLLECTION_METADATA))

    @property
    def _embedder(self) -> Embedder:
        embedder = self._memory.application.embedder
        if embedder is None:
            raise ConfigError(
                "A Chroma mirror needs an embedder. Set `embedder` to something other than none."
            )
        return embedder


def _open_persistent_client(folder: str) -> ChromaClient:
    try:
        chromadb = import_module("chromadb")
    except ImportError as error:
        raise ModelMissing(
            "The package chromadb is not installed. Run `pip install recollect[chroma]`, or pass a client."
        ) from error
    client: ChromaClient = chromadb.PersistentClient(path=folder)
    return client
