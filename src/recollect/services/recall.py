"""
Recall: a pipeline of values from a query to a context block and its receipt.

    analyze ─ plan ─ candidates ─ score ─ judge ─ shortlist ─ (rerank) ─ limit ─ assemble ─ receipt

`retrieval/` and `context/` have the pure steps; this service makes the port calls between them. A deadline belongs to
the request: dense search that is late is replaced by lexical search, and what is late after that is left out. The
receipt says so. Only the caller's thread writes the receipt, so work that ends after the deadline leaves none.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from recollect.context.block import assemble
from recollect.context.profile import format_profile
from recollect.context.tiers import split_conversation
from recollect.domain.candidate import PROFILE_KEY, Candidate, PassageKey, ScoredCandidate, Source
from recollect.domain.context import ChatContext, ContextBlock, Tiers
from recollect.domain.embedding_model import EmbeddingQueue
from recollect.domain.memory import Memory, MemoryStatus
from recollect.domain.message import Role
from recollect.domain.metadata import MetadataFilter
from recollect.domain.outcomes import WhyNot
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.recall import ContextBlockRequest, ContextResult, RecallRequest
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile
from recollect.errors import EmptyText, ProviderError, StoreError
from recollect.ports.clock import Clock, Ids
from recollect.ports.executor import Executor, PendingCall
from recollect.ports.reranker import Reranker
from recollect.ports.store import Store
from recollect.ports.tracer import Tracer
from recollect.retrieval import reasons
from recollect.retrieval.applicability import MAX_STANDING_MEMORIES, may_apply, select_standing
from recollect.retrieval.candidates import candidate_from_memory
from recollect.retrieval.provenance import mark_ended, source_message_id
from recollect.retrieval.query import analyze
from recollect.retrieval.relevance import (
    JudgedExcerpt,
    apply_readings,
    doubtful_excerpts,
    judge,
    judge_excerpts,
    rate_relevance,
    select_relevant,
)
from recollect.retrieval.relevance_model import (
    QueryProfile,
    focus_text,
    load_relevance_model,
    profile_query,
)
from recollect.retrieval.repeats import fold_repeats
from recollect.retrieval.scoring.scorer import score_candidates
from recollect.retrieval.scoring.table import scorer_of
from recollect.retrieval.search_plan import plan_search
from recollect.retrieval.selection import (
    SelectedCandidates,
    apply_rerank,
    keep_statements,
    limit_selection,
    shortlist,
)
from recollect.services.candidate_search import CandidateSearch, SearchInput, SearchResult
from recollect.services.deadline import Deadline
from recollect.services.embedders import EmbedderRegistry
from recollect.services.pending_embeddings import MAX_INLINE_PASSAGES, PendingEmbeddings
from recollect.text.tokens import estimate_tokens
from recollect.text.triviality import triviality_reason
from recollect.text.windows import replace_lone_surrogates

#: Newest messages of a chat that are read for the tiers.
MAX_TIER_MESSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReads:
    """What the block and the receipt contain besides recalled passages."""

    tiers: Tiers = field(default_factory=Tiers)
    recently_injected: frozenset[PassageKey] = frozenset()
    skipped_sources: tuple[Reason, ...] = ()  #: content types that were not searched, and why
    degradations: tuple[Reason, ...] = ()

    @property
    def visible_ids(self) -> frozenset[str]:
        """Messages that the block contains anyway."""
        return frozenset(message.id for message in self.tiers.recent_messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOutcome:
    """The selected candidates of a query, and what the receipt reports about the search."""

    selection: SelectedCandidates = field(default_factory=SelectedCandidates)
    sources: Mapping[str, int] = field(default_factory=dict)  #: hits per source before ranking
    degradations: tuple[Reason, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)  #: milliseconds by stage
    is_late: bool = False  #: whether nothing was recalled because of the deadline
    pending_embeddings: int = 0  #: new passages that only lexical search could return


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallService:
    store: Store
    clock: Clock
    ids: Ids
    embedders: EmbedderRegistry
    search_executor: Executor  #: runs searches that have a deadline
    read_executor: Executor  #: runs reads that need no embedding
    reranker: Reranker | None = None
    relevance_reranker: Reranker | None = None  #: fine-tuned to say whether an excerpt is relevant
    tracer: Tracer | None = None

    def search(self, request: RecallRequest) -> Receipt:
        """Return the passages relevant to the query, best first, with their scores; EmptyText if it is empty."""
        if not request.query.strip():
            raise EmptyText
        started, policy = self.clock.monotonic(), request.policy
        query = replace_lone_surrogates(request.query)
        recalled = RecallOutcome()
        skipped_sources = self._skipped_sources(request.scope, policy)
        if policy.memory.recalls:
            deadline = self._start_deadline(request)
            search_input = self._search_input(
                request.scope, query, policy, as_of=request.as_of, metadata=request.metadata
            )
            recalled = self._recall(search_input, deadline)
        items = tuple(_receipt_item(r, Disposition.RETURNED) for r in recalled.selection.candidates)
        block = ContextBlock(text="", tokens=0, items=items)
        receipt = self._build_receipt(request.scope, query, policy, recalled, block, skipped_sources, started)
        return self._save_receipt(receipt, policy) if request.save_receipt else receipt

    def context(self, request: ContextBlockRequest) -> ContextResult:
        """Return the receipt with the context block for the next prompt, within the budget, by the deadline."""
        started, policy = self.clock.monotonic(), request.policy
        deadline = self._start_deadline(request)
        query = replace_lone_surrogates(request.query)
        pending_reads = self.read_executor.submit(partial(self._read_context, request))
        recalled = RecallOutcome()
        if policy.recalls:
            search_input = self._search_input(
                request.scope,
                query,
                policy,
                in_prompt=request.visible_ids,
                read_visible_ids=lambda: pending_reads.result().visible_ids,
                is_small_talk=_is_small_talk(query, policy),
            )
            recalled = self._recall(search_input, deadline, injects=True)
            recalled = self._with_fallback(recalled, request.fallback)
        reads = _result_by(pending_reads, deadline)
        assembly_started = self.clock.monotonic()
        block = assemble(
            replace(reads.tiers, candidates=recalled.selection.candidates),
            query=query,
            policy=policy.context,
            code_first=policy.recall.code_first,
            nonce=self.ids.new(),
            recent_keys=request.already_shown | reads.recently_injected,
        )
        recalled = replace(
            recalled,
            sources={**recalled.sources, **_count_tiers(block.tiers)},
            degradations=(*recalled.degradations, *reads.degradations),
            timings={
                **recalled.timings,
                "assemble_ms": (self.clock.monotonic() - assembly_started) * 1000,
            },
        )
        receipt = self._build_receipt(
            request.scope, query, policy, recalled, block, reads.skipped_sources, started
        )
        return ContextResult(receipt=self._save_receipt(receipt, policy), shown_keys=_shown_keys(block.tiers))

    def explain_absence(self, scope: Scope, query: str, item_id: str, policy: Policy) -> WhyNot:
        """Repeat the search without a receipt, and explain why one memory or message is or is not recalled."""
        search_input = self._search_input(scope, replace_lone_surrogates(query), policy)
        deadline = Deadline.start(self.clock, 0)
        selection = self._recall(search_input, deadline, injects=True).selection
        ranked = [*selection.candidates, *(each.scored for each in selection.rejections)]
        reasons_by_key = {each.scored.candidate.key: each.reason for each in selection.rejections}
        for position, scored in enumerate(ranked, start=1):
            candidate = scored.candidate
            if item_id and candidate.id.startswith(item_id):
                reason = reasons_by_key.get(candidate.key, reasons.RECALLED)
                return WhyNot(
                    id=candidate.id, text=candidate.text, reason=reason, rank=position, candidate=scored
                )
        memory = self.store.memories.get(scope, item_id)
        if memory.status is not MemoryStatus.ACTIVE:
            reason = reasons.not_active(memory.status.value)
            return WhyNot(id=memory.id, text=memory.text, reason=reason, cause=memory.reason)
        reason = reasons.not_among_hits(policy.recall.candidates_per_channel)
        return WhyNot(id=memory.id, text=memory.text, reason=reason)

    def warm_up(self) -> None:
        """Load the models that a first query would wait for; ProviderError if one is not available."""
        embedder = self.embedders.default
        if embedder is None:
            return
        embedder.embed_query("good morning")
        if self.relevance_reranker is not None and embedder.model_id == load_relevance_model().embedder:
            self.relevance_reranker.scores("good morning", ["user: good morning"])

    def scored_candidates(self, request: RecallRequest) -> list[ScoredCandidate]:
        """Return all candidates of a query, best first, before any is dropped: what relevance is fitted on."""
        search_input = self._search_input(request.scope, request.query, request.policy)
        found = self._find_candidates(search_input, Deadline.start(self.clock, 0))
        assert found is not None
        scorer = scorer_of(request.policy.recall)
        return score_candidates(found.candidates.candidates, scorer, found.context)

    def _start_deadline(self, request: RecallRequest | ContextBlockRequest) -> Deadline:
        milliseconds = request.deadline_ms
        return Deadline.start(
            self.clock, request.policy.recall.deadline_ms if milliseconds is None else milliseconds
        )

    def _search_input(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        as_of: datetime | None = None,
        metadata: MetadataFilter = (),
        in_prompt: frozenset[str] = frozenset(),
        read_visible_ids: Callable[[], frozenset[str]] = frozenset,
        is_small_talk: bool = False,
    ) -> SearchInput:
        now, queue = as_of or self.clock.now(), self._read_queue(scope.user)
        analysis = analyze(query, now=now, policy=policy.recall, is_trivial=is_small_talk)
        return SearchInput(
            query=analysis,
            plan=plan_search(analysis, scope, policy, as_of=as_of, metadata=metadata),
            policy=policy,
            now=now,
            embedder=self.embedders.for_active_model(queue.model),
            queued=queue.passages,
            in_prompt=in_prompt,
            read_visible_ids=read_visible_ids,
        )

    def _read_queue(self, user: str) -> EmbeddingQueue:
        """Return the new passages, one more than are embedded during a recall, and the user's embedding model."""
        try:
            return self.store.vectors.queue(user, limit=MAX_INLINE_PASSAGES + 1)
        except StoreError:
            # The search reports in its degradations what it could not read.
            return EmbeddingQueue()

    def _recall(
        self, search_input: SearchInput, deadline: Deadline, *, injects: bool = False
    ) -> RecallOutcome:
        """Search, score, judge and select within the deadline; what is irrelevant is found, but not injected."""
        if not search_input.query.may_need_memory:
            return RecallOutcome()
        with nullcontext() if self.tracer is None else self.tracer.span("recall") as span:
            found = self._find_candidates(search_input, deadline)
            recalled = (
                RecallOutcome(degradations=(reasons.recall_late(deadline.milliseconds),), is_late=True)
                if found is None
                else self._select(search_input, found, deadline, injects=injects)
            )
            if span is not None:
                span.set_attributes(_span_attributes(recalled))
        return recalled

    def _find_candidates(self, search_input: SearchInput, deadline: Deadline) -> SearchResult | None:
        """Return the candidates; those of lexical search if dense search is late; None if that is late too."""
        candidate_search = CandidateSearch(
            search=self.store.search,
            clock=self.clock,
            new_passages=PendingEmbeddings(store=self.store, executor=self.search_executor),
        )
        search_input = replace(search_input, max_embedding_seconds=deadline.remaining_for_new_passages())
        pending_lexical = candidate_search.start_lexical(search_input, self.read_executor)
        find = partial(candidate_search.find, search_input, pending_lexical)
        if not deadline.is_set:
            return find()
        complete = self.search_executor.submit(find)
        try:
            return complete.result(deadline.remaining_for_dense_search())
        except TimeoutError:
            complete.cancel()
        late = reasons.dense_search_late(deadline.milliseconds)
        lexical_only = self.read_executor.submit(partial(find, skip_dense_reason=late))
        try:
            return lexical_only.result(deadline.remaining())
        except TimeoutError:
            lexical_only.cancel()
            return None

    def _select(
        self, search_input: SearchInput, found: SearchResult, deadline: Deadline, *, injects: bool
    ) -> RecallOutcome:
        started, policy = self.clock.monotonic(), search_input.policy.recall
        scorer = scorer_of(policy)
        scored = score_candidates(found.candidates.candidates, scorer, found.context)
        degradations, sources = found.degradations, found.candidates.sources
        query = _profile_query(search_input, found)
        excerpts = None if query is None else _judge_excerpts(search_input, query, scored)
        timings = dict(found.timings)
        if query is not None and excerpts is not None and injects:
            reading_started = self.clock.monotonic()
            excerpts, failure = self._read_excerpts(search_input, excerpts, deadline)
            timings["reread_ms"] = (self.clock.monotonic() - reading_started) * 1000
            degradations = (*degradations, *([failure] if failure else ()))
            relevant = select_relevant(scored, excerpts, query, threshold=policy.relevance)
            selection = keep_statements(
                shortlist(relevant), partial(_is_trivial_sentence, search_input.policy)
            )
            sourced_memories = self._memories_of_messages(search_input, selection)
            selection = fold_repeats(selection, sourced_memories)
            selection = replace(
                selection, candidates=tuple(mark_ended(selection.candidates, sourced_memories))
            )
        else:
            if excerpts is not None:
                scored = rate_relevance(scored, excerpts)
            # Without an embedding of the query only its words say what is relevant, also in a small store.
            judged = judge(
                scored,
                scorer,
                cosine_floor=found.context.cosine_floor,
                exempt_sources=found.exempt_sources,
                topic=search_input.query.topic,
                requires_word=injects and policy.relevance > 0 and found.query_vector is None,
            )
            selection = shortlist(
                judged,
                relative_cutoff=policy.relative_cutoff if injects else 0.0,
                exempt_sources=found.exempt_sources,
            )
        timings["rank_ms"] = (self.clock.monotonic() - started) * 1000 - timings.get("reread_ms", 0.0)
        if self.reranker is not None and policy.rerank_count and selection.candidates:
            reranking_started = self.clock.monotonic()
            selection, failure = self._rerank(self.reranker, search_input, selection, deadline)
            timings["reread_ms"] = (self.clock.monotonic() - reranking_started) * 1000
            degradations = (*degradations, *([failure] if failure else ()))
        selection = limit_selection(selection, policy)
        if query is not None and injects:
            selection = self._add_standing(search_input, query, selection)
        recent = search_input.plan.fallback_memories
        if recent and not selection.candidates:
            memories = self.store.memories.list(search_input.plan.scope.user_scope, limit=recent)
            fallback = tuple(
                ScoredCandidate(candidate=candidate_from_memory(memory), score=0.0) for memory in memories
            )
            selection = replace(selection, candidates=fallback)
            sources = {**sources, "recent": len(fallback)}
        return RecallOutcome(
            selection=replace(selection, rejections=(*selection.rejections, *found.rejections)),
            sources=sources,
            degradations=degradations,
            timings=timings,
            pending_embeddings=found.pending_embeddings,
        )

    def _add_standing(
        self, search_input: SearchInput, query: QueryProfile, selection: SelectedCandidates
    ) -> SelectedCandidates:
        """Put lasting instructions and constraints that apply first, whether the search found them or not."""
        max_tokens = search_input.policy.context.standing_tokens
        if not max_tokens or not may_apply(query):
            return selection
        scope = search_input.plan.scope.user_scope
        more: Sequence[ScoredCandidate] = ()
        if search_input.policy.recall.sources != "messages":
            refused = {kind for kind, granted in self.store.consents.all(scope).items() if not granted}
            memories = self.store.memories.list(scope, limit=MAX_STANDING_MEMORIES)
            more = [
                ScoredCandidate(candidate=candidate_from_memory(memory), score=0.0)
                for memory in memories
                if memory.kind not in refused
            ]
        return select_standing(selection, more, query, max_tokens=max_tokens)

    def _memories_of_messages(
        self, search_input: SearchInput, selection: SelectedCandidates
    ) -> Sequence[Memory]:
        """Return the memories made from the selected messages, if they tell what is repeated or has ended."""
        candidates = [each.candidate for each in selection.candidates]
        message_ids = {id_ for c in candidates if (id_ := source_message_id(c)) is not None}
        is_needed = any(c.source is Source.MEMORY or c.outdated for c in candidates)
        if not (is_needed and message_ids):
            return ()
        scope = search_input.plan.scope.user_scope
        return self.store.memories.of_messages(scope, sorted(message_ids))

    def _read_excerpts(
        self, search_input: SearchInput, excerpts: list[JudgedExcerpt], deadline: Deadline
    ) -> tuple[list[JudgedExcerpt], Reason | None]:
        """Judge the most probable excerpts again with the cross-encoder, as many as the deadline allows."""
        doubtful = doubtful_excerpts(excerpts, search_input.policy.recall.relevance_reads)
        if self.relevance_reranker is None or not doubtful:
            return excerpts, None
        texts = [each.text for each in doubtful]
        query = focus_text(search_input.query.text)
        scores, failure = self._cross_encode(self.relevance_reranker, query, texts, deadline)
        return apply_readings(excerpts, doubtful, scores, load_relevance_model()), failure

    def _rerank(
        self, reranker: Reranker, search_input: SearchInput, selection: SelectedCandidates, deadline: Deadline
    ) -> tuple[SelectedCandidates, Reason | None]:
        """Score the first candidates with the cross-encoder, as many as the deadline allows."""
        policy = search_input.policy.recall
        texts = [each.candidate.text for each in selection.candidates[: policy.rerank_count]]
        max_seconds = policy.rerank_deadline_ms / 1000
        scores, failure = self._cross_encode(
            reranker, search_input.query.text, texts, deadline, max_seconds=max_seconds
        )
        return apply_rerank(selection, scores, policy.rerank_weight), failure

    def _cross_encode(
        self,
        reranker: Reranker,
        query: str,
        texts: Sequence[str],
        deadline: Deadline,
        *,
        max_seconds: float | None = None,
    ) -> tuple[list[float | None], Reason | None]:
        """Return the score of each text, and why some have none."""
        remaining = deadline.remaining()
        seconds = min((limit for limit in (remaining, max_seconds) if limit is not None), default=None)
        work = partial(reranker.scores, query, texts, deadline=seconds)
        try:
            scores = work() if remaining is None else self.search_executor.submit(work).result(remaining)
        except ProviderError as error:
            return [None] * len(texts), reasons.not_reranked(error)
        except TimeoutError:
            scores = [None] * len(texts)
        missing = scores.count(None)
        if not missing or seconds is None:
            return scores, None
        return scores, reasons.partly_reranked(missing, len(texts), round(1000 * seconds))

    def _with_fallback(self, recalled: RecallOutcome, texts: Sequence[str]) -> RecallOutcome:
        if recalled.selection.candidates or not texts:
            return recalled
        candidates = tuple(self._fallback_candidates(texts))
        return replace(recalled, selection=replace(recalled.selection, candidates=candidates))

    def _fallback_candidates(self, texts: Sequence[str]) -> Iterator[ScoredCandidate]:
        now = self.clock.now()
        for number, text in enumerate(texts, start=1):
            candidate = Candidate(
                source=Source.MEMORY,
                id=f"fallback-{number}",
                text=text,
                created_at=now,
                last_stated_at=now,
                tokens=estimate_tokens(text),
            )
            yield ScoredCandidate(candidate=candidate, score=0.0)

    def _read_context(self, request: ContextBlockRequest) -> ContextReads:
        """Read what the block and the receipt contain besides recalled passages."""
        scope, policy = request.scope, request.policy
        if not policy.memory.recalls:
            return ContextReads(skipped_sources=self._skipped_sources(scope, policy))
        try:
            stored = self.store.chat_context(
                scope,
                full=policy.context.recent_messages,
                limit=MAX_TIER_MESSAGES,
                importance_above=policy.context.summary_min_importance,
            )
            requested = [
                self.store.context_files.get(scope, context_id) for context_id in request.context_ids
            ]
        except StoreError as error:
            return ContextReads(
                recently_injected=self._recently_injected(scope, policy),
                degradations=(reasons.tiers_failed(error),),
            )
        return ContextReads(
            tiers=_without_shown(_build_tiers(stored, requested, policy), request.already_shown),
            recently_injected=self._recently_injected(scope, policy),
            skipped_sources=_without_consent(stored.consents),
        )

    def _recently_injected(self, scope: Scope, policy: Policy) -> frozenset[PassageKey]:
        if scope.chat is None or not policy.context.repeat_after_turns:
            return frozenset()
        try:
            recent = self.store.receipts.list(scope, limit=policy.context.repeat_after_turns)
        except StoreError:
            # Repeating a passage is better than failing the request.
            return frozenset()
        return frozenset((item.source, item.id) for receipt in recent for item in receipt.injected_items)

    def _skipped_sources(self, scope: Scope, policy: Policy) -> tuple[Reason, ...]:
        """Return the sources that were not searched, with reasons."""
        if not policy.memory.recalls:
            return (reasons.recall_off(policy.memory.mode),)
        try:
            consents = self.store.consents.all(scope)
        except StoreError:
            return ()
        return _without_consent(consents)

    def _build_receipt(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        recalled: RecallOutcome,
        block: ContextBlock,
        skipped_sources: Sequence[Reason],
        started: float,
    ) -> Receipt:
        rejections = recalled.selection.rejections
        max_rejections = policy.receipts.max_dropped_items
        left_out = (
            _receipt_item(each.scored, Disposition.LEFT_OUT, each.reason)
            for each in rejections[:max_rejections]
        )
        more = len(rejections) - max_rejections
        return Receipt(
            id=self.ids.new(),
            user=scope.user,
            chat=scope.chat,
            query=_recorded_query(query, policy.receipts.query),
            created_at=self.clock.now(),
            preset=policy.preset,
            ranker=policy.recall.ranker,
            hybrid=policy.recall.hybrid,
            chunking=policy.chunking.enabled,
            budget=policy.context.budget,
            tokens=block.tokens,
            text=block.text,
            items=(*block.items, *left_out),
            degradations=recalled.degradations,
            skipped_sources=(
                *skipped_sources,
                *block.notes,
                *([reasons.not_embedded(pending)] if (pending := recalled.pending_embeddings) else []),
                *([reasons.more_candidates(more)] if more > 0 else []),
            ),
            pending_embeddings=recalled.pending_embeddings,
            sources=recalled.sources,
            timings={**recalled.timings, "total_ms": (self.clock.monotonic() - started) * 1000},
        )

    def _save_receipt(self, receipt: Receipt, policy: Policy) -> Receipt:
        if policy.memory.mode == "off":
            return receipt
        try:
            self.store.receipts.add(receipt)
        except StoreError as error:
            failure = reasons.receipt_not_stored(error)
            return replace(receipt, degradations=(*receipt.degradations, failure))
        return receipt


def _is_small_talk(query: str, policy: Policy) -> bool:
    """Whether a query is thanks, a greeting or laughter, so that nothing is searched for the prompt."""
    if not policy.recall.relevance:
        return False
    reason = triviality_reason(query, Role.USER, policy.triage)
    return reason is not None and reason not in {ReasonCode.TOO_SHORT, ReasonCode.GENERAL_QUESTION}


def _is_trivial_sentence(policy: Policy, sentence: str, role: Role) -> bool:
    reason = triviality_reason(sentence, role, policy.triage)
    return reason is not None and reason is not ReasonCode.TOO_SHORT


def _profile_query(search_input: SearchInput, found: SearchResult) -> QueryProfile | None:
    """Return what the query asks for; None if relevance is off or the model does not know the embeddings."""
    vector, model = found.query_vector, load_relevance_model()
    if not search_input.policy.recall.relevance or vector is None or vector.model != model.embedder:
        return None
    return profile_query(search_input.query.text, vector.vector, model)


def _judge_excerpts(
    search_input: SearchInput, query: QueryProfile, scored: Sequence[ScoredCandidate]
) -> list[JudgedExcerpt]:
    def is_trivial(candidate: Candidate) -> bool:
        role = candidate.role
        if role is None or candidate.source is not Source.MESSAGE:
            return False
        return triviality_reason(candidate.text, role, search_input.policy.triage) is not None

    return judge_excerpts(scored, query, load_relevance_model(), is_trivial=is_trivial)


def _build_tiers(stored: ChatContext, requested: Sequence[ContextFile], policy: Policy) -> Tiers:
    profile = stored.profile if policy.recalls else None
    recent, earlier = split_conversation(stored.recent_messages, policy.context)
    working = stored.working_summary if policy.summaries.working_every_exchanges else None
    files = {file.id: file for file in (*stored.context_files, *requested)}
    return Tiers(
        recent_messages=recent,
        earlier_messages=earlier,
        working_summary=working.text if working else None,
        context_files=tuple(files.values()),
        profile=format_profile(profile, policy.context.locale) if profile else None,
    )


def _without_consent(consents: Mapping[str, bool]) -> tuple[Reason, ...]:
    return tuple(reasons.no_consent(category) for category, granted in consents.items() if not granted)


def _without_shown(tiers: Tiers, already_shown: frozenset[PassageKey]) -> Tiers:
    """Drop files and a profile that earlier blocks already contain."""
    files = tuple(file for file in tiers.context_files if (Source.CONTEXT, file.id) not in already_shown)
    return replace(
        tiers, context_files=files, profile=None if PROFILE_KEY in already_shown else tiers.profile
    )


def _shown_keys(tiers: Tiers) -> frozenset[PassageKey]:
    files = ((Source.CONTEXT, file.id) for file in tiers.context_files)
    profile_keys = [PROFILE_KEY] if tiers.profile else []
    return frozenset((*(r.candidate.key for r in tiers.candidates), *files, *profile_keys))


def _count_tiers(shown: Tiers) -> dict[str, int]:
    """Return the tiers in the block as source counts of the receipt."""
    counts = {
        "profile": int(shown.profile is not None),
        "working": int(shown.working_summary is not None),
        "contexts": len(shown.context_files),
    }
    return {name: number for name, number in counts.items() if number}


def _result_by(pending: PendingCall[ContextReads], deadline: Deadline) -> ContextReads:
    try:
        return pending.result(deadline.remaining())
    except TimeoutError:
        return ContextReads(degradations=(reasons.tiers_late(deadline.milliseconds),))


def _span_attributes(recalled: RecallOutcome) -> dict[str, int | float]:
    return {
        **{f"recollect.recall.{stage}": elapsed_ms for stage, elapsed_ms in recalled.timings.items()},
        **{f"recollect.recall.found.{source}": hits for source, hits in recalled.sources.items()},
        "recollect.recall.kept": len(recalled.selection.candidates),
        "recollect.recall.degraded": len(recalled.degradations),
    }


def _receipt_item(
    scored: ScoredCandidate, disposition: Disposition, reason: Reason | None = None
) -> ReceiptItem:
    candidate = scored.candidate
    return ReceiptItem(
        source=candidate.source,
        id=candidate.id,
        text=candidate.text,
        disposition=disposition,
        score=scored.score,
        parts=scored.parts,
        tokens=candidate.tokens,
        created_at=candidate.created_at,
        version=candidate.version,
        chat=candidate.chat,
        role=candidate.role,
        kind=candidate.kind,
        reason=reason,
        cosine=candidate.dense,
        metadata=candidate.metadata,
    )


def _recorded_query(query: str, recording: str) -> str | None:
    match recording:
        case "full":
            return query
        case "hashed":
            return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        case _:
            return None
