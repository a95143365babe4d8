"""The corridor: observe, remember, recall, context, correct, forget; each calls the rooms in order."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.errors import NotFound
from recollect.model.candidate import Recollection, Source
from recollect.model.context import Block, Tiers
from recollect.model.job import JobKind, NewJob
from recollect.model.judgement import Fact
from recollect.model.memory import Change, Kind, Memory, Origin, Span, Standing
from recollect.model.message import SPEAKERS, Chunk, Draft, Message, Role
from recollect.model.outcome import Absence, Kept, Observed
from recollect.model.policy import Policy
from recollect.model.receipt import Fate, Item, Receipt
from recollect.model.scope import Scope
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store
from recollect.steps.assemble.block import assemble
from recollect.steps.assemble.tiers import conversation
from recollect.steps.funnel.verdict import Consider, Discard, Verdict, verdict
from recollect.steps.intake.clean import clean
from recollect.steps.intake.step import IntakeStep
from recollect.steps.judge.rules import judge
from recollect.steps.keep.step import KeepStep
from recollect.steps.recall.step import Recalled, RecallStep

#: One job per user gives every waiting passage its vector.
EMBED = NewJob(kind=JobKind.EMBED, key="embed")
#: Whose words the judge reads, by the policy's name for them.
JUDGED = {
    "user": frozenset({Role.USER}),
    "user+assistant": frozenset({Role.USER, Role.ASSISTANT}),
    "all": frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}

#: Messages of a chat that are looked at for its tiers.
CONVERSATION = 200
#: More than anybody has.
ALL = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    store: Store
    clock: Clock
    ids: Ids
    intake: IntakeStep
    keep: KeepStep
    recall_step: RecallStep

    # A message goes in.

    def observe(self, scope: Scope, drafts: Sequence[Draft], policy: Policy) -> list[Observed]:
        """Store messages and queue what is to be done with them: all on disk when this returns, or none."""
        # Reading comes before writing: a long message must not hold the lock while it is looked at.
        ready = [self._considered(*self.intake(scope, draft, policy), policy) for draft in drafts]
        observed = []
        with self.store.transaction():
            for message, chunks, found in ready:
                stored, new = self.store.messages.add(message, chunks)
                wanted = not message.extracted
                if new:
                    self._queue(stored, judged=wanted)
                observed.append(Observed(message=stored, new=new, considered=wanted, reason=found.reason))
        return observed

    def remember(
        self, scope: Scope, text: str, policy: Policy, *, tags: Sequence[str] = (), kind: Kind | None = None
    ) -> Kept:
        """Keep a text as it is, as said by the user. The message and the memory are on disk when this returns."""
        draft = Draft(role=Role.USER, content=text)
        message, chunks = self.intake(scope, draft, policy)
        facts = judge(message.content, role=Role.USER, said_at=message.created_at).facts
        whole = Fact(
            text=message.content.strip(),
            kind=kind or (facts[0].kind if facts else Kind.NOTE),
            weight=1.0,
            start=0,
            end=len(message.content),
        )
        memory = replace(self._memory(message, whole, Origin.MANUAL), tags=tuple(tags))
        with self.store.transaction():
            if self.store.memories.by_hash(scope, memory.fact_hash) is None:
                self.store.messages.add(replace(message, extracted=True), chunks)
                self._queue(message, judged=False)
            return self.keep(memory)

    def learn(self, scope: Scope, message_id: str, policy: Policy) -> list[Kept]:
        """Judge one message and keep its facts. Called by a worker, inside the transaction that ends its job."""
        message = self.store.messages.get(scope, message_id)
        found = judge(message.content, role=message.role, said_at=message.created_at)
        with self.store.transaction():
            self.store.messages.judge(
                scope,
                message.id,
                importance=found.importance,
                summary=found.summary,
                kind=found.message_type,
            )
            kept = [
                self.keep(self._memory(message, fact, Origin.RULES))
                for fact in found.facts
                if len(fact.text) >= policy.extract.min_fact_chars
            ]
            self.store.messages.mark_extracted(scope, [message.id])
            if kept:
                self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return kept

    def exists(self, scope: Scope, message_id: str) -> bool:
        try:
            self.store.messages.get(scope, message_id)
        except NotFound:
            return False
        return True

    # The right memory comes out.

    def recall(
        self, scope: Scope, question: str, policy: Policy, *, as_of: datetime | None = None
    ) -> Receipt:
        """Search: the passages that bear on the question, best first, each with the parts of its score."""
        begun = self.clock.monotonic()
        recalled = self.recall_step(scope, question, policy, as_of=as_of)
        items = tuple(_item(r, Fate.RETURNED) for r in recalled.kept)
        return self._keep_receipt(
            scope, question, policy, recalled, Block(text="", tokens=0, items=items), begun
        )

    def context(self, scope: Scope, question: str, policy: Policy) -> Receipt:
        """The block for the next prompt, inside the budget, with an account of everything considered."""
        begun = self.clock.monotonic()
        tiers = self._tiers(scope, policy)
        visible = frozenset(message.id for message in tiers.buffer)
        recalled = (
            self.recall_step(scope, question, policy, visible=visible)
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
        recalled = self.recall_step(scope, question, policy)
        ranked = [*recalled.kept, *(r for r, _ in recalled.dropped)]
        reasons = {r.candidate.key: reason for r, reason in recalled.dropped}
        for place, recollection in enumerate(ranked, start=1):
            candidate = recollection.candidate
            if candidate.id.startswith(wanted):
                reason = reasons.get(candidate.key, "nothing: it is recalled")
                return Absence(
                    id=candidate.id, text=candidate.text, reason=reason, rank=place, item=recollection
                )
        memory = self.store.memories.get(scope, wanted)
        reason = f"not among the {policy.recall.fetch} best of either channel"
        if memory.standing is not Standing.ACTIVE:
            reason = f"it is {memory.standing}" + (f": {memory.reason}" if memory.reason else "")
        return Absence(id=memory.id, text=memory.text, reason=reason)

    # The user decides.

    def correct(self, scope: Scope, memory_id: str, text: str, policy: Policy) -> Memory:
        """Replace what a memory says; its old words stay in its history."""
        cleaned = clean(text, largest=policy.collect.largest_message).strip()
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            changed = replace(memory, text=cleaned, updated_at=self.clock.now())
            saved = self.store.memories.save(changed, Change.UPDATE)
            self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
        return saved

    def forget(self, scope: Scope, memory_id: str) -> Memory:
        """Take a memory out of use. Its history can still be read."""
        with self.store.transaction():
            memory = self.store.memories.get(scope, memory_id)
            gone = replace(memory, standing=Standing.FORGOTTEN, updated_at=self.clock.now())
            return self.store.memories.save(gone, Change.DELETE)

    def forget_all(self, scope: Scope) -> int:
        """Take every memory of a user out of use; return how many there were."""
        with self.store.transaction():
            known = self.store.memories.list(scope.everything, limit=ALL)
            for memory in known:
                self.forget(scope, memory.id)
        return len(known)

    # In between.

    def _considered(
        self, message: Message, chunks: Sequence[Chunk], policy: Policy
    ) -> tuple[Message, Sequence[Chunk], Verdict]:
        """What the funnel says, written on the message: nothing to extract, and worth nothing if it is trivial."""
        found = verdict(message.content, message.role, policy.funnel)
        wanted = isinstance(found, Consider) and self._is_judged(message, policy)
        trivial = isinstance(found, Discard) and message.role in SPEAKERS
        marked = replace(message, extracted=not wanted, importance=0 if trivial else None)
        return marked, chunks, found

    def _is_judged(self, message: Message, policy: Policy) -> bool:
        return (
            policy.collect.enabled
            and policy.extract.mode != "off"
            and message.role in JUDGED[policy.extract.roles]
            and bool(message.content)
        )

    def _queue(self, message: Message, *, judged: bool) -> None:
        now = self.clock.now()
        self.store.jobs.enqueue(message.user, EMBED, now=now)
        if judged:
            job = NewJob(kind=JobKind.JUDGE, key=message.id, payload={"message": message.id})
            self.store.jobs.enqueue(message.user, job, now=now)

    def _memory(self, message: Message, fact: Fact, origin: Origin) -> Memory:
        return Memory(
            id=self.ids.new(),
            user=message.user,
            chat=message.chat,
            text=fact.text,
            kind=fact.kind,
            weight=fact.weight,
            origin=origin,
            speaker=message.role,
            attribute=fact.attribute,
            valid_from=fact.valid_from,
            created_at=message.created_at,
            updated_at=self.clock.now(),
            seen_at=message.created_at,
            spans=(Span(message_id=message.id, start=fact.start, end=fact.end),),
        )

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
