"""Recall: search, assemble the context block, and write the receipt."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.context.block import assemble
from recollect.context.profile import format_profile
from recollect.context.tiers import split_conversation
from recollect.domain.candidate import PROFILE_KEY, Candidate, PassageKey, ScoredCandidate, Source
from recollect.domain.context import ContextBlock, Tiers
from recollect.domain.memory import MemoryStatus
from recollect.domain.outcomes import WhyNot
from recollect.domain.policy import Policy
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.errors import StoreError
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store
from recollect.retrieval.retriever import Retriever
from recollect.retrieval.search_state import RetrievalResult
from recollect.services.embedders import EmbedderRegistry
from recollect.text.tokens import estimate_tokens
from recollect.text.windows import replace_lone_surrogates

#: Newest messages of a chat that are read for the tiers.
MAX_TIER_MESSAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallService:
    store: Store
    clock: Clock
    ids: Ids
    retriever: Retriever
    embedders: EmbedderRegistry

    def recall(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        as_of: datetime | None = None,
        save_receipt: bool = True,
    ) -> Receipt:
        """
        Return the passages relevant to the query, best first, each with the parts of its score.

        Previews and searches while typing pass `save_receipt=False`.
        """
        started = self.clock.monotonic()
        query = replace_lone_surrogates(query)
        result = (
            self.retriever_for(scope)(scope, query, policy, as_of=as_of)
            if policy.memory.recalls
            else RetrievalResult()
        )
        items = tuple(_receipt_item(r, Disposition.RETURNED) for r in result.candidates)
        block = ContextBlock(text="", tokens=0, items=items)
        receipt = self._build_receipt(scope, query, policy, result, block, started)
        return self._save_receipt(receipt, policy) if save_receipt else receipt

    def build_context(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        context_ids: Sequence[str] = (),
        fallback: Sequence[str] = (),
    ) -> Receipt:
        """
        Return the receipt with the context block for the next prompt, within the budget.

        `context_ids` are context files besides those attached to the chat; `fallback` is used if nothing is recalled.
        """
        return self._build_context(scope, query, policy, context_ids=context_ids, fallback=fallback)[0]

    def build_turn_context(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        visible_ids: frozenset[str] = frozenset(),
        already_shown: frozenset[PassageKey] = frozenset(),
    ) -> tuple[Receipt, frozenset[PassageKey]]:
        """
        Return the receipt with the context block for a chat turn, and the keys of the passages in the block.

        `visible_ids` are messages of the history, `already_shown` passages in its earlier blocks; neither is repeated.
        """
        return self._build_context(scope, query, policy, visible_ids=visible_ids, already_shown=already_shown)

    def _build_context(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        *,
        context_ids: Sequence[str] = (),
        fallback: Sequence[str] = (),
        visible_ids: frozenset[str] = frozenset(),
        already_shown: frozenset[PassageKey] = frozenset(),
    ) -> tuple[Receipt, frozenset[PassageKey]]:
        started = self.clock.monotonic()
        query = replace_lone_surrogates(query)
        tiers, degraded = self._load_tiers(scope, policy, context_ids)
        tiers = _without_shown(tiers, already_shown)
        buffer_ids = frozenset(message.id for message in tiers.recent_messages)
        result = (
            self.retriever_for(scope)(
                scope,
                query,
                policy,
                visible_ids=buffer_ids,
                in_prompt=visible_ids,
                relative_cutoff=policy.recall.relative_cutoff,
            )
            if policy.recalls
            else RetrievalResult()
        )
        if not result.candidates and policy.recalls:
            result = replace(result, candidates=tuple(self._fallback_candidates(fallback)))
        assembly_started = self.clock.monotonic()
        block = assemble(
            replace(tiers, candidates=result.candidates),
            query=query,
            policy=policy.context,
            code_first=policy.recall.code_first,
            nonce=self.ids.new(),
            recent_keys=already_shown | self._recently_injected(scope, policy),
        )
        result = _count_tiers(result, block.tiers, degraded)
        timings = {**result.timings, "assemble_ms": (self.clock.monotonic() - assembly_started) * 1000}
        receipt = self._build_receipt(scope, query, policy, replace(result, timings=timings), block, started)
        return self._save_receipt(receipt, policy), _shown_keys(block.tiers)

    def explain_absence(self, scope: Scope, query: str, item_id: str, policy: Policy) -> WhyNot:
        """Repeat the search without a receipt, and explain why one memory or message is or is not recalled."""
        result = self.retriever_for(scope)(
            scope, replace_lone_surrogates(query), policy, relative_cutoff=policy.recall.relative_cutoff
        )
        ranked = [*result.candidates, *(r for r, _ in result.rejections)]
        reasons = {r.candidate.key: reason for r, reason in result.rejections}
        for position, scored in enumerate(ranked, start=1):
            candidate = scored.candidate
            if item_id and candidate.id.startswith(item_id):
                reason = reasons.get(candidate.key, "it is recalled")
                return WhyNot(
                    id=candidate.id, text=candidate.text, reason=reason, rank=position, candidate=scored
                )
        memory = self.store.memories.get(scope, item_id)
        reason = f"not among the top {policy.recall.candidates_per_channel} of dense or lexical search"
        if memory.status is not MemoryStatus.ACTIVE:
            reason = f"it is {memory.status}" + (f": {memory.reason}" if memory.reason else "")
        return WhyNot(id=memory.id, text=memory.text, reason=reason)

    def retriever_for(self, scope: Scope) -> Retriever:
        """Return the retriever with the embedder of the user's vectors."""
        try:
            return replace(self.retriever, embedder=self.embedders.for_user(scope.user))
        except StoreError:
            # The retriever reports in `degraded` what it could not read.
            return self.retriever

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

    def _load_tiers(
        self, scope: Scope, policy: Policy, context_ids: Sequence[str]
    ) -> tuple[Tiers, tuple[str, ...]]:
        """Load the tiers besides recalled passages; if the store fails, return none and a degradation."""
        if not policy.memory.recalls:
            return Tiers(), ()
        try:
            tiers = self._read_tiers(scope, policy)
            requested_files = [self.store.context_files.get(scope, context_id) for context_id in context_ids]
            files = {file.id: file for file in (*tiers.context_files, *requested_files)}
            return replace(tiers, context_files=tuple(files.values())), ()
        except StoreError as error:
            return Tiers(), (f"recalled passages only: {error}",)

    def _read_tiers(self, scope: Scope, policy: Policy) -> Tiers:
        profile = self.store.profiles.get(scope) if policy.recalls else None
        profile_text = format_profile(profile, policy.context.locale) if profile else None
        if scope.chat is None:
            return Tiers(profile=profile_text)
        buffer_size, min_importance = policy.context.recent_messages, policy.context.summary_min_importance
        recent = self.store.messages.recent(
            scope, full=buffer_size, limit=MAX_TIER_MESSAGES, importance_above=min_importance
        )
        buffer, local = split_conversation(recent, policy.context)
        working = self.store.summaries.latest(scope, SummaryKind.WORKING)
        return Tiers(
            recent_messages=buffer,
            earlier_messages=local,
            working_summary=working.text if working and policy.summaries.working_every_exchanges else None,
            context_files=tuple(self.store.context_files.list(scope)),
            profile=profile_text,
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

    def _skipped_sources(self, scope: Scope, policy: Policy) -> tuple[str, ...]:
        """Return the sources that were not searched, with reasons."""
        if not policy.memory.recalls:
            return (f"all sources: memory is {policy.memory.mode}",)
        try:
            consents = self.store.consents.all(scope)
        except StoreError:
            return ()
        return tuple(f"{category}: no consent" for category, granted in consents.items() if not granted)

    def _build_receipt(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        result: RetrievalResult,
        block: ContextBlock,
        started: float,
    ) -> Receipt:
        max_rejections = policy.receipts.max_dropped_items
        left_out = (
            _receipt_item(r, Disposition.LEFT_OUT, reason) for r, reason in result.rejections[:max_rejections]
        )
        more = len(result.rejections) - max_rejections
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
            degradations=result.degraded,
            skipped_sources=(
                *self._skipped_sources(scope, policy),
                *block.notes,
                *([f"{more} more candidates ranked lower"] if more > 0 else []),
            ),
            sources=result.sources,
            timings={**result.timings, "total_ms": (self.clock.monotonic() - started) * 1000},
        )

    def _save_receipt(self, receipt: Receipt, policy: Policy) -> Receipt:
        if policy.memory.mode == "off":
            return receipt
        try:
            self.store.receipts.add(receipt)
        except StoreError as error:
            return replace(
                receipt, degradations=(*receipt.degradations, f"this receipt was not stored: {error}")
            )
        return receipt


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


def _count_tiers(result: RetrievalResult, shown: Tiers, degraded: tuple[str, ...]) -> RetrievalResult:
    """Add the tiers in the block to the source counts of the receipt."""
    counts = {
        "profile": int(shown.profile is not None),
        "working": int(shown.working_summary is not None),
        "contexts": len(shown.context_files),
    }
    sources = {**result.sources, **{name: number for name, number in counts.items() if number}}
    return replace(result, sources=sources, degraded=(*result.degraded, *degraded))


def _receipt_item(
    scored: ScoredCandidate, disposition: Disposition, reason: str | None = None
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
        chat=candidate.chat,
        role=candidate.role,
        kind=candidate.kind,
        reason=reason,
        cosine=candidate.dense,
    )


def _recorded_query(query: str, recording: str) -> str | None:
    match recording:
        case "full":
            return query
        case "hashed":
            return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        case _:
            return None
