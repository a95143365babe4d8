"""A year of talk with one user in two languages, and what a thoughtful person would have written down."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect.domain.memory import Kind, Memory, Standing

SCRIPT = Path(__file__).with_name("long_conversation.txt")
ROLES = {"me": "user", "ai": "assistant", "tool": "tool"}
_CHAT = re.compile(r"== (.+) (\d{4}-\d\d-\d\d \d\d:\d\d)")
_TURN = re.compile(r"(me|ai|tool): (.*)", re.DOTALL)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    chat: str
    role: str
    text: str
    said_at: datetime


def turns() -> list[Turn]:
    """Everything that was said, in the order of time."""
    return sorted(_parsed(SCRIPT.read_text(encoding="utf-8")), key=lambda turn: turn.said_at)


def _parsed(script: str) -> Iterator[Turn]:
    for part in re.split(r"^(?=== )", script, flags=re.MULTILINE)[1:]:
        heading, _, talk = part.partition("\n")
        named = _CHAT.fullmatch(heading)
        assert named, heading
        began_at = datetime.fromisoformat(named[2]).replace(tzinfo=UTC)
        for place, said in enumerate(re.split(r"^(?=(?:me|ai|tool): )", talk, flags=re.MULTILINE)[1:]):
            turn = _TURN.fullmatch(said.rstrip("\n"))
            assert turn, said
            yield Turn(chat=named[1], role=ROLES[turn[1]], text=turn[2], said_at=began_at + place * MINUTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A memory by the words it must contain."""

    kind: Kind
    words: tuple[str, ...]
    standing: Standing = Standing.ACTIVE
    since: str = ""  #: how the day it holds from begins, in ISO form
    until: str = ""
    sightings: int | None = None

    def is_met_by(self, memory: Memory) -> bool:
        return (
            memory.kind is self.kind
            and memory.standing is self.standing
            and all(word.casefold() in memory.text.casefold() for word in self.words)
            and (memory.valid_from or memory.created_at).isoformat().startswith(self.since)
            and (memory.valid_to.isoformat() if memory.valid_to else "").startswith(self.until)
            and self.sightings in {None, memory.sightings}
        )


def _known(kind: Kind, *words: str, since: str = "", sightings: int | None = None) -> Wanted:
    return Wanted(kind=kind, words=words, since=since, sightings=sightings)


def _once(kind: Kind, *words: str, since: str, until: str) -> Wanted:
    """True for a while, and history now."""
    return Wanted(kind=kind, words=words, standing=Standing.SUPERSEDED, since=since, until=until)


WANTED = (
    # who she is
    _known(Kind.BIO, "name", "Catarina"),
    _known(Kind.BIO, "birthday", "12 June"),
    _known(Kind.BIO, "34"),
    _known(Kind.BIO, "asthma"),
    _known(Kind.EVT, "coeliac disease", "2026-08"),
    _known(Kind.BIO, "doadora de sangue"),
    _known(Kind.BIO, "fala português"),
    _known(Kind.BIO, "fala inglês"),
    _known(Kind.BIO, "fala espanhol"),
    _known(Kind.BIO, "aula de holandês", "quinta"),
    # where she lives and works
    _known(Kind.EVT, "Porto", "2026-09-04", since="2026-09-04"),
    _known(Kind.BIO, "tech lead", "Windfarer"),
    _known(Kind.BIO, "manager", "Ingrid"),
    _known(Kind.EVT, "resigned from Oceanwise", "2026-09-22"),
    # her people
    _known(Kind.BIO, "namorada", "alérgica a amendoim"),
    _known(Kind.BIO, "namorada", "holandesa"),
    _known(Kind.NOTE, "Noor's parents", "Dutch and French"),
    _known(Kind.EVT, "irmã", "Braga"),
    _known(Kind.BIO, "mother", "Parkinson's"),
    _known(Kind.EVT, "pai faleceu", "2019"),
    # what she likes, and what she does not
    _known(Kind.PREF, "não gosta de coentro"),
    _known(Kind.PREF, "prato preferido", "moqueca de banana-da-terra"),
    _known(Kind.PREF, "comer peixe"),
    _known(Kind.PREF, "hates treadmills"),
    _known(Kind.PREF, "coffee", "any more"),
    _known(Kind.PREF, "writer", "Szymborska"),
    _known(Kind.PREF, "prefere hotéis pequenos"),
    # how she wants to be answered
    _known(Kind.DEC, "English unless", "Portuguese"),
    _known(Kind.PREF, "short sentences without adjectives"),
    _known(Kind.DEC, "diff only"),
    # what she feels
    _known(Kind.EMO, "anxious every time the hospital calls"),
    _known(Kind.EMO, "pavor de avião"),
    # what she is after, and what she did
    _known(Kind.EVT, "ran the half marathon", "2026-10-11"),
    _known(Kind.OBJ, "holandês", "2027"),
    _known(Kind.OBJ, "swim five kilometres in open water"),
    _known(Kind.OBJ, "publish Tideline on the App Store", "2027"),
    _known(Kind.EVT, "Roterdã", "20 de dezembro"),
    # her project
    _known(Kind.DEC, "building an app called Tideline"),
    _known(Kind.DEC, "from PostgreSQL to SQLite"),
    _known(Kind.DEC, "timestamps must be stored in UTC"),
    _known(Kind.DEC, "never add a dependency without asking", sightings=2),
    _known(Kind.DEC, "has to work offline"),
    _known(Kind.DEC, "Ruff for linting"),
    _known(Kind.DEC, "beta must be out by 30 June"),
    _known(Kind.DEC, "widget comes first and the watch app second"),
    _known(Kind.NOTE, "API key for the harbour feed expires on 1 December"),
    # what was true once
    _once(Kind.BIO, "lives in Lisbon", since="2026-01-05", until="2026-09-04"),
    _once(Kind.BIO, "data engineer at Oceanwise", since="2026-01-05", until="2026-12-01"),
    _once(Kind.BIO, "33", since="2026-01-05", until="2026-06-1"),
    _once(Kind.PREF, "vegetariana", since="2018", until="2026-09-06"),
    _once(Kind.PREF, "loves black coffee", since="2026-02-20", until="2026-10-12"),
    _once(Kind.BIO, "sister", "Coimbra", since="2026-05-11", until="2026-06"),
    _once(Kind.OBJ, "half marathon", since="2026-02-20", until="2026-10-1"),
    _once(Kind.DEC, "PostgreSQL for the measurements", since="2026-02-02", until="2026-11"),
    _once(Kind.DEC, "beta must be out by 15 May", since="2026-02-02", until="2026-03-21"),
)
