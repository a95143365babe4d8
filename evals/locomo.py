"""LoCoMo: long conversations of two people, and which turn holds the answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Bench, Turn, bench
from evals.measures import Figures, Marks, by_group, marks
from evals.progress import progress

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
AT = (5, 10, 20)
#: Passages asked for: enough that ten different sessions are among them.
PASSAGES = 50
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    category: str
    turns: frozenset[str]

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset(turn.partition(":")[0] for turn in self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    sessions: Mapping[str, Mapping[str, Turn]]  #: by D1, D2, …, then by D1:1, D1:2, …
    questions: tuple[Question, ...]

    @property
    def ends_at(self) -> datetime:
        moments = [
            turn.said_at for turns in self.sessions.values() for turn in turns.values() if turn.said_at
        ]
        return max(moments) + timedelta(days=1)


def read(path: Path) -> list[Conversation]:
    return [_conversation(each) for each in json.loads(path.read_text(encoding="utf-8"))]


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    told = [each for conversation in read(data) for each in _marked(conversation, embedder, settings)]
    return by_group(told, "by_category")


def _marked(
    conversation: Conversation, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Iterator[tuple[str, Marks]]:
    with bench(embedder, settings) as told:
        names = tell(told, conversation)
        told.settle()
        for question in progress(conversation.questions, "LoCoMo questions"):
            found = told.ask(question.text, limit=PASSAGES, at=conversation.ends_at)
            turns = [names[each.message] for each in found if each.message in names]
            said = marks("turn_", turns, question.turns, at=AT)
            said |= marks("session_", [each.chat or "" for each in found], question.sessions, at=AT)
            yield question.category, said


def tell(told: Bench, conversation: Conversation) -> dict[str, str]:
    """Say all of it; the turn behind each message."""
    names: dict[str, str] = {}
    for session, turns in conversation.sessions.items():
        ids = told.tell(session, list(turns.values()))
        names |= {id_: turn for id_, turn in zip(ids, turns, strict=True) if id_ is not None}
    return names


def _conversation(raw: Mapping[str, Any]) -> Conversation:
    said = raw["conversation"]
    numbers = sorted(int(match[1]) for key in said if (match := _SESSION.fullmatch(key)))
    sessions = {
        f"D{number}": _session(number, said[f"session_{number}"], said[f"session_{number}_date_time"])
        for number in numbers
        if said[f"session_{number}"]
    }
    there = {turn for turns in sessions.values() for turn in turns}
    asked = [
        Question(text=qa["question"], category=CATEGORIES[qa["category"]], turns=_evidence(qa, there))
        for qa in raw["qa"]
    ]
    return Conversation(sessions=sessions, questions=tuple(each for each in asked if each.turns))


def _session(number: int, turns: list[Mapping[str, str]], date: str) -> dict[str, Turn]:
    """Each turn with its speaker's name before it, as chats are written down, and a minute after the last."""
    begun_at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return {
        f"D{number}:{place}": Turn(
            text=f"{turn['speaker']}: {turn['text']}", said_at=begun_at + timedelta(minutes=place)
        )
        for place, turn in enumerate(turns, start=1)
    }


def _evidence(qa: Mapping[str, Any], there: set[str]) -> frozenset[str]:
    """The turns that hold the answer, of those that exist."""
    named = {f"D{a}:{b}" for each in qa.get("evidence", []) for a, b in _EVIDENCE.findall(str(each))}
    return frozenset(named & there)
