"""What retrieval asks of the store's indexes, and what it gets back."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.candidate import Candidate, Hit, SearchFilter
from recollect.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPass:
    """One search of both channels, dense and lexical, over a scope and some sources."""

    scope: Scope
    search_filter: SearchFilter

    @property
    def scope_label(self) -> str:
        """Return the label of the scope in receipts."""
        return "global" if self.scope.chat is None else "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseQuery:
    """A query vector, the model that made it, and the weight of the centroid correction."""

    vector: "array[float]"
    model: str
    centroid_penalty: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedSearch:
    """The messages of a half-open time interval that are nearest to the query."""

    scope: Scope
    search_filter: SearchFilter
    starts_at: datetime
    ends_at: datetime
    max_compared: int  #: newest messages of the interval whose cosines are compared
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRequest:
    """Passes of both channels and dated searches, answered in one call."""

    scope: Scope
    dense: DenseQuery | None  #: None: only the lexical hits are loaded
    passes: tuple[SearchPass, ...] = ()  #: their filters differ in the sources only
    lexical_hits: Sequence[Sequence[Hit]] = ()  #: hits of the lexical channel, for each pass
    limit: int = 0  #: dense hits of each pass, or important passages
    important: SearchPass | None = (
        None  #: also return the most important passages of this scope, with cosines
    )
    dated: tuple[DatedSearch, ...] = ()  #: ignored without a query vector
    known_ids: frozenset[int] = frozenset()  #: passages that a dated search need not return
    include_neighbours: bool = False  #: whether positions of messages include the messages before and after
    max_all_memories: int = 0  #: return all memories if there are at most this many


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCandidates:
    """The visible hits of both channels of one pass, each with the scores of both channels."""

    candidates: tuple[Candidate, ...] = ()
    dense_count: int = 0  #: hits of the dense channel


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateBatch:
    passes: tuple[PassCandidates, ...] = ()  #: in the order of the request
    important: tuple[Candidate, ...] = ()
    dated: tuple[Candidate, ...] = ()
    all_memories: tuple[Candidate, ...] = ()  #: empty if there are more than the request allows
