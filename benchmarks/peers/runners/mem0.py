"""mem0 without a language model: messages stored verbatim in Qdrant's local mode, hybrid search."""

from collections.abc import Sequence
from pathlib import Path

from fastembed import SparseTextEmbedding
from mem0 import Memory
from stop_words import get_stop_words

from benchmarks.peers.runners.bge import EMBEDDING_DIMENSION, BgeEmbedder
from benchmarks.peers.runners.serving import USER_ID, Message, RunnerConfig, serve

#: mem0 creates clients for a language model and an embedder at start; neither is called.
UNUSED_PROVIDER = {"provider": "openai", "config": {"api_key": "unused"}}


class EmbedderAdapter:
    """Embedder in mem0's interface."""

    def __init__(self, model: BgeEmbedder) -> None:
        self._model = model

    def embed(self, text: str, _use: str | None = None) -> list[float]:
        return self._model.embed([text])[0]

    def embed_batch(self, texts: Sequence[str], _use: str | None = None) -> list[list[float]]:
        return self._model.embed(texts)


class Mem0:
    def __init__(self, config: RunnerConfig) -> None:
        self._model = BgeEmbedder(config.network, config.tokenizer)
        store = {
            "path": str(config.folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": EMBEDDING_DIMENSION,
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(config.folder / "history.db"),
                "llm": UNUSED_PROVIDER,
                "embedder": UNUSED_PROVIDER,
            }
        )
        self._memory.embedding_model = EmbedderAdapter(self._model)
        self._memory.vector_store._bm25_encoder = _make_bm25_encoder(config.folder)  # noqa: SLF001 - there is no setting for it

    @property
    def embedding_seconds(self) -> float:
        return self._model.cpu_seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        return {self._add_message(message): message.id for message in messages}

    def search(self, query: str, limit: int) -> list[str]:
        response = self._memory.search(query, top_k=limit, threshold=0.0, filters={"user_id": USER_ID})
        return [str(each["id"]) for each in response["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()

    def _add_message(self, message: Message) -> str:
        response = self._memory.add(
            [{"role": message.role, "content": message.text}],
            user_id=USER_ID,
            run_id=message.chat,
            metadata={"created_at": message.at},
            infer=False,
        )
        return str(response["results"][0]["id"])


def _make_bm25_encoder(folder: Path) -> SparseTextEmbedding:
    """
    Return the encoder that mem0 would load from Hugging Face.

    It downloads only lists of stop words, so the list of another package replaces them.
    """
    return SparseTextEmbedding(
        "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(get_stop_words("en"))
    )


if __name__ == "__main__":
    serve(Mem0)
