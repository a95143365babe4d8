"""A memory in a file of its own, told conversations and asked questions as people do."""

import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from evals.embeddings import CachedEmbedder
from recollect import Memory

USER_ID = "asker"
#: The worker would embed behind our back; facts are learned only where an eval is about them.
QUIET_SETTINGS: Mapping[str, object] = {
    "worker": False,
    "extraction.mode": "off",
    "summaries.every_answers": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said: all that is ingested of a conversation."""

    text: str
    role: str = "user"
    created_at: datetime | None = None

    @property
    def has_text(self) -> bool:
        """Whether there is anything to store: some public turns hold nothing but a mark of no width."""
        return any(unicodedata.category(character)[0] not in "ZC" for character in self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A passage that came back, by the message it was said in."""

    message: str
    chat: str | None
    text: str
    source: str
    score: float
    parts: Mapping[str, float]


class SettableClock:
    """Shows the time of the question."""

    def __init__(self) -> None:
        self.current = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.current

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(slots=True, kw_only=True)
class EvalHarness:
    memory: Memory
    clock: SettableClock
    sources: dict[str, str] = field(default_factory=dict)  #: the message behind each memory
    milliseconds: list[float] = field(default_factory=list)

    def add_turns(self, chat: str, turns: Sequence[Turn]) -> list[str | None]:
        """Say these in one chat; the id of each message, None for one without words."""
        turns_with_text = [turn for turn in turns if turn.has_text]
        response = self.memory.add([_to_message(turn) for turn in turns_with_text], chat_id=chat)
        messages = response["messages"]
        assert isinstance(messages, list)
        ids = iter([str(each["id"]) for each in messages if isinstance(each, dict)])
        return [next(ids) if turn.has_text else None for turn in turns]

    def add_memory(self, text: str) -> str:
        """Keep a text as it is; the id of the memory."""
        results = self.memory.add(text)["results"]
        assert isinstance(results, list)
        assert isinstance(results[0], dict)
        return str(results[0]["id"])

    def flush(self) -> None:
        """Do all that is queued: vectors, and facts if they are wanted."""
        self.memory.flush(seconds=24 * 3600)
        memories = self.memory.get_all(limit=1_000_000)["results"]
        assert isinstance(memories, list)
        for each in memories:
            assert isinstance(each, dict)
            spans = each["sources"]
            if isinstance(spans, list) and spans and isinstance(spans[0], dict):
                self.sources[str(each["id"])] = str(spans[0]["message_id"])

    def search(
        self,
        query: str,
        *,
        limit: int,
        at: datetime | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> list[SearchResult]:
        if at is not None:
            self.clock.current = at
        started = time.perf_counter()
        response = self.memory.search(query, limit=limit, settings=settings)
        self.milliseconds.append((time.perf_counter() - started) * 1000)
        results = response["results"]
        assert isinstance(results, list)
        return [self._to_result(each) for each in results if isinstance(each, dict)]

    def _to_result(self, item: Mapping[str, object]) -> SearchResult:
        id_, parts, chat = str(item["id"]), item["parts"], item["chat_id"]
        assert isinstance(parts, dict)
        return SearchResult(
            message=self.sources.get(id_, id_.partition("#")[0]),
            chat=None if chat is None else str(chat),
            text=str(item["memory"]),
            source=str(item["source"]),
            score=float(str(item["score"])),
            parts=parts,
        )


@contextmanager
def open_harness(
    embedder: CachedEmbedder, settings: Mapping[str, object], *, extract: bool = False
) -> Iterator[EvalHarness]:
    """A bench with a fresh file; `learn` keeps the preset's own extraction."""
    base_settings = {"worker": False} if extract else QUIET_SETTINGS
    clock = SettableClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(
            Path(folder) / "memory.db",
            user_id=USER_ID,
            embedder=embedder,
            clock=clock,
            settings={**base_settings, **settings},
        ) as memory,
    ):
        yield EvalHarness(memory=memory, clock=clock)


def _to_message(turn: Turn) -> dict[str, object]:
    created_at = {} if turn.created_at is None else {"created_at": turn.created_at.isoformat()}
    return {"role": turn.role, "content": turn.text, **created_at}
