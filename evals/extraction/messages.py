"""Facts kept of long mixed messages, without a language model: recall, precision, false keeps and CPU time."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from evals.measures import Figures
from recollect.domain.extraction import Fact
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

#: Our own long messages for development; `held-*.jsonl` beside them are for the final report.
DEV_MESSAGE_FILES = tuple(
    Path(__file__).parents[1] / "sets" / "extraction" / f"dev-{language}.jsonl" for language in ("en", "pt")
)
#: A fact is kept if a kept sentence contains half of its quote; a kept sentence is right if it contains half of a
#: quote, or half of it is inside one.
_MIN_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LongMessage:
    id: str
    content: str
    sent_at: datetime
    quotes: tuple[tuple[int, int], ...]  #: spans of the facts worth keeping
    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageScore:
    message: LongMessage
    facts: tuple[Fact, ...]
    missed_quotes: tuple[tuple[int, int], ...]
    wrong_facts: tuple[Fact, ...]
    cpu_seconds: float = field(compare=False)


def is_message_file(path: Path) -> bool:
    with path.open(encoding="utf-8") as file:
        return "content" in json.loads(file.readline())


def read_long_messages(path: Path) -> Iterator[LongMessage]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield long_message(json.loads(line))


def long_message(row: dict[str, Any]) -> LongMessage:
    text = row["content"]
    quotes = tuple((start := text.index(fact["quote"]), start + len(fact["quote"])) for fact in row["facts"])
    return LongMessage(
        id=row["id"],
        content=text,
        sent_at=datetime.fromisoformat(row["at"]),
        quotes=quotes,
        gate=row.get("gate", ""),
    )


def score_message(message: LongMessage) -> MessageScore:
    started = time.process_time()
    extraction = extract_by_rules(message.content, role=Role.USER, sent_at=message.sent_at)
    return score_facts(message, extraction.facts, cpu_seconds=time.process_time() - started)


def score_facts(message: LongMessage, facts: tuple[Fact, ...], *, cpu_seconds: float = 0.0) -> MessageScore:
    missed = tuple(
        quote
        for quote in message.quotes
        if sum(_overlap(quote, (fact.start, fact.end)) for fact in facts) < _MIN_SHARE * (quote[1] - quote[0])
    )
    wrong = tuple(fact for fact in facts if not any(_matches(fact, quote) for quote in message.quotes))
    return MessageScore(
        message=message, facts=facts, missed_quotes=missed, wrong_facts=wrong, cpu_seconds=cpu_seconds
    )


def _matches(fact: Fact, quote: tuple[int, int]) -> bool:
    return _overlap(quote, (fact.start, fact.end)) >= _MIN_SHARE * min(
        quote[1] - quote[0], fact.end - fact.start
    )


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def measure_messages(messages: Iterable[LongMessage]) -> Figures:
    scores = [score_message(message) for message in messages]
    return {
        **score_figures(scores),
        "false_keeps_by_gate": {
            gate or "none": wrong
            for gate, wrong in sorted(
                Counter(
                    score.message.gate
                    for score in scores
                    for _ in score.wrong_facts
                    if not score.message.quotes
                ).items()
            )
        },
    }


def score_figures(scores: Sequence[MessageScore]) -> dict[str, float | int]:
    quotes = sum(len(score.message.quotes) for score in scores)
    facts = sum(len(score.facts) for score in scores)
    wrong = sum(len(score.wrong_facts) for score in scores)
    empty = [score for score in scores if not score.message.quotes]
    return {
        "messages": len(scores),
        "facts": quotes,
        "kept": _percent(quotes - sum(len(score.missed_quotes) for score in scores), quotes),
        "precision": _percent(facts - wrong, facts),
        "messages_with_nothing": len(empty),
        "false_keeps_per_100": _percent(sum(len(score.wrong_facts) for score in empty), len(empty)),
        "cpu_ms": round(1000 * sum(score.cpu_seconds for score in scores) / max(len(scores), 1), 2),
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
