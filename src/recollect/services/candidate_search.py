"""
Candidate search: the port calls between the query analysis and scoring.

    analyze, plan ─┬─ embed the query ──────────┬─ snapshot: passes ─ what they lack ─ neighbours ─▶ SearchResult
                   └─ lexical search (thread) ──┘

The lexical search of the primary passes runs on another thread while the query is embedded. It returns ids only, so it
may run before the snapshot. Inside the snapshot there are at most three batched calls: the primary passes, then what
they lack (fallback passes of other chats, messages from times that the query names), then the neighbours of the best
candidates. If relevance is judged, one more reads their similarities to the adapted query. A failing channel never
fails the query: the other one answers, and `degradations` says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from recollect.domain.candidate import Candidate, Hit, Passage, Rejection, Source
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason
from recollect.domain.search import CandidateRequest, DenseQuery, SearchPass
from recollect.errors import ProviderError, StoreError
from recollect.ports.clock import Clock
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Executor, PendingCall
from recollect.ports.search import CandidateIndex
from recollect.retrieval import reasons
from recollect.retrieval.candidates import CandidateSet, count_chat_matches, without_summarized
from recollect.retrieval.query import QueryAnalysis
from recollect.retrieval.query_adapter import load_query_adapter
from recollect.retrieval.scoring.evidence import find_neighbours, preliminary_rank
from recollect.retrieval.scoring.scorer import ScoringContext
from recollect.retrieval.search_plan import MEMORY_SOURCES, SearchPlan
from recollect.services.pending_embeddings import MAX_WAIT_SECONDS, EmbeddingProgress, PendingEmbeddings

#: Lexical hits of each pass.
LexicalHits: TypeAlias = Sequence[Sequence[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchInput:
    """What one candidate search needs to know."""

    query: QueryAnalysis
    plan: SearchPlan
    policy: Policy
    now: datetime
    embedder: Embedder | None
    read_visible_ids: Callable[[], frozenset[str]] = (
        frozenset  #: messages that the model sees anyway: no hits
    )
    queued: Sequence[Passage] = ()  #: new passages without a vector
    in_prompt: frozenset[str] = frozenset()  #: messages that are in the prompt verbatim: no candidates
    max_embedding_seconds: float = MAX_WAIT_SECONDS  #: time to wait for embeddings of new passages


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Candidates with the context in which they are scored, and what the receipt reports about the search."""

    candidates: CandidateSet
    context: ScoringContext
    query_vector: DenseQuery | None = None  #: None if dense search was skipped or failed
    rejections: tuple[Rejection, ...] = ()
    degradations: tuple[Reason, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    pending_embeddings: int = 0  #: new passages that only lexical search could return

    @property
    def exempt_sources(self) -> frozenset[Source]:
        """Sources that need no relevance: all memories are candidates if there are few of them."""
        return MEMORY_SOURCES if self.candidates.has_all_memories else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSearch:
    search: CandidateIndex
    clock: Clock
    new_passages: PendingEmbeddings | None = None  #: None: new passages are not embedded

    def start_lexical(self, search_input: SearchInput, executor: Executor) -> PendingCall[LexicalHits] | None:
        """Start the lexical search of the primary passes, if it is needed whatever dense search returns."""
        plan, query = search_input.plan, search_input.query
        if search_input.embedder is None or not plan.is_hybrid or not plan.primary:
            return None
        return executor.submit(
            lambda: self.search.lexical_hits(query.text, plan.primary, limit=plan.hits_per_channel)
        )

    def find(
        self,
        search_input: SearchInput,
        pending_lexical: PendingCall[LexicalHits] | None,
        *,
        skip_dense_reason: Reason | None = None,
    ) -> SearchResult:
        """Return the candidates of all channels, or of the lexical one if there is a reason to skip the dense one."""
        stopwatch, embedder = Stopwatch(clock=self.clock), search_input.embedder
        dense, failure = None, skip_dense_reason
        embedding = EmbeddingProgress()
        if self.new_passages is not None and embedder is not None:
            embedding = self.new_passages.start(search_input.plan.scope.user, search_input.queued, embedder)
        if failure is None:
            with stopwatch.measure("embed_ms"):
                dense, failure = self._embed(search_input)
        pending_count = embedding.wait(search_input.max_embedding_seconds if dense is not None else 0.0)
        floor = search_input.policy.recall.min_cosine
        if floor < 0 and dense is not None and embedder is not None:
            floor = embedder.cosine_floor
        try:
            result = self._collect(search_input, dense, floor, pending_lexical, stopwatch)
        except StoreError as error:
            if dense is None:
                raise
            # Without a vector, lexical search runs whatever the policy says.
            failure = reasons.no_dense_search(error)
            result = self._collect(search_input, None, floor, pending_lexical, stopwatch)
        # Importance alone selects without a vector, as designed.
        failures = () if failure is None or search_input.plan.important is not None else (failure,)
        degradations = dict.fromkeys((*failures, *result.degradations))
        return replace(
            result,
            degradations=tuple(degradations),
            timings=stopwatch.milliseconds,
            pending_embeddings=pending_count,
        )

    def _embed(self, search_input: SearchInput) -> tuple[DenseQuery | None, Reason | None]:
        """Return the query vector, or why there is none."""
        embedder = search_input.embedder
        if embedder is None:
            return None, reasons.NO_EMBEDDER
        try:
            vector = embedder.embed_query(search_input.query.embedding_text)
            penalty = search_input.plan.centroid_penalty
            return DenseQuery(vector=vector, model=embedder.model_id, centroid_penalty=penalty), None
        except ProviderError as error:
            return None, reasons.no_dense_search(error)

    def _collect(
        self,
        search_input: SearchInput,
        dense: DenseQuery | None,
        floor: float,
        pending_lexical: PendingCall[LexicalHits] | None,
        stopwatch: "Stopwatch",
    ) -> SearchResult:
        """Read all candidates in one snapshot."""
        plan, embedder = search_input.plan, search_input.embedder
        request = CandidateRequest(
            scope=plan.scope,
            dense=dense,
            limit=plan.hits_per_channel,
            include_neighbours=plan.includes_neighbours,
        )
        with self.search.snapshot():
            lexical, failure = self._lexical(search_input, plan.primary, dense, pending_lexical, stopwatch)
            with stopwatch.measure("dense_ms"):
                batch = self.search.candidates(
                    replace(
                        request,
                        passes=plan.primary,
                        lexical_hits=lexical,
                        important=plan.important,
                        max_all_memories=plan.max_all_memories,
                    )
                )
            candidates = CandidateSet().add_passes(plan.primary, lexical, batch)
            if plan.important is not None:
                # Important messages of this chat are shown in a tier of their own.
                important = without_summarized(batch.important)
                elsewhere = [c for c in important if c.chat is None or c.chat != plan.scope.chat]
                candidates = candidates.add(elsewhere, important=len(batch.important))
            match_count = count_chat_matches(
                plan.primary,
                batch,
                cosine_floor=floor,
                visible_ids=search_input.read_visible_ids() | search_input.in_prompt,
                # Where relevance is judged, questions never enter a prompt.
                counts_questions=not search_input.policy.recall.relevance,
            )
            fallback = plan.fallback if match_count < plan.fallback_below else ()
            candidates, dated, more_failure = self._search_more(
                search_input, request, candidates, fallback, stopwatch
            )
            failure = failure or more_failure
            if not candidates and plan.restricts_kinds:
                # No memory has a kind that fits the topic: search all kinds.
                wider = replace(search_input, plan=plan.for_all_kinds())
                return self._collect(wider, dense, floor, None, stopwatch)
            known_ids = candidates.passage_ids.union(c.passage_id for c in dated if c.passage_id is not None)
            candidates, in_prompt = candidates.without_messages(search_input.in_prompt)
            candidates = candidates.add(
                dated, **({"then": len(dated)} if request.dense and plan.dated else {})
            )
            candidates = candidates.add_all_memories(batch.all_memories)
            candidates = candidates.with_decay(search_input.now, search_input.policy.decay)
            context = ScoringContext(
                query=search_input.query.features,
                policy=search_input.policy.recall,
                now=search_input.now,
                cosine_floor=floor,
                embedder_floor=embedder.cosine_floor if embedder is not None else 0.0,
                lexical_confidence=candidates.lexical_confidence,
            )
            if plan.includes_neighbours:
                with stopwatch.measure("around_ms"):
                    candidates = self._add_neighbours(plan, candidates, context, dense, known_ids)
                context = replace(context, neighbours=find_neighbours(candidates.candidates))
            if dense is not None and search_input.policy.recall.relevance:
                candidates = self._add_answer_logits(plan, candidates, dense)
        return SearchResult(
            candidates=candidates,
            context=context,
            query_vector=dense,
            rejections=tuple(in_prompt),
            degradations=() if failure is None else (failure,),
        )

    def _search_more(
        self,
        search_input: SearchInput,
        request: CandidateRequest,
        candidates: CandidateSet,
        fallback: tuple[SearchPass, ...],
        stopwatch: "Stopwatch",
    ) -> tuple[CandidateSet, tuple[Candidate, ...], Reason | None]:
        """Return the candidates with those of the fallback, those of dated searches, and why lexical search failed."""
        dated = search_input.plan.dated if request.dense is not None else ()
        if not (fallback or dated):
            return candidates, (), None
        lexical, failure = self._lexical(search_input, fallback, request.dense, None, stopwatch)
        with stopwatch.measure("around_ms" if dated else "dense_ms"):
            batch = self.search.candidates(
                replace(
                    request,
                    passes=fallback,
                    lexical_hits=lexical,
                    dated=dated,
                    known_ids=candidates.passage_ids,
                )
            )
        return candidates.add_passes(fallback, lexical, batch), batch.dated, failure

    def _add_answer_logits(
        self, plan: SearchPlan, candidates: CandidateSet, dense: DenseQuery
    ) -> CandidateSet:
        """Add the logit of the query adapter to each candidate, if the adapter was fitted with these embeddings."""
        adapter = load_query_adapter()
        if dense.model != adapter.embedder:
            return candidates
        adapted = adapter.adapt(dense.vector)
        similarities = self.search.cosines(
            plan.scope.user_scope, list(candidates.passage_ids), adapted.vector, model=dense.model
        )
        return candidates.with_answer_logits(similarities, adapted.offset)

    def _lexical(
        self,
        search_input: SearchInput,
        passes: Sequence[SearchPass],
        dense: DenseQuery | None,
        pending: PendingCall[LexicalHits] | None,
        stopwatch: "Stopwatch",
    ) -> tuple[LexicalHits, Reason | None]:
        """Return the lexical hits of each pass, and why there are none if the search failed."""
        plan, no_hits = search_input.plan, [()] * len(passes)
        if not passes or (dense is not None and not plan.is_hybrid):
            return no_hits, None
        try:
            with stopwatch.measure("lexical_ms"):
                if pending is not None:
                    return pending.result(), None
                text, limit = search_input.query.text, plan.hits_per_channel
                return self.search.lexical_hits(text, passes, limit=limit), None
        except StoreError as error:
            return no_hits, reasons.no_lexical_search(error)

    def _add_neighbours(
        self,
        plan: SearchPlan,
        candidates: CandidateSet,
        context: ScoringContext,
        dense: DenseQuery | None,
        known_ids: frozenset[int],
    ) -> CandidateSet:
        """Add the neighbours of the best candidates."""
        positions = [c.position for c in preliminary_rank(candidates.candidates, context) if c.position]
        neighbour_ids = {
            passage_id
            for position in positions[: plan.neighbour_limit]
            for passage_id in (position.previous_id, position.next_id)
            if passage_id is not None
        }
        new_ids = neighbour_ids - known_ids
        if not new_ids:
            return candidates
        messages = self.search.messages(plan.scope.user_scope, new_ids, dense, plan.neighbour_filter)
        return candidates.add(messages, neighbours=len(messages))


@dataclass(slots=True, kw_only=True)
class Stopwatch:
    """Milliseconds by stage; a stage that is measured again adds up."""

    clock: Clock
    milliseconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        started = self.clock.monotonic()
        try:
            yield
        finally:
            elapsed = (self.clock.monotonic() - started) * 1000
            self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + elapsed
