"""LongMemEval: which of some fifty chats with an assistant hold the answer."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, bench
from evals.measures import Figures, Marks, by_group, figures, marks
from evals.progress import progress

AT = (1, 3, 5, 10)
TURNS_AT = (5, 10, 20)
NDCG_AT = (5, 10)
#: Passages asked for: enough that ten different chats are among them.
PASSAGES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    type: str
    text: str
    asked_at: datetime
    sessions: Mapping[str, tuple[Turn, ...]]
    gold: frozenset[str]  #: sessions that hold the answer
    gold_turns: frozenset[tuple[str, int]]

    @property
    def abstention(self) -> bool:
        return "_abs" in self.id


def read(path: Path) -> Iterator[Question]:
    for raw in _rows(path):
        if not raw["gold_sessions"]:
            continue
        yield Question(
            id=raw["question_id"],
            type=raw["type"],
            text=raw["question"],
            asked_at=_moment(raw["date"]),
            sessions={each["id"]: _turns(each) for each in raw["sessions"]},
            gold=frozenset(raw["gold_sessions"]),
            gold_turns=frozenset(
                (each["id"], place)
                for each in raw["sessions"]
                for place, turn in enumerate(each["turns"])
                if turn.get("gold")
            ),
        )


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    told = [
        (question, _marked(question, embedder, settings))
        for question in progress(list(read(data)), "LongMemEval questions")
    ]
    answerable = [(question.type, each) for question, each in told if not question.abstention]
    return {
        **by_group(answerable, "by_type"),
        "counting_abstentions": figures([each for _, each in told]),
    }


def _marked(question: Question, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Marks:
    with bench(embedder, settings) as told:
        places: dict[str, str] = {}
        for session, turns in question.sessions.items():
            ids = told.tell(session, turns)
            places |= {id_: f"{session}:{place}" for place, id_ in enumerate(ids) if id_ is not None}
        told.settle()
        found = told.ask(question.text, limit=PASSAGES, at=question.asked_at)
    said = marks("", [each.chat or "" for each in found], question.gold, at=AT, ndcg_at=NDCG_AT)
    if question.gold_turns:
        gold = {f"{session}:{place}" for session, place in question.gold_turns}
        said |= marks("turn_", [places.get(each.message, "") for each in found], gold, at=TURNS_AT)
    return said


def _turns(session: Mapping[str, Any]) -> tuple[Turn, ...]:
    """A minute apart, from the session's date on."""
    begun_at = _moment(session["date"])
    return tuple(
        Turn(text=turn["content"], role=turn["role"], said_at=begun_at + timedelta(minutes=place))
        for place, turn in enumerate(session["turns"])
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    """As published, or as in our development data."""
    data = path.read_bytes()
    rows: list[dict[str, Any]] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return [_published(row) if "haystack_sessions" in row else row for row in rows]


def _published(row: Mapping[str, Any]) -> dict[str, Any]:
    """Sessions by their place: the published ids tell which of them hold the answer."""
    gold = frozenset(row["answer_session_ids"])
    ids = row["haystack_session_ids"]
    return {
        "question_id": row["question_id"],
        "type": row["question_type"],
        "question": row["question"],
        "date": row["question_date"],
        "gold_sessions": [f"s{place}" for place, id_ in enumerate(ids) if id_ in gold],
        "sessions": [
            {"id": f"s{place}", "date": date, "turns": [{**t, "gold": t.get("has_answer")} for t in turns]}
            for place, (date, turns) in enumerate(
                zip(row["haystack_dates"], row["haystack_sessions"], strict=True)
            )
        ],
    }


def _moment(date: str) -> datetime:
    """As in 2023/05/30 (Tue) 22:42."""
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
