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

USER = "asker"
#: The worker would embed behind our back; facts are learned only where an eval is about them.
QUIET: Mapping[str, object] = {"worker": False, "extract.mode": "off", "summaries.every": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said: all that is ingested of a conversation."""

    text: str
    role: str = "user"
    said_at: datetime | None = None

    @property
    def visible(self) -> bool:
        """Whether there is anything to store: some public turns hold nothing but a mark of no width."""
        return any(unicodedata.category(character)[0] not in "ZC" for character in self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage that came back, by the message it was said in."""

    message: str
    chat: str | None
    text: str
    source: str
    score: float
    parts: Mapping[str, float]


class SetClock:
    """Shows the time of the question."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(slots=True, kw_only=True)
class Bench:
    memory: Memory
    clock: SetClock
    sources: dict[str, str] = field(default_factory=dict)  #: the message behind each memory
    milliseconds: list[float] = field(default_factory=list)

    def tell(self, chat: str, turns: Sequence[Turn]) -> list[str | None]:
        """Say these in one chat; the id of each message, None for one without words."""
        spoken = [turn for turn in turns if turn.visible]
        answer = self.memory.add([_as_message(turn) for turn in spoken], chat_id=chat)
        listed = answer["messages"]
        assert isinstance(listed, list)
        ids = iter([str(each["id"]) for each in listed if isinstance(each, dict)])
        return [next(ids) if turn.visible else None for turn in turns]

    def remember(self, text: str) -> str:
        """Keep a text as it is; the id of the memory."""
        kept = self.memory.add(text)["results"]
        assert isinstance(kept, list)
        assert isinstance(kept[0], dict)
        return str(kept[0]["id"])

    def settle(self) -> None:
        """Do all that is queued: vectors, and facts if they are wanted."""
        self.memory.flush(seconds=24 * 3600)
        listed = self.memory.get_all(limit=1_000_000)["results"]
        assert isinstance(listed, list)
        for each in listed:
            assert isinstance(each, dict)
            spans = each["sources"]
            if isinstance(spans, list) and spans and isinstance(spans[0], dict):
                self.sources[str(each["id"])] = str(spans[0]["message_id"])

    def ask(
        self,
        question: str,
        *,
        limit: int,
        at: datetime | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> list[Found]:
        if at is not None:
            self.clock.time = at
        begun = time.perf_counter()
        answer = self.memory.search(question, limit=limit, settings=settings)
        self.milliseconds.append((time.perf_counter() - begun) * 1000)
        listed = answer["results"]
        assert isinstance(listed, list)
        return [self._found(each) for each in listed if isinstance(each, dict)]

    def _found(self, item: Mapping[str, object]) -> Found:
        id_, parts, chat = str(item["id"]), item["parts"], item["chat_id"]
        assert isinstance(parts, dict)
        return Found(
            message=self.sources.get(id_, id_.partition("#")[0]),
            chat=None if chat is None else str(chat),
            text=str(item["memory"]),
            source=str(item["source"]),
            score=float(str(item["score"])),
            parts=parts,
        )


@contextmanager
def bench(
    embedder: CachedEmbedder, settings: Mapping[str, object], *, learn: bool = False
) -> Iterator[Bench]:
    """A bench with a fresh file; `learn` keeps the preset's own extraction."""
    quiet = {"worker": False} if learn else QUIET
    clock = SetClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(
            Path(folder) / "memory.db",
            user_id=USER,
            embedder=embedder,
            clock=clock,
            settings={**quiet, **settings},
        ) as memory,
    ):
        yield Bench(memory=memory, clock=clock)


def _as_message(turn: Turn) -> dict[str, object]:
    said_at = {} if turn.said_at is None else {"created_at": turn.said_at.isoformat()}
    return {"role": turn.role, "content": turn.text, **said_at}
