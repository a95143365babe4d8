"""
LoCoMo: long conversations of two people, with the turns that contain each answer.

`run_bursts` sends each turn as real people write: in two to four short messages, one of five of which has a typo. A
turn is found when one of its messages is.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import EvalHarness, Turn, open_harness
from evals.measures import Figures, RecallMetrics, average_by_group, recall_metrics
from evals.progress import progress

CATEGORY_NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
RECALL_CUTOFFS = (5, 10, 20)
#: Passages per query: enough to contain ten different sessions.
MAX_PASSAGES = 50
#: Passages per query where a turn is several messages.
MAX_BURST_PASSAGES = 150
MAX_BURST_MESSAGES = 4
#: Words of a message of a burst before it may end.
MIN_BURST_WORDS = 3
TYPO_SHARE = 0.2
BURST_SEED = 17
#: Shorter words have no typos.
MIN_TYPO_CHARS = 4
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


def run_bursts(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    grouped_metrics = [
        each
        for conversation in read_conversations(data)
        for each in _score_conversation(
            split_into_bursts(conversation), embedder, settings, max_passages=MAX_BURST_PASSAGES
        )
    ]
    return average_by_group(grouped_metrics, "by_category")


def run_context(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    """Measure what `Memory.context` injects: the share of the evidence, and the share of tokens that are evidence."""
    conversations = read_conversations(data)
    outcomes = [outcome for each in conversations for outcome in _score_contexts(each, embedder, settings)]
    total = sum(outcome.tokens for outcome in outcomes)
    return {
        "turn_recall": round(100 * fmean(outcome.recall for outcome in outcomes), 2),
        "any": round(100 * fmean(outcome.recall > 0 for outcome in outcomes), 2),
        "gold share of tokens": round(
            100 * sum(outcome.gold_tokens for outcome in outcomes) / max(total, 1), 2
        ),
        "items": round(fmean(outcome.items for outcome in outcomes), 2),
        "tokens": round(total / len(outcomes), 1),
        "n": len(outcomes),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOutcome:
    """What one question injected: all items, and those that are evidence."""

    recall: float
    items: int
    tokens: int
    gold_tokens: int


def _score_contexts(
    conversation: Conversation, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Iterator[ContextOutcome]:
    with open_harness(embedder, settings) as harness:
        turn_ids = add_conversation(harness, conversation)
        harness.flush()
        harness.clock.current = conversation.ends_at
        for question in progress(conversation.questions, "LoCoMo contexts"):
            injected = harness.memory.context(question.text).receipt.injected_items
            turns = [turn_ids.get(each.id.partition("#")[0], "") for each in injected]
            yield ContextOutcome(
                recall=len(question.turns.intersection(turns)) / len(question.turns),
                items=len(injected),
                tokens=sum(each.tokens for each in injected),
                gold_tokens=sum(
                    each.tokens for each, turn in zip(injected, turns, strict=True) if turn in question.turns
                ),
            )


def split_into_bursts(conversation: Conversation) -> Conversation:
    """Return the conversation with each turn as several messages: D1:1#1, D1:1#2, …"""
    sessions = {
        session: {
            f"{turn_id}#{number}": Turn(
                text=text,
                role=turn.role,
                created_at=turn.created_at and turn.created_at + timedelta(seconds=10 * number),
            )
            for turn_id, turn in turns.items()
            for number, text in enumerate(_burst_texts(turn.text, random.Random(f"{BURST_SEED} {turn_id}")))
        }
        for session, turns in conversation.sessions.items()
    }
    return Conversation(sessions=sessions, questions=conversation.questions)


def _burst_texts(text: str, chooser: random.Random) -> list[str]:
    """Return a turn in two to four messages, each with the speaker's name; a very short one stays whole."""
    speaker, _, content = text.partition(": ")
    words = content.split()
    count = min(chooser.randint(2, MAX_BURST_MESSAGES), max(len(words) // MIN_BURST_WORDS, 1))
    breaks = sorted(_break_places(words, count))
    pieces = [words[start:end] for start, end in zip([0, *breaks], [*breaks, len(words)], strict=True)]
    return [f"{speaker}: {' '.join(_with_typo(piece, chooser))}" for piece in pieces]


def _break_places(words: list[str], count: int) -> list[int]:
    """Return where to split, near equal lengths, preferably after punctuation."""
    places: list[int] = []
    for number in range(1, count):
        ideal, first = number * len(words) // count, (places[-1] if places else 0) + 1
        window = range(max(first, ideal - 3), min(len(words), ideal + 4))
        after_sentence = [place for place in window if words[place - 1][-1] in ".!?,;"]
        candidates = after_sentence or [max(first, ideal)]
        places.append(min(candidates, key=lambda place: abs(place - ideal)))
    return places


def _with_typo(words: list[str], chooser: random.Random) -> list[str]:
    """Return the words, in one of five messages with two letters of a word exchanged or one left out."""
    long_words = [place for place, word in enumerate(words) if len(word) >= MIN_TYPO_CHARS and word.isalpha()]
    if not long_words or chooser.random() >= TYPO_SHARE:
        return words
    place = chooser.choice(long_words)
    word, letter = words[place], chooser.randrange(1, len(words[place]) - 1)
    swapped = word[:letter] + word[letter + 1] + word[letter] + word[letter + 2 :]
    typo = chooser.choice([swapped, word[:letter] + word[letter + 1 :]])
    return [*words[:place], typo, *words[place + 1 :]]


def _score_conversation(
    conversation: Conversation,
    embedder: CachedEmbedder,
    settings: Mapping[str, object],
    *,
    max_passages: int = MAX_PASSAGES,
) -> Iterator[tuple[str, RecallMetrics]]:
    with open_harness(embedder, settings) as harness:
        turn_ids = add_conversation(harness, conversation)
        harness.flush()
        for question in progress(conversation.questions, "LoCoMo questions"):
            results = harness.search(question.text, limit=max_passages, at=conversation.ends_at)
            messages = [turn_ids[each.message] for each in results if each.message in turn_ids]
            turns = list(dict.fromkeys(message.partition("#")[0] for message in messages))
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
