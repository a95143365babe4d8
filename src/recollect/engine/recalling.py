"""The right memory comes out: searched, ranked, put into a prompt, and accounted for."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine.core import Core
from recollect.model.candidate import Recollection, Source
from recollect.model.context import Block, Tiers
from recollect.model.memory import Standing
from recollect.model.outcome import Absence
from recollect.model.policy import Policy
from recollect.model.receipt import Fate, Item, Receipt
from recollect.model.scope import Scope
from recollect.steps.assemble.block import assemble
from recollect.steps.assemble.tiers import conversation
from recollect.steps.recall.step import Recalled, RecallStep
from recollect.text.windows import encodable

#: Messages of a chat that are looked at for its tiers.
CONVERSATION = 200


@dataclass(frozen=True, kw_only=True)
class Recalling(Core):
    recall_step: RecallStep

    def recall(
        self, scope: Scope, question: str, policy: Policy, *, as_of: datetime | None = None
    ) -> Receipt:
        """Search: the passages that bear on the question, best first, each with the parts of its score."""
        begun = self.clock.monotonic()
        question = encodable(question)
        recalled = self.recall_step(scope, question, policy, as_of=as_of)
        items = tuple(_item(r, Fate.RETURNED) for r in recalled.kept)
        return self._keep_receipt(
            scope, question, policy, recalled, Block(text="", tokens=0, items=items), begun
        )

    def context(self, scope: Scope, question: str, policy: Policy) -> Receipt:
        """The block for the next prompt, inside the budget, with an account of everything considered."""
        begun = self.clock.monotonic()
        question = encodable(question)
        tiers = self._tiers(scope, policy)
        visible = frozenset(message.id for message in tiers.buffer)
        recalled = (
            self.recall_step(scope, question, policy, visible=visible, cliff=policy.recall.cliff)
            if policy.recall.enabled
            else Recalled()
        )
        assembling = self.clock.monotonic()
        block = assemble(
            replace(tiers, recalled=recalled.kept),
            question=question,
            policy=policy.assemble,
            code_first=policy.recall.code_first,
            nonce=self.ids.new(),
            already=self._just_injected(scope, policy),
        )
        spent = {**recalled.timings, "assemble_ms": (self.clock.monotonic() - assembling) * 1000}
        return self._keep_receipt(scope, question, policy, replace(recalled, timings=spent), block, begun)

    def why_not(self, scope: Scope, question: str, wanted: str, policy: Policy) -> Absence:
        """Ask again, leave no receipt, and say what became of one memory or message."""
        recalled = self.recall_step(scope, encodable(question), policy, cliff=policy.recall.cliff)
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

    def _tiers(self, scope: Scope, policy: Policy) -> Tiers:
        if scope.chat is None:
            return Tiers()
        buffer, local = conversation(self.store.messages.list(scope, limit=CONVERSATION), policy.assemble)
        return Tiers(buffer=buffer, local=local)

    def _just_injected(self, scope: Scope, policy: Policy) -> frozenset[tuple[Source, str]]:
        if scope.chat is None or not policy.assemble.repeat_after:
            return frozenset()
        recent = self.store.receipts.list(scope, limit=policy.assemble.repeat_after)
        return frozenset((item.source, item.id) for receipt in recent for item in receipt.injected)

    def _keep_receipt(
        self, scope: Scope, question: str, policy: Policy, recalled: Recalled, block: Block, begun: float
    ) -> Receipt:
        left_out = (_item(r, Fate.LEFT_OUT, reason) for r, reason in recalled.dropped)
        receipt = Receipt(
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
            skipped=block.notes,
            sources=recalled.sources,
            timings={**recalled.timings, "total_ms": (self.clock.monotonic() - begun) * 1000},
        )
        self.store.receipts.add(receipt)
        return receipt


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
    )


def _recorded(question: str, how: str) -> str | None:
    match how:
        case "full":
            return question
        case "hashed":
            return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        case _:
            return None
