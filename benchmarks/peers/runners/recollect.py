"""Recollect through its library, with the given settings and a clock set to the time of the questions."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from benchmarks.peers.runners.serving import USER_ID, Message, RunnerConfig, group_by_chat, serve
from recollect import Memory
from recollect.bootstrap import make_embedder
from recollect.ports.embedder import Embedder, Vector
from recollect.settings import MachineSettings

FLUSH_TIMEOUT_SECONDS = 3600


class OffsetClock:
    """Clock that starts at the time of the questions, just after the end of the conversation."""

    def __init__(self, starts_at: datetime) -> None:
        self._offset = starts_at - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def monotonic(self) -> float:
        return time.monotonic()


class TimedEmbedder:
    """Wraps an embedder and sums its CPU time; all of it is on the calling thread."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self.dimension = inner.dimension
        self.cosine_floor = inner.cosine_floor
        self.cpu_seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        cpu_start = time.thread_time()
        vectors = self._inner.embed(texts)
        self.cpu_seconds += time.thread_time() - cpu_start
        return vectors

    def embed_query(self, text: str) -> Vector:
        cpu_start = time.thread_time()
        vector = self._inner.embed_query(text)
        self.cpu_seconds += time.thread_time() - cpu_start
        return vector

    def windows(self, text: str) -> list[str]:
        return self._inner.windows(text)


class Recollect:
    def __init__(self, config: RunnerConfig) -> None:
        embedder = make_embedder(MachineSettings())
        assert embedder is not None
        self._model = TimedEmbedder(embedder)
        # The other systems load their model at start.
        self._model.embed_query("ready")
        self._memory = Memory(
            config.folder / "memory.db",
            user_id=USER_ID,
            embedder=self._model,
            clock=OffsetClock(config.query_time),
            settings=config.settings,
        )

    @property
    def embedding_seconds(self) -> float:
        return self._model.cpu_seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        message_ids: dict[str, str] = {}
        for chat_messages in group_by_chat(messages):
            response = self._memory.add(
                [_to_message(each) for each in chat_messages], chat_id=chat_messages[0].chat
            )
            pairs = zip(response.messages, chat_messages, strict=True)
            message_ids |= {stored.id: message.id for stored, message in pairs}
        if not self._memory.flush(seconds=FLUSH_TIMEOUT_SECONDS):
            raise TimeoutError(f"Recollect's queue was not empty after {FLUSH_TIMEOUT_SECONDS} seconds.")
        return message_ids | self._messages_of_facts(message_ids)

    def search(self, query: str, limit: int) -> list[str]:
        return [each.id.partition("#")[0] for each in self._memory.search(query, limit=limit)]

    def close(self) -> None:
        self._memory.close()

    def _messages_of_facts(self, message_ids: dict[str, str]) -> dict[str, str]:
        """Return the source message of each extracted fact."""
        facts: dict[str, str] = {}
        for fact in self._memory.get_all(limit=1_000_000):
            if fact.spans:
                facts[fact.id] = message_ids[fact.spans[0].message_id]
        return facts


def _to_message(message: Message) -> dict[str, object]:
    return {"role": message.role, "content": message.text, "created_at": message.at}


if __name__ == "__main__":
    serve(Recollect)
