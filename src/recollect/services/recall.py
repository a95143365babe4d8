"""The right memory comes out: searched, ranked, put into a prompt, and accounted for."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.context.block import assemble
from recollect.context.profile import told
from recollect.context.tiers import conversation
from recollect.domain.candidate import PROFILE, Candidate, Key, Recollection, Source
from recollect.domain.context import Block, Tiers
from recollect.domain.memory import Standing
from recollect.domain.outcomes import Absence
from recollect.domain.policy import Policy
from recollect.domain.receipt import Fate, Item, Receipt
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.errors import StoreError
from recollect.retrieval.retriever import RecallStep
from recollect.retrieval.search_state import Recalled
from recollect.services.base import Core
from recollect.services.embedders import Embedders
from recollect.text.tokens import estimate
from recollect.text.windows import encodable

#: Messages of a chat that are looked at for its tiers.
CONVERSATION = 200


@dataclass(frozen=True, kw_only=True)
class Recalling(Core):
    recall_step: RecallStep
    embedders: Embedders | None = None  #: None if the step's own answers for everybody

    def recall(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        as_of: datetime | None = None,
        keep: bool = True,
    ) -> Receipt:
        """
        Search: the passages that bear on the question, best first, each with the parts of its score.

        Who only tries something out, or is still typing, does not `keep` the receipt.
        """
        begun = self.clock.monotonic()
        question = encodable(question)
        recalled = (
            self._asking(scope)(scope, question, policy, as_of=as_of) if policy.memory.recalls else Recalled()
        )
        items = tuple(_item(r, Fate.RETURNED) for r in recalled.kept)
        block = Block(text="", tokens=0, items=items)
        receipt = self._receipt(scope, question, policy, recalled, block, begun)
        return self._filed(receipt, policy) if keep else receipt

    def context(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        context_ids: Sequence[str] = (),
        fallback: Sequence[str] = (),
    ) -> Receipt:
        """
        The block for the next prompt, inside the budget, with an account of everything considered.

        Context files can be named besides those attached to the chat; `fallback` stands in where nothing is recalled.
        """
        return self._block(scope, question, policy, context_ids=context_ids, fallback=fallback)[0]

    def inject(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        visible: frozenset[str] = frozenset(),
        already: frozenset[Key] = frozenset(),
    ) -> tuple[Receipt, frozenset[Key]]:
        """
        The block for a turn of a conversation that is sent along, and all that it shows.

        `visible` are the messages of it, `already` is what earlier blocks among them show: neither is said again.
        """
        return self._block(scope, question, policy, visible=visible, already=already)

    def _block(
        self,
        scope: Scope,
        question: str,
        policy: Policy,
        *,
        context_ids: Sequence[str] = (),
        fallback: Sequence[str] = (),
        visible: frozenset[str] = frozenset(),
        already: frozenset[Key] = frozenset(),
    ) -> tuple[Receipt, frozenset[Key]]:
        begun = self.clock.monotonic()
        question = encodable(question)
        tiers, degraded = self._gathered(scope, policy, context_ids)
        tiers = _unsaid(tiers, already)
        shown = frozenset(message.id for message in tiers.buffer)
        recalled = (
            self._asking(scope)(
                scope, question, policy, visible=shown, sent=visible, cliff=policy.recall.cliff
            )
            if policy.recalls
            else Recalled()
        )
        if not recalled.kept and policy.recalls:
            recalled = replace(recalled, kept=tuple(self._stand_ins(fallback)))
        assembling = self.clock.monotonic()
        block = assemble(
            replace(tiers, recalled=recalled.kept),
            question=question,
            policy=policy.assemble,
            code_first=policy.recall.code_first,
            nonce=self.ids.new(),
            already=already | self._just_injected(scope, policy),
        )
        recalled = _with_tiers(recalled, block.shown, degraded)
        spent = {**recalled.timings, "assemble_ms": (self.clock.monotonic() - assembling) * 1000}
        receipt = self._receipt(scope, question, policy, replace(recalled, timings=spent), block, begun)
        return self._filed(receipt, policy), _shown(block.shown)

    def why_not(self, scope: Scope, question: str, wanted: str, policy: Policy) -> Absence:
        """Ask again, leave no receipt, and say what became of one memory or message."""
        recalled = self._asking(scope)(scope, encodable(question), policy, cliff=policy.recall.cliff)
        ranked = [*recalled.kept, *(r for r, _ in recalled.dropped)]
        reasons = {r.candidate.key: reason for r, reason in recalled.dropped}
        for place, recollection in enumerate(ranked, start=1):
            candidate = recollection.candidate
            if wanted and candidate.id.startswith(wanted):
                reason = reasons.get(candidate.key, "nothing: it is recalled")
                return Absence(
                    id=candidate.id, text=candidate.text, reason=reason, rank=place, item=recollection
                )
        memory = self.store.memories.get(scope, wanted)
        reason = f"not among the {policy.recall.fetch} best of either channel"
        if memory.standing is not Standing.ACTIVE:
            reason = f"it is {memory.standing}" + (f": {memory.reason}" if memory.reason else "")
        return Absence(id=memory.id, text=memory.text, reason=reason)

    def _asking(self, scope: Scope) -> RecallStep:
        """Recall by the model whose vectors the user has."""
        if self.embedders is None:
            return self.recall_step
        try:
            return replace(self.recall_step, embedder=self.embedders.of(scope.user))
        except StoreError:
            # By whatever can be read, then; the step says what it could not.
            return self.recall_step

    def _stand_ins(self, texts: Sequence[str]) -> Iterator[Recollection]:
        now = self.clock.now()
        for place, text in enumerate(texts, start=1):
            candidate = Candidate(
                source=Source.MEMORY,
                id=f"fallback-{place}",
                text=text,
                created_at=now,
                seen_at=now,
                tokens=estimate(text),
            )
            yield Recollection(candidate=candidate, score=0.0)

    def _gathered(
        self, scope: Scope, policy: Policy, context_ids: Sequence[str]
    ) -> tuple[Tiers, tuple[str, ...]]:
        """What is shown besides recollections. Whatever of it cannot be read, the chat goes on without it."""
        if not policy.memory.recalls:
            return Tiers(), ()
        try:
            tiers = self._tiers(scope, policy)
            named = [self.store.contexts.get(scope, context_id) for context_id in context_ids]
            files = {file.id: file for file in (*tiers.contexts, *named)}
            return replace(tiers, contexts=tuple(files.values())), ()
        except StoreError as error:
            return Tiers(), (f"recollections only: {error}",)

    def _tiers(self, scope: Scope, policy: Policy) -> Tiers:
        profile = self.store.profiles.get(scope) if policy.recalls else None
        about = told(profile, policy.assemble.locale) if profile else None
        if scope.chat is None:
            return Tiers(profile=about)
        shown, above = policy.assemble.buffer, policy.assemble.local_floor
        said = self.store.messages.tail(scope, whole=shown, limit=CONVERSATION, above=above)
        buffer, local = conversation(said, policy.assemble)
        working = self.store.summaries.latest(scope, SummaryKind.WORKING)
        return Tiers(
            buffer=buffer,
            local=local,
            working=working.text if working and policy.summaries.working_every else None,
            contexts=tuple(self.store.contexts.list(scope)),
            profile=about,
        )

    def _just_injected(self, scope: Scope, policy: Policy) -> frozenset[Key]:
        if scope.chat is None or not policy.assemble.repeat_after:
            return frozenset()
        try:
            recent = self.store.receipts.list(scope, limit=policy.assemble.repeat_after)
        except StoreError:
            # Saying something twice is better than not answering.
            return frozenset()
        return frozenset((item.source, item.id) for receipt in recent for item in receipt.injected)

    def _skipped(self, scope: Scope, policy: Policy) -> tuple[str, ...]:
        """Sources that were not asked, and why."""
        if not policy.memory.recalls:
            return (f"everything: memory is {policy.memory.mode} here",)
        try:
            consents = self.store.consents.all(scope)
        except StoreError:
            return ()
        return tuple(f"{category}: no consent" for category, granted in consents.items() if not granted)

    def _receipt(
        self, scope: Scope, question: str, policy: Policy, recalled: Recalled, block: Block, begun: float
    ) -> Receipt:
        most = policy.record.left_out
        left_out = (_item(r, Fate.LEFT_OUT, reason) for r, reason in recalled.dropped[:most])
        more = len(recalled.dropped) - most
        return Receipt(
            id=self.ids.new(),
            user=scope.user,
            chat=scope.chat,
            query=_recorded(question, policy.record.query),
            created_at=self.clock.now(),
            preset=policy.preset,
            ranker=policy.recall.ranker,
            hybrid=policy.recall.hybrid,
            chunking=policy.chunking.enabled,
            budget=policy.assemble.budget,
            tokens=block.tokens,
            text=block.text,
            items=(*block.items, *left_out),
            degraded=recalled.degraded,
            skipped=(
                *self._skipped(scope, policy),
                *block.notes,
                *([f"{more} more candidates, further down"] if more > 0 else []),
            ),
            sources=recalled.sources,
            timings={**recalled.timings, "total_ms": (self.clock.monotonic() - begun) * 1000},
        )

    def _filed(self, receipt: Receipt, policy: Policy) -> Receipt:
        if policy.memory.mode == "off":
            return receipt
        try:
            self.store.receipts.add(receipt)
        except StoreError as error:
            return replace(receipt, degraded=(*receipt.degraded, f"this receipt is not kept: {error}"))
        return receipt


def _unsaid(tiers: Tiers, already: frozenset[Key]) -> Tiers:
    """Files and a profile that the model has before it need not be shown again."""
    files = tuple(file for file in tiers.contexts if (Source.CONTEXT, file.id) not in already)
    return replace(tiers, contexts=files, profile=None if PROFILE in already else tiers.profile)


def _shown(tiers: Tiers) -> frozenset[Key]:
    files = ((Source.CONTEXT, file.id) for file in tiers.contexts)
    whole = [PROFILE] if tiers.profile else []
    return frozenset((*(r.candidate.key for r in tiers.recalled), *files, *whole))


def _with_tiers(recalled: Recalled, shown: Tiers, degraded: tuple[str, ...]) -> Recalled:
    """Count what is in the prompt besides recollections, so that a receipt tells of all of it."""
    counts = {
        "profile": int(shown.profile is not None),
        "working": int(shown.working is not None),
        "contexts": len(shown.contexts),
    }
    sources = {**recalled.sources, **{name: number for name, number in counts.items() if number}}
    return replace(recalled, sources=sources, degraded=(*recalled.degraded, *degraded))


def _item(recollection: Recollection, fate: Fate, reason: str | None = None) -> Item:
    candidate = recollection.candidate
    return Item(
        source=candidate.source,
        id=candidate.id,
        text=candidate.text,
        fate=fate,
        score=recollection.score,
        parts=recollection.parts,
        tokens=candidate.tokens,
        created_at=candidate.created_at,
        chat=candidate.chat,
        role=candidate.role,
        kind=candidate.kind,
        reason=reason,
        cosine=candidate.dense,
    )


def _recorded(question: str, how: str) -> str | None:
    match how:
        case "full":
            return question
        case "hashed":
            return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        case _:
            return None
