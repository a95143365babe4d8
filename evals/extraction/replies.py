"""Recorded extraction replies of a strong model: which good and which wrong facts become active memories."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.extraction.score import overlap
from evals.measures import Figures
from recollect.domain.extraction import Fact
from recollect.domain.message import Message, Role
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason
from recollect.extraction.message_extraction import prompt_options, source_texts
from recollect.extraction.nearness import judge_nearness, texts_to_compare
from recollect.extraction.prompt_builder import build_requests
from recollect.extraction.reply_parser import UnreadableReply, parse_reply
from recollect.extraction.validation import ValidationLimits
from recollect.serialization.reasons import render_reason
from recollect.services.embedders import TextVectors

_MIN_SAME_FACT_OVERLAP = 0.9


def run(data: Path, embedder: CachedEmbedder, _settings: Mapping[str, object]) -> Figures:
    """Return the shares of good and wrong facts that become active, and why the others wait for review."""
    good = good_active = wrong = wrong_active = unreadable = 0
    held_back: Figures = {}
    for line in data.read_text("utf-8").splitlines():
        row = json.loads(line)
        facts = read_reply(row, embedder)
        if facts is None:
            unreadable += 1
            facts = []
        active = [fact.text for fact in facts if fact.quarantine_reason is None]
        reasons = {fact.text: fact.quarantine_reason for fact in facts}
        for gold in row["gold"]:
            if gold.get("in_reply", True):
                good += 1
                is_active = _contains(active, gold["fact"])
                good_active += is_active
                if not is_active:
                    held_back[f"{row['id']} good: {gold['fact']}"] = _reason(reasons, gold["fact"])
        for each in row["wrong"]:
            wrong += 1
            if _contains(active, each["fact"]):
                wrong_active += 1
                held_back[f"{row['id']} WRONG and active: {each['fact']}"] = each["why"]
            else:
                held_back[f"{row['id']} wrong: {each['fact']}"] = _reason(reasons, each["fact"])
    return {
        "good_facts": good,
        "good_active": _percent(good_active, good),
        "wrong_facts": wrong,
        "wrong_active": _percent(wrong_active, wrong),
        "unreadable_replies": unreadable,
        "decisions": held_back,
    }


def read_reply(row: Mapping[str, Any], embedder: CachedEmbedder) -> list[Fact] | None:
    """Return the facts of a recorded reply, active and held back; None if it cannot be read."""
    policy = Policy()
    mode = row["mode"]
    messages = [
        Message(
            id=str(index),
            user="u",
            chat="c",
            role=Role(message["role"]),
            content=message["content"],
            created_at=datetime(2026, 1, 10, tzinfo=UTC),
            tokens=len(message["content"]) // 4,
        )
        for index, message in enumerate(row["messages"], 1)
    ]
    sources = source_texts(messages, policy)
    options = prompt_options(
        sources, policy, known_memories=row["known"], context_texts=(), overrides={}, max_input_tokens=12_000
    )
    request = next(iter(build_requests(sources, mode, options)))
    parsed = parse_reply(row["reply"], request, ValidationLimits())
    if isinstance(parsed, UnreadableReply):
        return None
    facts: list[Fact] = []
    for source, extraction in zip(request.sources, parsed, strict=True):
        texts = texts_to_compare(extraction, source.text)
        vectors = TextVectors(by_text=dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {})
        judged = judge_nearness(
            extraction, source.text, vectors.similarity, cosine_floor=embedder.cosine_floor
        )
        facts += (*judged.facts, *judged.quarantined_facts)
    return facts


def _contains(texts: Sequence[str], text: str) -> bool:
    return any(text == other or overlap(text, other) >= _MIN_SAME_FACT_OVERLAP for other in texts)


def _reason(reasons: Mapping[str, Reason | None], text: str) -> str:
    return next(
        (
            render_reason(reason) if reason else "active"
            for other, reason in reasons.items()
            if _contains([other], text)
        ),
        "not in the parsed reply",
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
