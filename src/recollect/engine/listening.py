"""A message goes in: it is stored, queued, judged, and what is worth keeping is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.engine.core import Core
from recollect.errors import NotFound
from recollect.model.job import JobKind, NewJob
from recollect.model.judgement import Fact
from recollect.model.memory import Kind, Memory, Origin, Span
from recollect.model.message import SPEAKERS, Draft, Message, Role
from recollect.model.outcome import Kept, New, Observed, Reinforces
from recollect.model.policy import Policy
from recollect.model.scope import Scope
from recollect.steps.funnel.verdict import Consider, Discard, Verdict, verdict
from recollect.steps.intake.step import Intake, IntakeStep
from recollect.steps.judge.rules import judge
from recollect.steps.keep.step import KeepStep

#: One job per user gives every waiting passage its vector.
EMBED = NewJob(kind=JobKind.EMBED, key="embed")
#: Whose words the judge reads, by the policy's name for them.
JUDGED = {
    "user": frozenset({Role.USER}),
    "user+assistant": frozenset({Role.USER, Role.ASSISTANT}),
    "all": frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}


@dataclass(frozen=True, kw_only=True)
class Listening(Core):
    intake: IntakeStep
    keep: KeepStep

    def observe(self, scope: Scope, drafts: Sequence[Draft], policy: Policy) -> list[Observed]:
        """Store messages and queue what is to be done with them: all on disk when this returns, or none."""
        # Reading comes before writing: a long message must not hold the lock while it is looked at.
        ready = [self.intake(scope, draft, policy) for draft in drafts]
        judged = [
            (taken, verdict(taken.message.content, taken.message.role, policy.funnel)) for taken in ready
        ]
        with self.store.transaction():
            return [self._store(taken, found, policy) for taken, found in judged]

    def remember(
        self, scope: Scope, text: str, policy: Policy, *, tags: Sequence[str] = (), kind: Kind | None = None
    ) -> New | Reinforces:
        """Keep a text as it is, as said by the user. The message and the memory are on disk when this returns."""
        draft = Draft(role=Role.USER, content=text)
        taken = self.intake(scope, draft, policy)
        message = taken.message
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
                self.store.messages.add(replace(message, extracted=True), taken.chunks)
                self._queue(message, judged=False)
            return self.keep.verbatim(memory)

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
                self.keep(self._memory(message, fact, Origin.RULES), policy.keep, negated=fact.negated)
                for fact in found.facts
                if fact.attribute or len(fact.text) >= policy.extract.min_fact_chars
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

    def _store(self, taken: Intake, found: Verdict, policy: Policy) -> Observed:
        wanted = isinstance(found, Consider) and _is_judged(taken.message, policy)
        trivial = isinstance(found, Discard) and taken.message.role in SPEAKERS
        marked = replace(taken.message, extracted=not wanted, importance=0 if trivial else None)
        stored, new = self.store.messages.add(marked, taken.chunks)
        if new:
            self._queue(stored, judged=wanted)
            for reason in (found.reason, *(f"masked: {kind}" for kind in taken.masked)):
                self.store.verdicts.count(stored.user, reason, now=self.clock.now())
        return Observed(message=stored, new=new, considered=wanted, reason=found.reason, masked=taken.masked)

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
            value=fact.value,
            valid_from=fact.valid_from,
            created_at=message.created_at,
            updated_at=self.clock.now(),
            seen_at=message.created_at,
            spans=(Span(message_id=message.id, start=fact.start, end=fact.end),),
        )


def _is_judged(message: Message, policy: Policy) -> bool:
    return (
        policy.collect.enabled
        and policy.extract.mode != "off"
        and message.role in JUDGED[policy.extract.roles]
        and bool(message.content)
    )
