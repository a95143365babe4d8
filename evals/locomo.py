"""LoCoMo: long conversations of two people, with the turns that contain each answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import EvalHarness, Turn, open_harness
from evals.measures import Figures, RecallMetrics, average_by_group, recall_metrics
from evals.progress import progress

CATEGORY_NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
RECALL_CUTOFFS = (5, 10, 20)
#: Passages per query: enough to contain ten different sessions.
MAX_PASSAGES = 50
_EVIDENCE_PATTERN = re.compile(r"D:?(\d+):0*(\d+)")
_SESSION_PATTERN = re.compile(r"session_(\d+)")


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
        timestamps = [
            turn.created_at for turns in self.sessions.values() for turn in turns.values() if turn.created_at
        ]
        return max(timestamps) + timedelta(days=1)


def read_conversations(path: Path) -> list[Conversation]:
    return [_parse_conversation(each) for each in json.loads(path.read_text(encoding="utf-8"))]


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    grouped_metrics = [
        each
        for conversation in read_conversations(data)
        for each in _score_conversation(conversation, embedder, settings)
    ]
    return average_by_group(grouped_metrics, "by_category")


def _score_conversation(
    conversation: Conversation, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Iterator[tuple[str, RecallMetrics]]:
    with open_harness(embedder, settings) as harness:
        turn_ids = add_conversation(harness, conversation)
        harness.flush()
        for question in progress(conversation.questions, "LoCoMo questions"):
            results = harness.search(question.text, limit=MAX_PASSAGES, at=conversation.ends_at)
            turns = [turn_ids[each.message] for each in results if each.message in turn_ids]
            metrics = recall_metrics("turn_", turns, question.turns, cutoffs=RECALL_CUTOFFS)
            metrics |= recall_metrics(
                "session_", [each.chat or "" for each in results], question.sessions, cutoffs=RECALL_CUTOFFS
            )
            yield question.category, metrics


def add_conversation(harness: EvalHarness, conversation: Conversation) -> dict[str, str]:
    """Ingest a conversation; return the turn of each message."""
    turn_ids: dict[str, str] = {}
    for session, turns in conversation.sessions.items():
        ids = harness.add_turns(session, list(turns.values()))
        turn_ids |= {id_: turn for id_, turn in zip(ids, turns, strict=True) if id_ is not None}
    return turn_ids


def _parse_conversation(raw: Mapping[str, Any]) -> Conversation:
    sessions_json = raw["conversation"]
    numbers = sorted(int(match[1]) for key in sessions_json if (match := _SESSION_PATTERN.fullmatch(key)))
    sessions = {
        f"D{number}": _parse_session(
            number, sessions_json[f"session_{number}"], sessions_json[f"session_{number}_date_time"]
        )
        for number in numbers
        if sessions_json[f"session_{number}"]
    }
    known_turns = {turn for turns in sessions.values() for turn in turns}
    questions = [
        Question(
            text=qa["question"],
            category=CATEGORY_NAMES[qa["category"]],
            turns=_parse_evidence(qa, known_turns),
        )
        for qa in raw["qa"]
    ]
    return Conversation(sessions=sessions, questions=tuple(each for each in questions if each.turns))


def _parse_session(number: int, turns: list[Mapping[str, str]], date: str) -> dict[str, Turn]:
    """Return the turns of a session, prefixed with the speaker's name and one minute apart."""
    started_at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return {
        f"D{number}:{place}": Turn(
            text=f"{turn['speaker']}: {turn['text']}", created_at=started_at + timedelta(minutes=place)
        )
        for place, turn in enumerate(turns, start=1)
    }


def _parse_evidence(qa: Mapping[str, Any], known_turns: set[str]) -> frozenset[str]:
    """Return the existing turns that contain the answer."""
    cited_turns = {
        f"D{a}:{b}" for each in qa.get("evidence", []) for a, b in _EVIDENCE_PATTERN.findall(str(each))
    }
    return frozenset(cited_turns & known_turns)
