"""LongMemEval: about fifty chats with an assistant per question, some of which contain the answer."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, open_harness
from evals.measures import Figures, RecallMetrics, average_by_group, average_metrics, recall_metrics
from evals.progress import progress

SESSION_CUTOFFS = (1, 3, 5, 10)
TURN_CUTOFFS = (5, 10, 20)
NDCG_CUTOFFS = (5, 10)
#: Passages per query: enough to contain ten different chats.
MAX_PASSAGES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    type: str
    text: str
    asked_at: datetime
    sessions: Mapping[str, tuple[Turn, ...]]
    relevant_sessions: frozenset[str]  #: sessions that contain the answer
    relevant_turns: frozenset[tuple[str, int]]

    @property
    def is_abstention(self) -> bool:
        return "_abs" in self.id


def read_questions(path: Path) -> Iterator[Question]:
    for raw in _read_rows(path):
        if not raw["gold_sessions"]:
            continue
        yield Question(
            id=raw["question_id"],
            type=raw["type"],
            text=raw["question"],
            asked_at=_parse_date(raw["date"]),
            sessions={each["id"]: _parse_turns(each) for each in raw["sessions"]},
            relevant_sessions=frozenset(raw["gold_sessions"]),
            relevant_turns=frozenset(
                (each["id"], place)
                for each in raw["sessions"]
                for place, turn in enumerate(each["turns"])
                if turn.get("gold")
            ),
        )


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    scored_questions = [
        (question, _score_question(question, embedder, settings))
        for question in progress(list(read_questions(data)), "LongMemEval questions")
    ]
    answerable = [(question.type, each) for question, each in scored_questions if not question.is_abstention]
    return {
        **average_by_group(answerable, "by_type"),
        "counting_abstentions": average_metrics([each for _, each in scored_questions]),
    }


def _score_question(
    question: Question, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> RecallMetrics:
    with open_harness(embedder, settings) as harness:
        turn_ids: dict[str, str] = {}
        for session, turns in question.sessions.items():
            ids = harness.add_turns(session, turns)
            turn_ids |= {id_: f"{session}:{place}" for place, id_ in enumerate(ids) if id_ is not None}
        harness.flush()
        results = harness.search(question.text, limit=MAX_PASSAGES, at=question.asked_at)
    metrics = recall_metrics(
        "",
        [each.chat or "" for each in results],
        question.relevant_sessions,
        cutoffs=SESSION_CUTOFFS,
        ndcg_cutoffs=NDCG_CUTOFFS,
    )
    if question.relevant_turns:
        relevant_turns = {f"{session}:{place}" for session, place in question.relevant_turns}
        metrics |= recall_metrics(
            "turn_",
            [turn_ids.get(each.message, "") for each in results],
            relevant_turns,
            cutoffs=TURN_CUTOFFS,
        )
    return metrics


def _parse_turns(session: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns of a session, one minute apart from its date on."""
    started_at = _parse_date(session["date"])
    return tuple(
        Turn(text=turn["content"], role=turn["role"], created_at=started_at + timedelta(minutes=place))
        for place, turn in enumerate(session["turns"])
    )


def _read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the published format or that of our development data."""
    data = path.read_bytes()
    rows: list[dict[str, Any]] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return [_convert_published(row) if "haystack_sessions" in row else row for row in rows]


def _convert_published(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a published row; sessions are numbered, since the published ids reveal which contain the answer."""
    relevant_ids = frozenset(row["answer_session_ids"])
    ids = row["haystack_session_ids"]
    return {
        "question_id": row["question_id"],
        "type": row["question_type"],
        "question": row["question"],
        "date": row["question_date"],
        "gold_sessions": [f"s{place}" for place, id_ in enumerate(ids) if id_ in relevant_ids],
        "sessions": [
            {"id": f"s{place}", "date": date, "turns": [{**t, "gold": t.get("has_answer")} for t in turns]}
            for place, (date, turns) in enumerate(
                zip(row["haystack_dates"], row["haystack_sessions"], strict=True)
            )
        ],
    }


def _parse_date(date: str) -> datetime:
    """Parse a date like 2023/05/30 (Tue) 22:42."""
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
