"""A year of talk with one user in two languages, and what a thoughtful person would have written down."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect.domain.memory import Kind, Memory, MemoryStatus

SCRIPT_FILE = Path(__file__).with_name("long_conversation.txt")
ROLES_BY_PREFIX = {"me": "user", "ai": "assistant", "tool": "tool"}
_CHAT_PATTERN = re.compile(r"== (.+) (\d{4}-\d\d-\d\d \d\d:\d\d)")
_TURN_PATTERN = re.compile(r"(me|ai|tool): (.*)", re.DOTALL)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTurn:
    chat: str
    role: str
    text: str
    sent_at: datetime


def load_turns() -> list[ScriptTurn]:
    """Everything that was said, in the order of time."""
    return sorted(_parse_script(SCRIPT_FILE.read_text(encoding="utf-8")), key=lambda turn: turn.sent_at)


def _parse_script(script: str) -> Iterator[ScriptTurn]:
    for part in re.split(r"^(?=== )", script, flags=re.MULTILINE)[1:]:
        heading, _, talk = part.partition("\n")
        chat_heading = _CHAT_PATTERN.fullmatch(heading)
        assert chat_heading, heading
        began_at = datetime.fromisoformat(chat_heading[2]).replace(tzinfo=UTC)
        for place, turn_text in enumerate(re.split(r"^(?=(?:me|ai|tool): )", talk, flags=re.MULTILINE)[1:]):
            turn = _TURN_PATTERN.fullmatch(turn_text.rstrip("\n"))
            assert turn, turn_text
            yield ScriptTurn(
                chat=chat_heading[1],
                role=ROLES_BY_PREFIX[turn[1]],
                text=turn[2],
                sent_at=began_at + place * MINUTE,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedMemory:
    """A memory by the words it must contain."""

    kind: Kind
    words: tuple[str, ...]
    status: MemoryStatus = MemoryStatus.ACTIVE
    since: str = ""  #: how the day it holds from begins, in ISO form
    until: str = ""
    times_stated: int | None = None

    def matches(self, memory: Memory) -> bool:
        return (
            memory.kind is self.kind
            and memory.status is self.status
            and all(word.casefold() in memory.text.casefold() for word in self.words)
            and (memory.valid_from or memory.created_at).isoformat().startswith(self.since)
            and (memory.valid_to.isoformat() if memory.valid_to else "").startswith(self.until)
            and self.times_stated in {None, memory.times_stated}
        )


def _active(kind: Kind, *words: str, since: str = "", times_stated: int | None = None) -> ExpectedMemory:
    return ExpectedMemory(kind=kind, words=words, since=since, times_stated=times_stated)


def _superseded(kind: Kind, *words: str, since: str, until: str) -> ExpectedMemory:
    """True for a while, and history now."""
    return ExpectedMemory(kind=kind, words=words, status=MemoryStatus.SUPERSEDED, since=since, until=until)


EXPECTED_MEMORIES = (
    # who she is
    _active(Kind.BIOGRAPHY, "name", "Catarina"),
    _active(Kind.BIOGRAPHY, "birthday", "12 June"),
    _active(Kind.BIOGRAPHY, "34"),
    _active(Kind.BIOGRAPHY, "asthma"),
    _active(Kind.EVENT, "coeliac disease", "2026-08"),
    _active(Kind.BIOGRAPHY, "doadora de sangue"),
    _active(Kind.BIOGRAPHY, "fala português"),
    _active(Kind.BIOGRAPHY, "fala inglês"),
    _active(Kind.BIOGRAPHY, "fala espanhol"),
    _active(Kind.BIOGRAPHY, "aula de holandês", "quinta"),
    # where she lives and works
    _active(Kind.EVENT, "Porto", "2026-09-04", since="2026-09-04"),
    _active(Kind.BIOGRAPHY, "tech lead", "Windfarer"),
    _active(Kind.BIOGRAPHY, "manager", "Ingrid"),
    _active(Kind.EVENT, "resigned from Oceanwise", "2026-09-22"),
    # her people
    _active(Kind.BIOGRAPHY, "namorada", "alérgica a amendoim"),
    _active(Kind.BIOGRAPHY, "namorada", "holandesa"),
    _active(Kind.NOTE, "Noor's parents", "Dutch and French"),
    _active(Kind.EVENT, "irmã", "Braga"),
    _active(Kind.BIOGRAPHY, "mother", "Parkinson's"),
    _active(Kind.EVENT, "pai faleceu", "2019"),
    # what she likes, and what she does not
    _active(Kind.PREFERENCE, "não gosta de coentro"),
    _active(Kind.PREFERENCE, "prato preferido", "moqueca de banana-da-terra"),
    _active(Kind.PREFERENCE, "comer peixe"),
    _active(Kind.PREFERENCE, "hates treadmills"),
    _active(Kind.PREFERENCE, "coffee", "any more"),
    _active(Kind.PREFERENCE, "writer", "Szymborska"),
    _active(Kind.PREFERENCE, "prefere hotéis pequenos"),
    # how she wants to be answered
    _active(Kind.DECISION, "English unless", "Portuguese"),
    _active(Kind.PREFERENCE, "short sentences without adjectives"),
    _active(Kind.DECISION, "diff only"),
    # what she feels
    _active(Kind.EMOTION, "anxious every time the hospital calls"),
    _active(Kind.EMOTION, "pavor de avião"),
    # what she is after, and what she did
    _active(Kind.EVENT, "ran the half marathon", "2026-10-11"),
    _active(Kind.GOAL, "holandês", "2027"),
    _active(Kind.GOAL, "swim five kilometres in open water"),
    _active(Kind.GOAL, "publish Tideline on the App Store", "2027"),
    _active(Kind.EVENT, "Roterdã", "20 de dezembro"),
    # her project
    _active(Kind.DECISION, "building an app called Tideline"),
    _active(Kind.DECISION, "from PostgreSQL to SQLite"),
    _active(Kind.DECISION, "timestamps must be stored in UTC"),
    _active(Kind.DECISION, "never add a dependency without asking", times_stated=2),
    _active(Kind.DECISION, "has to work offline"),
    _active(Kind.DECISION, "Ruff for linting"),
    _active(Kind.DECISION, "beta must be out by 30 June"),
    _active(Kind.DECISION, "widget comes first and the watch app second"),
    _active(Kind.NOTE, "API key for the harbour feed expires on 1 December"),
    # what was true once
    _superseded(Kind.BIOGRAPHY, "lives in Lisbon", since="2026-01-05", until="2026-09-04"),
    _superseded(Kind.BIOGRAPHY, "data engineer at Oceanwise", since="2026-01-05", until="2026-12-01"),
    _superseded(Kind.BIOGRAPHY, "33", since="2026-01-05", until="2026-06-1"),
    _superseded(Kind.PREFERENCE, "vegetariana", since="2018", until="2026-09-06"),
    _superseded(Kind.PREFERENCE, "loves black coffee", since="2026-02-20", until="2026-10-12"),
    _superseded(Kind.BIOGRAPHY, "sister", "Coimbra", since="2026-05-11", until="2026-06"),
    _superseded(Kind.GOAL, "half marathon", since="2026-02-20", until="2026-10-1"),
    _superseded(Kind.DECISION, "PostgreSQL for the measurements", since="2026-02-02", until="2026-11"),
    _superseded(Kind.DECISION, "beta must be out by 15 May", since="2026-02-02", until="2026-03-21"),
)
