"""Chroma in a folder: one collection with cosine distance."""

from collections.abc import Sequence

import chromadb
from chromadb.config import Settings

from benchmarks.peers.runners.bge import BgeEmbedder
from benchmarks.peers.runners.serving import Message, RunnerConfig, group_by_chat, serve


class EmbeddingFunction:
    """Embedder in Chroma's interface."""

    def __init__(self, model: BgeEmbedder) -> None:
        self._model = model

    def __call__(self, input: Sequence[str]) -> list[list[float]]:  # noqa: A002 - Chroma's own name
        return self._model.embed(input)

    embed_query = __call__

    @staticmethod
    def name() -> str:
        return "bge-small-en"

    def is_legacy(self) -> bool:
        """Return True, so that Chroma does not rebuild the function from stored configuration."""
        return True


class Chroma:
    def __init__(self, config: RunnerConfig) -> None:
        self._model = BgeEmbedder(config.network, config.tokenizer)
        client = chromadb.PersistentClient(str(config.folder), Settings(anonymized_telemetry=False))
        self._messages = client.get_or_create_collection(
            "messages",
            embedding_function=EmbeddingFunction(self._model),
            configuration={"hnsw": {"space": "cosine"}},
        )

    @property
    def embedding_seconds(self) -> float:
        return self._model.cpu_seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        for chat_messages in group_by_chat(messages):
            self._messages.add(
                ids=[each.id for each in chat_messages],
                documents=[each.text for each in chat_messages],
                metadatas=[{"chat": each.chat, "role": each.role, "at": each.at} for each in chat_messages],
            )
        return {message.id: message.id for message in messages}

    def search(self, query: str, limit: int) -> list[str]:
        results = self._messages.query(query_texts=[query], n_results=limit, include=["documents"])
        return [str(id_) for id_ in results["ids"][0]]

    def close(self) -> None:
        """Do nothing: Chroma writes immediately."""


if __name__ == "__main__":
    serve(Chroma)
