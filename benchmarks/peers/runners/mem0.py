"""mem0 without a language model: every message kept as it is, in Qdrant's local mode, found by meaning and words."""

from collections.abc import Sequence
from pathlib import Path

from fastembed import SparseTextEmbedding
from mem0 import Memory
from stop_words import get_stop_words

from benchmarks.peers.runners.bge import DIMENSION, Bge
from benchmarks.peers.runners.serving import USER, Given, Message, serve

#: mem0 makes a client for a language model and for an embedder before it is asked for anything; neither is called.
UNUSED = {"provider": "openai", "config": {"api_key": "unused"}}


class Embedding:
    """What mem0 asks of an embedder."""

    def __init__(self, model: Bge) -> None:
        self._model = model

    def embed(self, text: str, _use: str | None = None) -> list[float]:
        return self._model.embed([text])[0]

    def embed_batch(self, texts: Sequence[str], _use: str | None = None) -> list[list[float]]:
        return self._model.embed(texts)


class Mem0:
    def __init__(self, given: Given) -> None:
        self._model = Bge(given.network, given.tokenizer)
        store = {"path": str(given.folder / "qdrant"), "on_disk": True, "embedding_model_dims": DIMENSION}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(given.folder / "history.db"),
                "llm": UNUSED,
                "embedder": UNUSED,
            }
        )
        self._memory.embedding_model = Embedding(self._model)
        self._memory.vector_store._bm25_encoder = _bm25(given.folder)  # noqa: SLF001 - there is no setting for it

    @property
    def embedding(self) -> float:
        return self._model.seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        return {self._kept(message): message.id for message in messages}

    def ask(self, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, top_k=limit, threshold=0.0, filters={"user_id": USER})
        return [str(each["id"]) for each in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()

    def _kept(self, message: Message) -> str:
        kept = self._memory.add(
            [{"role": message.role, "content": message.text}],
            user_id=USER,
            run_id=message.chat,
            metadata={"created_at": message.at},
            infer=False,
        )
        return str(kept["results"][0]["id"])


def _bm25(folder: Path) -> SparseTextEmbedding:
    """
    The encoder that mem0 would load by itself, if Hugging Face could be reached.

    All that it fetches from there is lists of stop words, so another list stands in.
    """
    return SparseTextEmbedding(
        "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(get_stop_words("en"))
    )


if __name__ == "__main__":
    serve(Mem0)
