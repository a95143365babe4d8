"""
Hybrid retrieval: dense and lexical search, one ranking, filters, optional reranking.

    query ─ strip command, expand ─ embed ┐
            lexical search (background) ──┴─ passes ─ by date, neighbours ─ rank ─ filters ─ rerank ─ limit

1. `search_plan` turns scope and policy into passes. Each pass runs both channels, looks up the cosine of hits found by
   words only, and loads the passages. Fallback passes run if the chat yields fewer than `other_chats_below` hits.
2. With at most `small_store_size` memories all of them become candidates, exempt from the relevance filters.
3. The evidence ranker also gets messages from time ranges in the query, and the neighbours of the best candidates.
4. After ranking: cosine floor, relative cutoff, deduplication, cross-encoder, limits. See `ranking.py`.

Invariants: every ranked candidate ends up in `candidates` or in `rejections` with a reason. Passages are read in one
snapshot; the lexical search may start before it, but returns ids only. A failing channel never fails the query: the
other one answers, and `degraded` says so. Cost besides the embedding: see docs/benchmarks.md. Example with the
defaults: "when did I move?" in chat c takes up to 20 hits per channel from the messages of c and from the user's
memories, adds the neighbours of the best 10, ranks some 60 candidates and returns 8.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.domain.candidate import Candidate, ScoredCandidate, SearchFilter, Source
from recollect.domain.memory import Memory
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ProviderError, StoreError
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Executor, run_inline
from recollect.ports.reranker import Reranker
from recollect.ports.search import Search
from recollect.ports.store import Memories
from recollect.retrieval import evidence, query_expansion, ranking
from recollect.retrieval.query_features import extract_query_features
from recollect.retrieval.search_plan import (
    MEMORY_SOURCES,
    MESSAGE_SOURCES,
    SOURCES_BY_POLICY,
    SearchPass,
    fallback_passes,
    primary_passes,
)
from recollect.retrieval.search_state import PendingSearch, RetrievalResult, SearchState
from recollect.retrieval.topics import detect_topic
from recollect.text.dates import TimeRange
from recollect.text.identifiers import extract_identifiers
from recollect.text.tokens import estimate_tokens

MESSAGES_ONLY = frozenset({Source.MESSAGE})
#: Newest messages of a time range in the query that are compared by cosine.
MAX_DATED_MESSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    search: Search
    memories: Memories
    embedder: Embedder | None
    clock: Clock
    reranker: Reranker | None = None
    executor: Executor = run_inline

    def __call__(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        visible_ids: frozenset[str] = frozenset(),
        in_prompt: frozenset[str] = frozenset(),
        relative_cutoff: float = 0.0,
        as_of: datetime | None = None,
    ) -> RetrievalResult:
        """
        Return the passages relevant to the query, best first.

        `visible_ids` are messages that the model sees anyway: they do not count as hits of the chat. `in_prompt` are
        messages that are in the prompt verbatim: they are removed from the candidates. Candidates that score below
        `relative_cutoff` times the best score are rejected.
        """
        state = self._start_search(scope, query, policy, visible_ids | in_prompt, as_of)
        if not state.query:
            return RetrievalResult()
        self._start_lexical(state)
        self._embed_query(state)
        now = as_of or self.clock.now()
        with self.search.snapshot():
            exempt_sources = MEMORY_SOURCES if self._collect_candidates(state) else frozenset()
            in_prompt_rejections = state.exclude_messages(in_prompt)
            state.apply_decay(now, policy.decay)
            ranked = self._rank(state, now=now)
        started = self.clock.monotonic()
        related, unrelated = ranking.drop_unrelated(ranked, state.cosine_floor, exempt_sources=exempt_sources)
        above_cutoff, below_cutoff = ranking.drop_below_cutoff(
            related, relative_cutoff, exempt_sources=exempt_sources
        )
        unique, duplicates = ranking.deduplicate(above_cutoff)
        state.add_timing("rank_ms", self.clock.monotonic() - started)
        candidates, over_limit = ranking.limit_results(self._rerank(state, unique), policy.recall)
        candidates = candidates or self._recent_memories(state)
        return RetrievalResult(
            candidates=tuple(candidates),
            rejections=(*over_limit, *duplicates, *below_cutoff, *unrelated, *in_prompt_rejections),
            degraded=tuple(state.degraded),
            sources=state.sources,
            timings=state.timings,
        )

    def _collect_candidates(self, state: SearchState) -> bool:
        """Collect candidates; return True if there are so few memories that all of them were added."""
        if state.policy.ranker == "importance":
            self._add_important(state)
        else:
            self._search_passes(state)
            if not state.candidates and state.search_filter.kinds:
                # No memory has a kind that fits the topic: search all kinds.
                state.search_filter = replace(state.search_filter, kinds=frozenset())
                self._search_passes(state)
        return self._add_all_if_few(state)

    def _start_search(
        self, scope: Scope, query: str, policy: Policy, visible_ids: frozenset[str], as_of: datetime | None
    ) -> SearchState:
        recall_policy = policy.recall
        query_topic = detect_topic(query) if recall_policy.topic_filter else None
        return SearchState(
            scope=scope,
            query=query_expansion.strip_command(query),
            topic=query_topic,
            policy=recall_policy,
            include_other_chats=policy.summaries.scope == "global",
            search_filter=SearchFilter(
                sources=SOURCES_BY_POLICY[recall_policy.sources],
                kinds=query_topic.kinds if query_topic else frozenset(),
                max_recent_chats=recall_policy.recent_chats,
                min_importance=recall_policy.min_importance,
                as_of=as_of,
            ),
            cosine_floor=recall_policy.min_cosine,
            visible_ids=visible_ids,
        )

    def _embed_query(self, state: SearchState) -> None:
        if self.embedder is None:
            state.degrade("lexical only: no embedder is configured")
            return
        text = state.query
        if state.policy.expand_query:
            text = query_expansion.expand_query(text, max_chars=state.policy.expand_max_chars)
        if state.topic is not None:
            text = " ".join((text, *state.topic.words))
        started = self.clock.monotonic()
        try:
            state.vector = self.embedder.embed_query(text)
            if state.cosine_floor < 0:
                state.cosine_floor = self.embedder.cosine_floor
        except ProviderError as error:
            state.degrade(f"lexical only: {error}")
        state.add_timing("embed_ms", self.clock.monotonic() - started)

    def _start_lexical(self, state: SearchState) -> None:
        """
        Start the lexical searches in the background while the query is embedded.

        They run before the snapshot, which is safe: they return ids, and passages are read inside the snapshot.
        """
        if self.embedder is not None and state.policy.hybrid and state.policy.ranker != "importance":
            for search_pass in primary_passes(
                state.scope, state.policy, include_other_chats=state.include_other_chats
            ):
                search_filter = state.filter_for(search_pass.sources)
                state.pending_lexical[search_pass.scope, search_filter] = self.executor(
                    self._lexical_search(state, search_pass.scope, search_filter)
                )

    def _lexical_search(self, state: SearchState, scope: Scope, search_filter: SearchFilter) -> PendingSearch:
        return partial(
            self.search.lexical, scope, state.query, limit=state.fetch_limit, search_filter=search_filter
        )

    def _search_passes(self, state: SearchState) -> None:
        """Run the primary passes, then the fallback passes if the chat yielded too few relevant candidates."""
        chat_count = 0
        for search_pass in primary_passes(
            state.scope, state.policy, include_other_chats=state.include_other_chats
        ):
            candidates = self._run_pass(state, search_pass)
            if search_pass.scope.chat is not None:
                chat_count += state.count_relevant(candidates)
        if chat_count < state.policy.other_chats_below:
            for search_pass in fallback_passes(
                state.scope, state.policy, include_other_chats=state.include_other_chats
            ):
                self._run_pass(state, search_pass)

    def _run_pass(self, state: SearchState, search_pass: SearchPass) -> Collection[Candidate]:
        """Run both channels and load the union of their hits."""
        scope, search_filter = search_pass.scope, state.filter_for(search_pass.sources)
        dense = self._search_dense(state, scope, search_filter)
        state.count_source(f"{search_pass.scope_label}_dense", len(dense))
        lexical = (
            self._search_lexical(state, scope, search_filter)
            if state.policy.hybrid or state.vector is None
            else {}
        )
        state.count_source("lexical", len(lexical))
        dense |= self._load_cosines(state, scope, [passage for passage in lexical if passage not in dense])
        loaded = self.search.load(
            scope,
            {*dense, *lexical},
            search_filter=search_filter,
            dense=dense,
            lexical=lexical,
            include_neighbours=state.policy.ranker == "evidence",
        )
        state.index_ids.update((candidate.key, passage) for passage, candidate in loaded.items())
        if Source.SUMMARY in search_pass.sources:
            state.count_source("summaries", sum(c.source is Source.SUMMARY for c in loaded.values()))
        state.add_candidates(loaded.values())
        return loaded.values()

    def _search_dense(
        self, state: SearchState, scope: Scope, search_filter: SearchFilter
    ) -> dict[int, float]:
        if state.vector is None or self.embedder is None:
            return {}
        started = self.clock.monotonic()
        try:
            hits = self.search.dense(
                scope,
                state.vector,
                model=self.embedder.model_id,
                limit=state.fetch_limit,
                search_filter=search_filter,
                centroid_penalty=state.centroid_penalty,
            )
        except StoreError as error:
            state.degrade(f"lexical only: {error}")
            # Without a vector, lexical search runs whatever the policy says, and no cosines are looked up.
            state.vector = None
            return {}
        state.add_timing("dense_ms", self.clock.monotonic() - started)
        return {hit.passage_id: hit.score for hit in hits}

    def _load_cosines(self, state: SearchState, scope: Scope, passages: Collection[int]) -> dict[int, float]:
        if not passages or state.vector is None or self.embedder is None:
            return {}
        return self.search.cosines(
            scope,
            list(passages),
            state.vector,
            model=self.embedder.model_id,
            centroid_penalty=state.centroid_penalty,
        )

    def _search_lexical(
        self, state: SearchState, scope: Scope, search_filter: SearchFilter
    ) -> dict[int, float]:
        started = self.clock.monotonic()
        try:
            pending_search = state.pending_lexical.get((scope, search_filter)) or self._lexical_search(
                state, scope, search_filter
            )
            hits = pending_search()
        except StoreError as error:
            state.degrade(f"dense only: {error}")
            return {}
        state.add_timing("lexical_ms", self.clock.monotonic() - started)
        if hits and (state.best_lexical_hit is None or hits[0].score > state.best_lexical_hit.score):
            state.best_lexical_hit = hits[0]
        return {hit.passage_id: hit.score for hit in hits}

    def _rank(self, state: SearchState, *, now: datetime) -> list[ScoredCandidate]:
        policy, floor = state.policy, state.cosine_floor
        if policy.ranker == "evidence":
            query = extract_query_features(state.query, now)
            self._add_by_date(state, query.time_ranges)
            neighbours = self._expand_neighbours(state)
            started = self.clock.monotonic()
            ranked = evidence.rank(
                list(state.candidates.values()),
                neighbours,
                query=query,
                now=now,
                policy=policy,
                scale=state.scale,
            )
        else:
            started = self.clock.monotonic()
            query_identifiers = extract_identifiers(state.query)
            ranked = ranking.rank(
                state.candidates.values(),
                identifiers=query_identifiers,
                now=now,
                policy=policy,
                cosine_floor=floor,
            )
        state.add_timing("rank_ms", self.clock.monotonic() - started)
        return ranked

    def _rerank(self, state: SearchState, ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
        """Score the first candidates with the cross-encoder, as many as the deadline allows."""
        policy, head = state.policy, ranked[: state.policy.rerank_count]
        if self.reranker is None or not head:
            return ranked
        started = self.clock.monotonic()
        try:
            texts = [scored.candidate.text for scored in head]
            scores = self.reranker.scores(state.query, texts, deadline=policy.rerank_deadline_ms / 1000)
        except ProviderError as error:
            state.degrade(f"not reranked: {error}")
            return ranked
        finally:
            state.add_timing("reread_ms", self.clock.monotonic() - started)
        if None in scores:
            state.degrade(
                f"{scores.count(None)} of {len(head)} not reranked within {policy.rerank_deadline_ms} ms"
            )
        return ranking.apply_rerank(ranked, scores, policy.rerank_weight)

    def _expand_neighbours(self, state: SearchState) -> evidence.Neighbours:
        """Add the neighbours of the best candidates, and return which candidates are neighbours of each other."""
        started = self.clock.monotonic()
        preliminary = evidence.preliminary_rank(list(state.candidates.values()), state.scale, state.policy)
        positions = [c.position for c in preliminary if c.position][: state.neighbour_limit]
        neighbour_ids = {
            passage_id
            for position in positions
            for passage_id in (position.previous_id, position.next_id)
            if passage_id is not None
        }
        self._add_neighbours(state, neighbour_ids - set(state.index_ids.values()))
        state.add_timing("around_ms", self.clock.monotonic() - started)
        return evidence.find_neighbours(state.candidates.values())

    def _add_by_date(self, state: SearchState, time_ranges: Sequence[TimeRange]) -> None:
        """Add messages from time ranges in the query: they may share neither words nor meaning with it."""
        if state.vector is None or self.embedder is None or not MESSAGE_SOURCES & state.search_filter.sources:
            return
        started = self.clock.monotonic()
        scope = state.scope if state.policy.other_chats == "never" else state.scope.user_scope
        for time_range in time_ranges:
            message_ids = self.search.messages_between(
                scope, time_range.starts_at, time_range.ends_at, limit=MAX_DATED_MESSAGES
            )
            new = list(set(message_ids) - set(state.index_ids.values()))
            cosines = self._load_cosines(state, scope, new)
            nearest = dict(sorted(cosines.items(), key=lambda each: -each[1])[: state.neighbour_limit])
            self._add_messages(state, scope, nearest, nearest, "then", include_neighbours=True)
        state.add_timing("around_ms", self.clock.monotonic() - started)

    def _add_neighbours(self, state: SearchState, passages: Collection[int]) -> None:
        if not passages:
            return
        scope = state.scope.user_scope
        self._add_messages(state, scope, passages, self._load_cosines(state, scope, passages), "neighbours")

    def _add_messages(
        self,
        state: SearchState,
        scope: Scope,
        passages: Collection[int],
        cosines: Mapping[int, float],
        source_label: str,
        *,
        include_neighbours: bool = False,
    ) -> None:
        """Add messages that neither channel returned."""
        search_filter = state.filter_for(MESSAGES_ONLY)
        loaded = self.search.load(
            scope, passages, search_filter=search_filter, dense=cosines, include_neighbours=include_neighbours
        )
        state.index_ids.update((candidate.key, passage) for passage, candidate in loaded.items())
        state.count_source(source_label, len(loaded))
        state.add_candidates(loaded.values())

    def _add_important(self, state: SearchState) -> None:
        scope = state.scope.user_scope
        hits = self.search.most_important(scope, limit=state.fetch_limit, search_filter=state.search_filter)
        state.count_source("important", len(hits))
        loaded = self.search.load(scope, [hit.passage_id for hit in hits], search_filter=state.search_filter)
        # Important messages of this chat are shown in a tier of their own.
        elsewhere = [c for c in loaded.values() if c.chat is None or c.chat != state.scope.chat]
        state.add_candidates(elsewhere)

    def _add_all_if_few(self, state: SearchState) -> bool:
        """Add all memories if there are at most `small_store_size`; return whether that was so."""
        max_memories = state.policy.small_store_size
        scope = state.scope.user_scope
        if (
            not max_memories
            or Source.MEMORY not in state.search_filter.sources
            or state.search_filter.as_of is not None
        ):
            return False
        if not 0 < self.memories.count(scope, limit=max_memories + 1) <= max_memories:
            return False
        state.add_candidates(
            [_candidate_from_memory(memory) for memory in self.memories.list(scope, limit=max_memories)]
        )
        return True

    def _recent_memories(self, state: SearchState) -> list[ScoredCandidate]:
        """Return the most recent memories as a fallback for an empty result, if the policy says so."""
        if state.policy.fallback == "none" or Source.MEMORY not in state.search_filter.sources:
            return []
        recent = self.memories.list(state.scope.user_scope, limit=state.policy.fallback_count)
        state.count_source("recent", len(recent))
        return [ScoredCandidate(candidate=_candidate_from_memory(memory), score=0.0) for memory in recent]


def _candidate_from_memory(memory: Memory) -> Candidate:
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
        pinned=memory.pinned,
    )
