"""Candidates and recollections for the tests of this room: say what matters, the rest is filled in."""

from datetime import datetime, timedelta
from typing import TypedDict, Unpack

from hypothesis import strategies as st

from recollect.domain.candidate import Candidate, ChatPosition, ScoredCandidate, Source
from recollect.domain.memory import Kind
from recollect.domain.message import ChunkKind, Role
from recollect.testing.clock import MONDAY
from recollect.text.tokens import estimate_tokens


class CandidateFields(TypedDict, total=False):
    id: str
    source: Source
    last_stated_at: datetime
    parent_id: str | None
    position: ChatPosition | None
    role: Role | None
    kind: Kind | None
    chunk_kind: ChunkKind | None
    weight: float
    importance: int | None
    dense: float | None
    lexical: float | None


def a_candidate(text: str, **fields: Unpack[CandidateFields]) -> Candidate:
    """A message of Monday morning that no channel has said anything about."""
    candidate = Candidate(
        source=Source.MESSAGE,
        id=text,
        text=text,
        created_at=MONDAY,
        last_stated_at=MONDAY,
        tokens=estimate_tokens(text),
    )
    return candidate._replace(**fields)


def a_fact(text: str, **fields: Unpack[CandidateFields]) -> Candidate:
    """The same as a memory: it has a kind."""
    return a_candidate(text, **fields)._replace(source=Source.MEMORY, kind=Kind.PREFERENCE)


def a_scored_candidate(candidate: Candidate, score: float = 0.5) -> ScoredCandidate:
    return ScoredCandidate(candidate=candidate, score=score)


shares = st.floats(0, 1)
candidates = st.builds(
    lambda name, source, dense, lexical, weight, age: a_candidate(
        name, source=source, dense=dense, lexical=lexical, weight=weight
    )._replace(
        last_stated_at=MONDAY - timedelta(days=age),
    ),
    name=st.text("abc", min_size=1, max_size=3),
    source=st.sampled_from([Source.MESSAGE, Source.MEMORY, Source.SUMMARY]),
    dense=st.none() | st.floats(-1, 1),
    lexical=st.none() | st.floats(0, 20),
    weight=shares,
    age=st.integers(0, 4000),
)
distinct_candidates = st.lists(candidates, unique_by=lambda c: c.key, max_size=8)
