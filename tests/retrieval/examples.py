"""Candidates and recollections for the tests of this room: say what matters, the rest is filled in."""

from datetime import datetime
from typing import TypedDict, Unpack

from recollect.domain.candidate import Candidate, Place, Recollection, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.testing.clock import MONDAY
from recollect.text.tokens import estimate


class Parts(TypedDict, total=False):
    id: str
    source: Source
    seen_at: datetime
    parent: str | None
    place: Place | None
    role: Role | None
    kind: Kind | None
    chunk_kind: ChunkKind | None
    weight: float
    importance: int | None
    dense: float | None
    lexical: float | None


def a_candidate(text: str, **changes: Unpack[Parts]) -> Candidate:
    """A message of Monday morning that no channel has said anything about."""
    candidate = Candidate(
        source=Source.MESSAGE,
        id=text,
        text=text,
        created_at=MONDAY,
        seen_at=MONDAY,
        tokens=estimate(text),
    )
    return candidate._replace(**changes)


def a_fact(text: str, **changes: Unpack[Parts]) -> Candidate:
    """The same as a memory: it has a kind."""
    return a_candidate(text, **changes)._replace(source=Source.MEMORY, kind=Kind.PREF)


def found(candidate: Candidate, score: float = 0.5) -> Recollection:
    return Recollection(candidate=candidate, score=score)
