"""Recollect through its library, with the settings that are given and the clock at the moment of the questions."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from benchmarks.peers.runners.serving import USER, Given, Message, by_chat, serve
from recollect import Memory
from recollect.bootstrap import make_embedder
from recollect.ports.embedder import Embedder, Vector
from recollect.settings import Connection

MOST_SECONDS = 3600


class RunningClock:
    """Goes on from the moment of the questions: they are asked when the conversation has just ended."""

    def __init__(self, begins_at: datetime) -> None:
        self._ahead = begins_at - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def monotonic(self) -> float:
        return time.monotonic()


class TimedEmbedder:
    """Does as another embedder does, and counts the seconds of processor time: all of it on the thread that calls."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.floor = inner.floor
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        begun = time.thread_time()
        vectors = self._inner.embed(texts)
        self.seconds += time.thread_time() - begun
        return vectors

    def embed_query(self, text: str) -> Vector:
        begun = time.thread_time()
        vector = self._inner.embed_query(text)
        self.seconds += time.thread_time() - begun
        return vector

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)


class Recollect:
    def __init__(self, given: Given) -> None:
        made = make_embedder(Connection())
        assert made is not None
        self._model = TimedEmbedder(made)
        # The others have loaded their model by now.
        self._model.embed_query("ready")
        self._memory = Memory(
            given.folder / "memory.db",
            user_id=USER,
            embedder=self._model,
            clock=RunningClock(given.asked_at),
            settings=given.settings,
        )

    @property
    def embedding(self) -> float:
        return self._model.seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        names: dict[str, str] = {}
        for said in by_chat(messages):
            answer = self._memory.add([_as_message(each) for each in said], chat_id=said[0].chat)
            ids = [each["id"] for each in _listed(answer["messages"])]
            names |= {str(id_): each.id for id_, each in zip(ids, said, strict=True)}
        if not self._memory.flush(seconds=MOST_SECONDS):
            raise TimeoutError(f"Work was left in Recollect's queue after {MOST_SECONDS} seconds.")
        return names | self._facts(names)

    def ask(self, question: str, limit: int) -> list[str]:
        found = _listed(self._memory.search(question, limit=limit)["results"])
        return [str(each["id"]).partition("#")[0] for each in found]

    def close(self) -> None:
        self._memory.close()

    def _facts(self, names: dict[str, str]) -> dict[str, str]:
        """The message behind each fact that was learned."""
        facts: dict[str, str] = {}
        for fact in _listed(self._memory.get_all(limit=1_000_000)["results"]):
            cited = [str(span["message_id"]) for span in _listed(fact["sources"])]
            facts |= {str(fact["id"]): names[id_] for id_ in cited[:1]}
        return facts


def _as_message(message: Message) -> dict[str, object]:
    return {"role": message.role, "content": message.text, "created_at": message.at}


def _listed(values: object) -> list[dict[str, object]]:
    assert isinstance(values, list)
    return values


if __name__ == "__main__":
    serve(Recollect)
