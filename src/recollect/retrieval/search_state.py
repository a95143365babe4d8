"""State of one query while it passes through the retriever, and the result."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from recollect.domain.candidate import Candidate, Hit, PassageKey, ScoredCandidate, SearchFilter, Source
from recollect.domain.decay import decay_rate, weight_at
from recollect.domain.policy import DecayPolicy, RecallPolicy
from recollect.domain.scope import Scope
from recollect.retrieval import evidence, ranking
from recollect.retrieval.topics import Topic

#: A search that may already run in the background; calling it waits for its hits.
PendingSearch: TypeAlias = Callable[[], list[Hit]]

ALREADY_IN_PROMPT_REASON = "already in the conversation"
#: Lexical scores count fully if the best hit covers at least this share of the query terms.
TRUSTED_QUERY_COVERAGE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResult:
    """Candidates, best first, and what the receipt reports about the search."""

    candidates: tuple[ScoredCandidate, ...] = ()
    rejections: tuple[tuple[ScoredCandidate, str], ...] = ()
    degraded: tuple[str, ...] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class SearchState:
    """Working state of one query: parameters, candidates so far, degradations and timings."""

    scope: Scope
    query: str
    policy: RecallPolicy
    search_filter: SearchFilter
    cosine_floor: float
    visible_ids: frozenset[str]  #: messages that the prompt already contains
    include_other_chats: bool = False  #: whether summaries of other chats are searched
    topic: Topic | None = None
    pending_lexical: dict[tuple[Scope, SearchFilter], PendingSearch] = field(
        default_factory=dict
    )  #: lexical searches started early
    vector: "array[float] | None" = None
    best_lexical_hit: Hit | None = None  #: the hit with the highest BM25 score
    candidates: dict[PassageKey, Candidate] = field(default_factory=dict)
    index_ids: dict[PassageKey, int] = field(
        default_factory=dict
    )  #: passage ids of candidates from the index
    degraded: list[str] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def fetch_limit(self) -> int:
        """Hits per channel; more for the evidence ranker, because features besides the match reorder them."""
        policy = self.policy
        return (
            max(policy.candidates_per_channel, 5 * policy.limit // 2)
            if policy.ranker == "evidence"
            else policy.candidates_per_channel
        )

    @property
    def centroid_penalty(self) -> float:
        """The penalty, for the evidence ranker only: the other formulas are defined on the plain cosine."""
        return self.policy.centroid_penalty if self.policy.ranker == "evidence" else 0.0

    @property
    def neighbour_limit(self) -> int:
        """Candidates whose neighbours are loaded: at least as many as results are returned, or none."""
        return (
            max(self.policy.neighbour_candidates, self.policy.limit)
            if self.policy.neighbour_candidates
            else 0
        )

    def filter_for(self, sources: frozenset[Source]) -> SearchFilter:
        """Return the search filter restricted to some sources."""
        return replace(self.search_filter, sources=sources)

    def apply_decay(self, now: datetime, policy: DecayPolicy) -> None:
        """Replace the stored weights of memories with their decayed weights at `now`."""
        for key, candidate in self.candidates.items():
            if candidate.kind is not None and decay_rate(candidate.kind, candidate.weight, policy) > 0:
                weight = weight_at(
                    candidate.kind,
                    candidate.weight,
                    candidate.last_stated_at,
                    now,
                    policy,
                    pinned=candidate.pinned,
                )
                self.candidates[key] = candidate._replace(weight=weight, importance=round(100 * weight))

    @property
    def scale(self) -> evidence.ScoreScale:
        """Normalization of scores; lexical scores count less if the best hit covers little of the query."""
        lexical_confidence = (
            min(self.best_lexical_hit.query_coverage / TRUSTED_QUERY_COVERAGE, 1.0)
            if self.best_lexical_hit
            else 0.0
        )
        return evidence.ScoreScale(cosine_floor=self.cosine_floor, lexical_confidence=lexical_confidence)

    def add_timing(self, stage: str, seconds: float) -> None:
        self.timings[stage] = self.timings.get(stage, 0.0) + seconds * 1000

    def count_source(self, source: str, hits: int) -> None:
        self.sources[source] = self.sources.get(source, 0) + hits

    def degrade(self, reason: str) -> None:
        """Record a degradation once, however many passes it affected."""
        if reason not in self.degraded:
            self.degraded.append(reason)

    def add_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Add candidates that are not present yet."""
        for candidate in candidates:
            self.candidates.setdefault(candidate.key, candidate)

    def count_relevant(self, candidates: Iterable[Candidate]) -> int:
        """Count candidates that are relevant and not in the prompt already."""
        return sum(
            not self._is_visible(c) and not ranking.is_unrelated(c, self.cosine_floor) for c in candidates
        )

    def exclude_messages(self, message_ids: frozenset[str]) -> list[tuple[ScoredCandidate, str]]:
        """Remove candidates that belong to these messages and return them as rejections."""
        excluded = [c for c in self.candidates.values() if (c.parent_id or c.id) in message_ids]
        for candidate in excluded:
            del self.candidates[candidate.key]
        return [(ScoredCandidate(candidate=c, score=0.0), ALREADY_IN_PROMPT_REASON) for c in excluded]

    def _is_visible(self, candidate: Candidate) -> bool:
        return (candidate.parent_id or candidate.id) in self.visible_ids
