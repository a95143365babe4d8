"""LangGraph's SqliteStore: one item per message, in the namespace of its session."""

from collections.abc import Sequence

import pysqlite3
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.peers.runners.bge import EMBEDDING_DIMENSION, BgeEmbedder
from benchmarks.peers.runners.serving import USER_ID, Message, RunnerConfig, group_by_chat, serve


class LangGraph:
    def __init__(self, config: RunnerConfig) -> None:
        self._model = BgeEmbedder(config.network, config.tokenizer)
        # Opened like `from_conn_string`, with a SQLite that can load the vector extension, unlike that of many Pythons.
        self._db = pysqlite3.connect(
            str(config.folder / "store.db"), check_same_thread=False, isolation_level=None
        )
        # The whole item is embedded with date and role, which gives higher recall than the text alone.
        self._store = SqliteStore(self._db, index={"dims": EMBEDDING_DIMENSION, "embed": self._model.embed})
        self._store.setup()

    @property
    def embedding_seconds(self) -> float:
        return self._model.cpu_seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        for chat_messages in group_by_chat(messages):
            self._store.batch([_to_put_op(message) for message in chat_messages])
        return {message.id: message.id for message in messages}

    def search(self, query: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search((USER_ID,), query=query, limit=limit)]

    def close(self) -> None:
        self._db.close()


def _to_put_op(message: Message) -> PutOp:
    value = {"text": message.text, "role": message.role, "at": message.at}
    return PutOp(namespace=(USER_ID, message.chat), key=message.id, value=value)


if __name__ == "__main__":
    serve(LangGraph)
