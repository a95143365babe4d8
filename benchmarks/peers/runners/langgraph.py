"""LangGraph's store in SQLite, each message an item of the namespace of its session."""

from collections.abc import Sequence

import pysqlite3
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.peers.runners.bge import DIMENSION, Bge
from benchmarks.peers.runners.serving import USER, Given, Message, by_chat, serve


class LangGraph:
    def __init__(self, given: Given) -> None:
        self._model = Bge(given.network, given.tokenizer)
        # Opened as `from_conn_string` does, with a SQLite that can load the extension for vectors: many a Python's
        # own cannot.
        self._db = pysqlite3.connect(
            str(given.folder / "store.db"), check_same_thread=False, isolation_level=None
        )
        # The whole item is embedded, date and role with the text, which finds more than the text alone.
        self._store = SqliteStore(self._db, index={"dims": DIMENSION, "embed": self._model.embed})
        self._store.setup()

    @property
    def embedding(self) -> float:
        return self._model.seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        for said in by_chat(messages):
            self._store.batch([_put(message) for message in said])
        return {message.id: message.id for message in messages}

    def ask(self, question: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search((USER,), query=question, limit=limit)]

    def close(self) -> None:
        self._db.close()


def _put(message: Message) -> PutOp:
    value = {"text": message.text, "role": message.role, "at": message.at}
    return PutOp(namespace=(USER, message.chat), key=message.id, value=value)


if __name__ == "__main__":
    serve(LangGraph)
