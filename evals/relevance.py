"""
Relevance: which part of the injected context is relevant to the question, and whether anything needed is missing.

Each person's chats are added with their dates, jobs are run as installed, messages of other people are added as other
chats, and each question is asked through `Memory.context`. An injected item is relevant if it comes from a labelled
span: a memory whose source overlaps the quote, a text that contains the quote, or a text of which half is the quote.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import EvalHarness, Turn, open_harness
from evals.locomo import read_conversations
from evals.measures import Figures
from evals.progress import progress
from evals.sets import DISTRACTORS_FILE, SETS_FOLDER, read_rows
from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.receipt import ReceiptItem
from recollect.text.triviality import triviality_reason

PEOPLE_FOLDER = SETS_FOLDER / "relevance"
#: Share of an item's characters that must lie within the quote for the item to be relevant.
MIN_QUOTE_SHARE = 0.5
MESSAGES_PER_DISTRACTOR_CHAT = 20
DISTRACTOR_SEED = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A labelled span: the part of a message that is relevant to a question."""

    message: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    kind: str
    text: str
    at: datetime
    chat: str | None
    needed: tuple[tuple[Quote, ...], ...]  #: groups of alternatives: one of each group is needed
    also: tuple[Quote, ...]  #: relevant, but not needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    name: str
    language: str
    split: str
    chats: Mapping[str, Mapping[str, Turn]]  #: messages by id, by chat
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An injected item with the characters of the message that it comes from."""

    message: str
    start: int
    end: int
    text: str
    role: str | None
    source: str


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What one question injected."""

    person: Person
    question: Question
    items: list[Item]
    relevant: list[bool]
    groups_answered: int
    repeats: int
    small_talk: int
    item_tokens: list[int]
    tokens: int


@dataclass(slots=True, kw_only=True)
class PersonStore:
    """A memory that contains one person's chats, with the label ids of its messages."""

    harness: EvalHarness
    person: Person
    labels: dict[str, str] = field(default_factory=dict)  #: label id of each stored message
    spans: dict[str, tuple[str, int, int]] = field(default_factory=dict)  #: source span of each memory

    def load(self, distractors: Sequence[Turn]) -> None:
        for chat, messages in self.person.chats.items():
            for label, turn in messages.items():
                if turn.created_at is not None:
                    self.harness.clock.current = turn.created_at
                [id_] = self.harness.add_turns(chat, [turn])
                if id_ is not None:
                    self.labels[id_] = label
        self.harness.flush()
        for start in range(0, len(distractors), MESSAGES_PER_DISTRACTOR_CHAT):
            turns = distractors[start : start + MESSAGES_PER_DISTRACTOR_CHAT]
            self.harness.add_turns(f"other {start // MESSAGES_PER_DISTRACTOR_CHAT}", turns)
        self.harness.flush()
        for memory in self.harness.memory.get_all(limit=1_000_000):
            if memory.spans:
                span = memory.spans[0]
                self.spans[memory.id] = (span.message_id, span.start, span.end)

    def ask(self, question: Question, settings: Mapping[str, object] | None = None) -> Outcome:
        self.harness.clock.current = question.at
        block = self.harness.memory.context(question.text, chat_id=question.chat, settings=settings)
        return self.score(question, block.receipt.injected_items, block.tokens)

    def score(self, question: Question, injected: Sequence[ReceiptItem], tokens: int) -> Outcome:
        items = [
            self.locate(id_=each.id, text=each.text, role=each.role, source=each.source) for each in injected
        ]
        group_hits = [
            [place for place, item in enumerate(items) if any(self.matches(item, quote) for quote in group)]
            for group in question.needed
        ]
        also_hits = [
            [place for place, item in enumerate(items) if self.matches(item, quote)]
            for quote in question.also
        ]
        relevant = {place for hits in (*group_hits, *also_hits) for place in hits}
        return Outcome(
            person=self.person,
            question=question,
            items=items,
            relevant=[place in relevant for place in range(len(items))],
            groups_answered=sum(map(bool, group_hits)),
            repeats=sum(max(len(hits) - 1, 0) for hits in group_hits),
            small_talk=sum(is_small_talk(item) for item in items),
            item_tokens=[each.tokens for each in injected],
            tokens=tokens,
        )

    def matches(self, item: Item, quote: Quote) -> bool:
        if item.message != quote.message:
            return False
        start = self.content(quote.message).find(quote.text)
        overlap = min(item.end, start + len(quote.text)) - max(item.start, start)
        if item.source == "memory":
            return overlap > 0
        return overlap >= len(quote.text) or overlap >= MIN_QUOTE_SHARE * (item.end - item.start) > 0

    def content(self, label: str) -> str:
        return next(messages[label].text for messages in self.person.chats.values() if label in messages)

    def locate(self, *, id_: str, text: str, role: str | None, source: str) -> Item:
        message, start, end = self.spans.get(id_, (id_.partition("#")[0], 0, 0))
        label = self.labels.get(message, "")
        if label and id_ not in self.spans:
            start, end = _find_span(self.content(label), text)
        return Item(
            message=label,
            start=start,
            end=end,
            text=text,
            role=role,
            source=source,
        )


def read_people(split: str, names: Sequence[str] = ()) -> list[Person]:
    people = [_parse_person(path) for path in sorted(PEOPLE_FOLDER.glob(f"{split}-*.json"))]
    wanted = {name.casefold() for name in names}
    return [person for person in people if not wanted or person.name.casefold() in wanted]


def read_distractors(person: Person, count: int, data: Path | None) -> list[Turn]:
    """Return messages of other people: of the development half, of LoCoMo if given, and generated ones."""
    turns = [
        turn
        for other in read_people("dev")
        if other.name != person.name
        for messages in other.chats.values()
        for turn in messages.values()
    ]
    if data is not None:
        turns += [
            turn
            for conversation in read_conversations(data)
            for session in conversation.sessions.values()
            for turn in session.values()
        ]
    generated = [Turn(text=row["text"]) for row in read_rows(DISTRACTORS_FILE)]
    shuffler = random.Random(f"{DISTRACTOR_SEED} {person.name}")
    shuffler.shuffle(turns)
    shuffler.shuffle(generated)
    # A tenth is generated, the rest is written by people; generated ones fill up a large store.
    generated_count = max(count // 10, count - len(turns))
    return (turns[: count - generated_count] + generated[:generated_count])[:count]


def run(
    embedder: CachedEmbedder,
    settings: Mapping[str, object],
    *,
    split: str,
    distractor_counts: Sequence[int],
    people: Sequence[str],
    data: Path | None,
) -> Figures:
    figures: Figures = {}
    for count in distractor_counts:
        outcomes = [
            outcome
            for person in progress(read_people(split, people), f"people, {count} distractors")
            for outcome in ask_all(person, embedder, settings, read_distractors(person, count, data))
        ]
        figures[f"{count} distractors"] = summarize(outcomes)
    return figures


def ask_all(
    person: Person, embedder: CachedEmbedder, settings: Mapping[str, object], distractors: Sequence[Turn]
) -> Iterator[Outcome]:
    with open_harness(embedder, settings, extract=True) as harness:
        store = PersonStore(harness=harness, person=person)
        store.load(distractors)
        for question in person.questions:
            yield store.ask(question)


def summarize(outcomes: Sequence[Outcome]) -> Figures:
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    by_language: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.question.kind].append(outcome)
        by_language[outcome.person.language].append(outcome)
    return {
        **_figures(outcomes),
        "by_language": {name: _figures(group) for name, group in sorted(by_language.items())},
        "by_kind": {name: _figures(group) for name, group in sorted(by_kind.items())},
    }


def _figures(outcomes: Sequence[Outcome]) -> Figures:
    asking = [each for each in outcomes if each.question.needed]
    needless = [each for each in outcomes if not each.question.needed]
    single = [each for each in asking if len(each.question.needed) == 1]
    relevant_tokens = sum(
        tokens
        for each in outcomes
        for tokens, is_relevant in zip(each.item_tokens, each.relevant, strict=True)
        if is_relevant
    )
    figures: Figures = {
        "answered": _percent(sum(each.groups_answered > 0 for each in asking), len(asking)),
        "answered, all groups": _percent(
            sum(each.groups_answered == len(each.question.needed) for each in asking), len(asking)
        ),
        "precision": _percent(
            sum(sum(each.relevant) for each in outcomes), sum(len(each.items) for each in outcomes)
        ),
        "precision by tokens": _percent(relevant_tokens, sum(sum(each.item_tokens) for each in outcomes)),
        "empty where right": _percent(sum(not any_wrong(each) for each in needless), len(needless)),
        "items": _mean([len(each.items) for each in outcomes]),
        "items where one answers": _mean([len(each.items) for each in single]),
        "tokens": _mean([each.tokens for each in outcomes]),
        "repeats": sum(each.repeats for each in outcomes),
        "small talk": sum(each.small_talk for each in outcomes),
        "n": len(outcomes),
    }
    return {name: value for name, value in figures.items() if value != ""}


def any_wrong(outcome: Outcome) -> bool:
    """Whether a question that needs no memory injected something else than a harmless item on its topic."""
    return not all(outcome.relevant)


def is_small_talk(item: Item) -> bool:
    if item.source == "memory":
        return False
    role = Role.ASSISTANT if item.role == "assistant" else Role.USER
    return triviality_reason(item.text, role, TriagePolicy()) is not None


def _percent(part: float, whole: float) -> float | str:
    return round(100 * part / whole, 1) if whole else ""


def _mean(values: Sequence[float]) -> float | str:
    return round(sum(values) / len(values), 2) if values else ""


def _find_span(content: str, text: str) -> tuple[int, int]:
    """Return where a text is in the message; spaces may differ."""
    start = content.find(text)
    if start >= 0:
        return start, start + len(text)
    words = text.split()
    start = content.find(words[0]) if words else -1
    while start >= 0:
        position = start
        for word in words:
            next_position = content.find(word, position)
            if next_position < 0 or content[position:next_position].strip():
                break
            position = next_position + len(word)
        else:
            return start, position
        start = content.find(words[0], start + 1)
    return 0, 0


def _parse_person(path: Path) -> Person:
    raw = json.loads(path.read_text(encoding="utf-8"))
    chats = {}
    for chat in raw["chats"]:
        started_at = datetime.fromisoformat(chat["at"])
        chats[chat["id"]] = {
            message["id"]: Turn(
                text=message["content"],
                role=message["role"],
                created_at=started_at + timedelta(minutes=place),
            )
            for place, message in enumerate(chat["messages"])
        }
    return Person(
        name=raw["person"],
        language=raw["language"],
        split=raw["split"],
        chats=chats,
        questions=tuple(_parse_question(each) for each in raw["questions"]),
    )


def _parse_question(raw: Mapping[str, Any]) -> Question:
    return Question(
        kind=raw["kind"],
        text=raw["text"],
        at=datetime.fromisoformat(raw["at"]),
        chat=raw.get("chat"),
        needed=tuple(tuple(map(_parse_quote, group)) for group in raw["needed"]),
        also=tuple(map(_parse_quote, raw["also"])),
    )


def _parse_quote(raw: Mapping[str, str]) -> Quote:
    return Quote(message=raw["message"], text=raw["quote"])
