"""The candidates of a query, as they come from the indexes in a few batches."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.candidate import Candidate, Hit, PassageKey, Rejection, ScoredCandidate, Source
from recollect.domain.decay import decay_rate, weight_at
from recollect.domain.memory import Memory
from recollect.domain.policy import DecayPolicy
from recollect.domain.search import CandidateBatch, SearchPass
from recollect.retrieval import reasons
from recollect.retrieval.query_features import is_question
from recollect.retrieval.relevance import is_unrelated
from recollect.text.tokens import estimate_tokens

#: Lexical scores count fully if the best hit covers at least this share of the query terms.
TRUSTED_QUERY_COVERAGE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSet:
    """The candidates of a query so far, in the order in which they came, and what the receipt counts."""

    by_key: Mapping[PassageKey, Candidate] = field(default_factory=dict)
    best_lexical_hit: Hit | None = None  #: the hit with the highest BM25 score
    has_all_memories: bool = False  #: whether the user has so few memories that all of them are candidates
    sources: Mapping[str, int] = field(default_factory=dict)  #: hits per source before ranking

    def __bool__(self) -> bool:
        return bool(self.by_key)

    @property
    def candidates(self) -> list[Candidate]:
        return list(self.by_key.values())

    @property
    def passage_ids(self) -> frozenset[int]:
        return frozenset(c.passage_id for c in self.by_key.values() if c.passage_id is not None)

    @property
    def lexical_confidence(self) -> float:
        """Lexical scores count less if the best hit covers little of the query."""
        best = self.best_lexical_hit
        return min(best.query_coverage / TRUSTED_QUERY_COVERAGE, 1.0) if best else 0.0

    def add(self, candidates: Iterable[Candidate], **counts: int) -> "CandidateSet":
        """
        Return the set with candidates that it does not contain yet, and with larger counts of hits.

        Messages without text, such as those of tool calls alone, are no candidates.
        """
        added = {c.key: c for c in candidates if c.text.strip()}
        return replace(
            self,
            by_key={**self.by_key, **{key: c for key, c in added.items() if key not in self.by_key}},
            sources=_sum_counts(self.sources, counts),
        )

    def add_passes(
        self, passes: Sequence[SearchPass], lexical_hits: Sequence[Sequence[Hit]], batch: CandidateBatch
    ) -> "CandidateSet":
        """Return the set with the results of search passes."""
        result = self
        for search_pass, hits, each in zip(passes, lexical_hits, batch.passes, strict=True):
            counts = {f"{search_pass.scope_label}_dense": each.dense_count, "lexical": len(hits)}
            if Source.SUMMARY in search_pass.search_filter.sources:
                counts["summaries"] = sum(c.source is Source.SUMMARY for c in each.candidates)
            result = result.add(each.candidates, **counts)
            best = result.best_lexical_hit
            if hits and (best is None or hits[0].score > best.score):
                result = replace(result, best_lexical_hit=hits[0])
        return result

    def add_all_memories(self, memories: Collection[Candidate]) -> "CandidateSet":
        return replace(self.add(memories), has_all_memories=True) if memories else self

    def without_messages(self, message_ids: frozenset[str]) -> tuple["CandidateSet", list[Rejection]]:
        """Return the set without the candidates of these messages, and those as rejections."""
        removed = [c for c in self.by_key.values() if (c.parent_id or c.id) in message_ids]
        keys = {c.key for c in removed}
        kept = {key: c for key, c in self.by_key.items() if key not in keys}
        return replace(self, by_key=kept), [
            Rejection(scored=ScoredCandidate(candidate=c, score=0.0), reason=reasons.ALREADY_IN_PROMPT)
            for c in removed
        ]

    def with_answer_logits(self, similarities: Mapping[int, float], offset: float) -> "CandidateSet":
        """Return the set with the logit that each passage answers the query, from its similarity by passage id."""
        return replace(
            self,
            by_key={
                key: c._replace(answer_logit=similarities[c.passage_id] + offset)
                if c.passage_id is not None and c.passage_id in similarities
                else c
                for key, c in self.by_key.items()
            },
        )

    def with_decay(self, now: datetime, policy: DecayPolicy) -> "CandidateSet":
        """Return the set with the decayed weights of memories at `now` instead of the stored ones."""
        return replace(self, by_key={key: _decayed(c, now, policy) for key, c in self.by_key.items()})


def count_chat_matches(
    passes: Sequence[SearchPass],
    batch: CandidateBatch,
    *,
    cosine_floor: float,
    visible_ids: frozenset[str],
    counts_questions: bool = True,
) -> int:
    """Count the relevant candidates of the passes over a chat that the prompt does not contain already."""
    return sum(
        (c.parent_id or c.id) not in visible_ids
        and not is_unrelated(c, cosine_floor)
        and (counts_questions or not is_question(c.text))
        for search_pass, each in zip(passes, batch.passes, strict=True)
        if search_pass.scope.chat is not None
        for c in each.candidates
    )


def without_summarized(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without memories whose message is among them: its summary stands for what was learned."""
    summarized = {(c.chat, c.created_at) for c in candidates if c.source is Source.MESSAGE and c.summary}
    # A memory has the time of its message.
    return [
        c for c in candidates if c.source is not Source.MEMORY or (c.chat, c.created_at) not in summarized
    ]


def _decayed(candidate: Candidate, now: datetime, policy: DecayPolicy) -> Candidate:
    kind = candidate.kind
    if kind is None or decay_rate(kind, candidate.weight, policy) <= 0:
        return candidate
    weight = weight_at(kind, candidate.weight, candidate.last_stated_at, now, policy, pinned=candidate.pinned)
    return candidate._replace(weight=weight, importance=round(100 * weight))


def _sum_counts(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    return {**one, **{name: one.get(name, 0) + count for name, count in other.items()}} if other else one


def candidate_from_memory(memory: Memory) -> Candidate:
    """Return a memory as a candidate that no index returned."""
    return Candidate(
        source=Source.MEMORY,
        id=memory.id,
        chat=memory.chat,
        role=memory.speaker,
        text=memory.text,
        created_at=memory.created_at,
        last_stated_at=memory.last_stated_at,
        tokens=estimate_tokens(memory.text),
        kind=memory.kind,
        weight=memory.weight,
        importance=memory.importance,
        version=memory.version,
        pinned=memory.pinned,
        metadata=memory.metadata,
    )
