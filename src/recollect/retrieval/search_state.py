"""A question on its way: where it looks, what was found so far, and what a receipt will tell about it."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from recollect.domain.candidate import Candidate, Hit, Key, Reach, Recollection, Source
from recollect.domain.decay import rate, weight_at
from recollect.domain.policy import Decay, Recall
from recollect.domain.scope import Scope
from recollect.retrieval import evidence, ranking
from recollect.retrieval.topics import Topic

#: A search that may be under way; to call it is to want its hits.
LookUp: TypeAlias = Callable[[], list[Hit]]

TOLD = "already in the conversation"
#: A match of words is taken at its word if the best one holds so much of the question.
TRUSTED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What was found, best first, and all that a receipt tells about it."""

    kept: tuple[Recollection, ...] = ()
    dropped: tuple[tuple[Recollection, str], ...] = ()
    degraded: tuple[str, ...] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Errand:
    """One question on its way through the channels."""

    scope: Scope
    question: str
    policy: Recall
    reach: Reach
    floor: float
    visible: frozenset[str]  #: messages the model sees anyway
    across: bool = False  #: whether what other chats came to may bear on it
    topic: Topic | None = None
    begun: dict[tuple[Scope, Reach], LookUp] = field(default_factory=dict)  #: searches by words
    vector: "array[float] | None" = None
    by_words: Hit | None = None  #: the strongest of them
    found: dict[Key, Candidate] = field(default_factory=dict)
    numbers: dict[Key, int] = field(default_factory=dict)  #: of passages in the index
    degraded: list[str] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def fetch(self) -> int:
        """More than are wanted, where others than the best by themselves may come first."""
        policy = self.policy
        return max(policy.fetch, 5 * policy.limit // 2) if policy.ranker == "evidence" else policy.fetch

    @property
    def middle(self) -> float:
        """The seeds' formulas mean the cosine itself."""
        return self.policy.middle if self.policy.ranker == "evidence" else 0.0

    @property
    def around(self) -> int:
        """Beside as many as are wanted, at least, something may stand that belongs before them."""
        return max(self.policy.around, self.policy.limit) if self.policy.around else 0

    def among(self, sources: frozenset[Source]) -> Reach:
        """As far as it reaches, among these alone."""
        return replace(self.reach, sources=sources)

    def fade(self, now: datetime, policy: Decay) -> None:
        """Weigh memories as they weigh today."""
        for key, candidate in self.found.items():
            if candidate.kind is not None and rate(candidate.kind, candidate.weight, policy) > 0:
                weight = weight_at(
                    candidate.kind,
                    candidate.weight,
                    candidate.seen_at,
                    now,
                    policy,
                    pinned=candidate.pinned,
                )
                self.found[key] = candidate._replace(weight=weight, importance=round(100 * weight))

    @property
    def scale(self) -> evidence.Scale:
        """Words that the question shares with a passage by chance say less than those it is made of."""
        trust = min(self.by_words.covered / TRUSTED, 1.0) if self.by_words else 0.0
        return evidence.Scale(floor=self.floor, trust=trust)

    def spend(self, part: str, seconds: float) -> None:
        self.timings[part] = self.timings.get(part, 0.0) + seconds * 1000

    def count(self, source: str, hits: int) -> None:
        self.sources[source] = self.sources.get(source, 0) + hits

    def degrade(self, reason: str) -> None:
        """Say what does not work, once, however many places were searched without it."""
        if reason not in self.degraded:
            self.degraded.append(reason)

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Keep what is new."""
        for candidate in candidates:
            self.found.setdefault(candidate.key, candidate)

    def bearing(self, candidates: Iterable[Candidate]) -> int:
        """How many of them bear on the question and are not in view already."""
        return sum(not self._in_view(c) and not ranking.unrelated(c, self.floor) for c in candidates)

    def drop(self, messages: frozenset[str]) -> list[tuple[Recollection, str]]:
        """Let go of what these messages say."""
        told = [c for c in self.found.values() if (c.parent or c.id) in messages]
        for candidate in told:
            del self.found[candidate.key]
        return [(Recollection(candidate=c, score=0.0), TOLD) for c in told]

    def _in_view(self, candidate: Candidate) -> bool:
        return (candidate.parent or candidate.id) in self.visible
