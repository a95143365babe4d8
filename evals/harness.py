"""Test harness: a memory in a temporary file that ingests conversations and answers queries."""

import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from evals.embeddings import CachedEmbedder
from recollect import Memory
from recollect.domain.receipt import ReceiptItem

USER_ID = "asker"
#: No worker, which would embed concurrently; extraction is on only where an eval measures it.
QUIET_SETTINGS: Mapping[str, object] = {
    "worker": False,
    "extraction.mode": "off",
    "summaries.every_answers": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message of a conversation, as it is ingested."""

    text: str
    role: str = "user"
    created_at: datetime | None = None

    @property
    def has_text(self) -> bool:
        """Whether there is text to store: some public turns contain only a zero-width character."""
        return any(unicodedata.category(character)[0] not in "ZC" for character in self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A retrieved passage with its source message."""

    message: str
    chat: str | None
    text: str
    source: str
    score: float
    parts: Mapping[str, float]


class SettableClock:
    """A clock that is set to the time of each question."""

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
    sources: dict[str, str] = field(default_factory=dict)  #: source message of each memory
    milliseconds: list[float] = field(default_factory=list)

    def add_turns(self, chat: str, turns: Sequence[Turn]) -> list[str | None]:
        """Ingest turns into one chat; return the id of each message, None for a turn without text."""
        turns_with_text = [turn for turn in turns if turn.has_text]
        added = self.memory.add([_to_message(turn) for turn in turns_with_text], chat_id=chat)
        ids = iter([each.id for each in added.messages])
        return [next(ids) if turn.has_text else None for turn in turns]

    def add_memory(self, text: str) -> str:
        """Store a text as a memory; return its id."""
        return self.memory.add(text).memories[0].id

    def flush(self) -> None:
        """Run all queued jobs: embedding, and extraction if enabled."""
        self.memory.flush(seconds=24 * 3600)
        for memory in self.memory.get_all(limit=1_000_000):
            if memory.spans:
                self.sources[memory.id] = memory.spans[0].message_id

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
        found = self.memory.search(query, limit=limit, settings=settings)
        self.milliseconds.append((time.perf_counter() - started) * 1000)
        return [self._to_result(each) for each in found]

    def _to_result(self, item: ReceiptItem) -> SearchResult:
        return SearchResult(
            message=self.sources.get(item.id, item.id.partition("#")[0]),
            chat=item.chat,
            text=item.text,
            source=item.source.value,
            score=item.score,
            parts=item.parts,
        )


@contextmanager
def open_harness(
    embedder: CachedEmbedder, settings: Mapping[str, object], *, extract: bool = False
) -> Iterator[EvalHarness]:
    """
    Open a harness with a new file, or with a new user of the database that the setting `db` names.

    `extract` keeps the preset's extraction settings.
    """
    base_settings = {"worker": False} if extract else QUIET_SETTINGS
    clock = SettableClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(
            str(settings.get("db") or Path(folder) / "memory.db"),
            user_id=f"{USER_ID}-{uuid4()}" if "db" in settings else USER_ID,
            embedder=embedder,
            clock=clock,
            settings={**base_settings, **{name: settings[name] for name in settings if name != "db"}},
        ) as memory,
    ):
        yield EvalHarness(memory=memory, clock=clock)


def _to_message(turn: Turn) -> dict[str, object]:
    created_at = {} if turn.created_at is None else {"created_at": turn.created_at.isoformat()}
    return {"role": turn.role, "content": turn.text, **created_at}
