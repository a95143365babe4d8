"""Chroma, in a folder: a collection compared by cosine."""

from collections.abc import Sequence

import chromadb
from chromadb.config import Settings

from benchmarks.peers.runners.bge import Bge
from benchmarks.peers.runners.serving import Given, Message, by_chat, serve


class Embedding:
    """What Chroma asks of an embedder."""

    def __init__(self, model: Bge) -> None:
        self._model = model

    def __call__(self, input: Sequence[str]) -> list[list[float]]:  # noqa: A002 - Chroma's own name
        return self._model.embed(input)

    embed_query = __call__

    @staticmethod
    def name() -> str:
        return "bge-small-en"

    def is_legacy(self) -> bool:
        """So that Chroma does not try to make it anew from what it wrote down."""
        return True


class Chroma:
    def __init__(self, given: Given) -> None:
        self._model = Bge(given.network, given.tokenizer)
        client = chromadb.PersistentClient(str(given.folder), Settings(anonymized_telemetry=False))
        self._messages = client.get_or_create_collection(
            "messages",
            embedding_function=Embedding(self._model),
            configuration={"hnsw": {"space": "cosine"}},
        )

    @property
    def embedding(self) -> float:
        return self._model.seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        for said in by_chat(messages):
            self._messages.add(
                ids=[each.id for each in said],
                documents=[each.text for each in said],
                metadatas=[{"chat": each.chat, "role": each.role, "at": each.at} for each in said],
            )
        return {message.id: message.id for message in messages}

    def ask(self, question: str, limit: int) -> list[str]:
        found = self._messages.query(query_texts=[question], n_results=limit, include=["documents"])
        return [str(id_) for id_ in found["ids"][0]]

    def close(self) -> None:
        """Chroma writes as it goes."""


if __name__ == "__main__":
    serve(Chroma)
