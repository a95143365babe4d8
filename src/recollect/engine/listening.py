"""A message goes in: it is stored, queued, judged, and what is worth keeping is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.engine.core import Core
from recollect.errors import NotFound, ProviderError
from recollect.model.candidate import Reach, Source
from recollect.model.job import JobKind, NewJob
from recollect.model.judgement import Fact
from recollect.model.memory import Kind, Memory, Origin, Span, Standing
from recollect.model.message import SPEAKERS, Draft, Message, Role
from recollect.model.outcome import Kept, New, Observed, Reinforces
from recollect.model.policy import Policy
from recollect.model.scope import Scope
from recollect.ports.embedder import Embedder, Vector
from recollect.steps.funnel.verdict import Consider, Discard, Verdict, verdict
from recollect.steps.intake.step import Intake, IntakeStep
from recollect.steps.judge.rules import judge as judge_by_rules
from recollect.steps.judge.step import READ, Judged, JudgeStep
from recollect.steps.judge.verdicts import Quarantined
from recollect.steps.keep.step import KeepStep

#: One job per user gives every waiting passage its vector.
EMBED = NewJob(kind=JobKind.EMBED, key="embed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a judge found in a message, with the vectors of its facts, ready to be kept."""

    message: Message
    judged: Judged
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, kw_only=True)
class Listening(Core):
    intake: IntakeStep
    judge_step: JudgeStep
    keep: KeepStep
    embedder: Embedder | None

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
        facts = judge_by_rules(message.content, role=Role.USER, said_at=message.created_at).facts
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
                self._queue(message, policy, judged=False)
            return self.keep.verbatim(memory)

    def to_judge(self, scope: Scope, message_id: str, policy: Policy) -> list[Message]:
        """The messages that a judge is shown at once: this one, its exchange, or the next twenty."""
        match policy.extract.mode:
            case "batch":
                return list(self.store.messages.unextracted(scope.everything, limit=policy.extract.batch))
            case "single_fact":
                chat = Scope(scope.user, self.store.messages.get(scope, message_id).chat)
                return list(self.store.messages.unextracted(chat, limit=policy.extract.batch))
            case _:
                message = self.store.messages.get(scope, message_id)
                return [] if message.extracted else [message]

    def judge(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[Lesson]:
        """Ask the judge. This may wait for a model, so nothing is locked meanwhile and nothing written."""
        chat = Scope(scope.user, messages[0].chat)
        judged = self.judge_step(
            messages,
            policy=policy,
            existing=self._known_about(scope, messages, policy),
            contexts=[file.content for file in self.store.contexts.list(chat)],
        )
        texts = [fact.text for each in judged for fact in each.judgement.facts]
        vectors = self._vectors(texts)
        return [
            Lesson(message=m, judged=each, vectors=vectors) for m, each in zip(messages, judged, strict=True)
        ]

    def learn(self, lesson: Lesson, policy: Policy) -> list[Kept]:
        """Keep what was found in a message. Called inside the transaction that ends the job."""
        message, found = lesson.message, lesson.judged.judgement
        scope = Scope(message.user)
        with self.store.transaction():
            self.store.messages.judge(
                scope, message.id, importance=found.importance, summary=found.summary, kind=found.message_type
            )
            self.store.judgements.put(scope, message.id, lesson.judged.model or "rules", found)
            kept = [self._keep_fact(lesson, fact, policy) for fact in found.facts]
            for doubt in lesson.judged.quarantined:
                self.store.memories.add(self._doubted(lesson, doubt))
            self.store.messages.mark_extracted(scope, [message.id])
            if kept:
                self.store.jobs.enqueue(message.user, EMBED, now=self.clock.now())
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
            self._queue(stored, policy, judged=wanted)
            for reason in (found.reason, *(f"masked: {kind}" for kind in taken.masked)):
                self.store.verdicts.count(stored.user, reason, now=self.clock.now())
        return Observed(message=stored, new=new, considered=wanted, reason=found.reason, masked=taken.masked)

    def _queue(self, message: Message, policy: Policy, *, judged: bool) -> None:
        now = self.clock.now()
        self.store.jobs.enqueue(message.user, EMBED, now=now)
        mode = policy.extract.mode
        # One fact of an exchange is asked for when the answer is there.
        if judged and (mode != "single_fact" or message.role is Role.ASSISTANT):
            key = "batch" if mode == "batch" else message.id
            job = NewJob(kind=JobKind.JUDGE, key=key, payload={"message": message.id})
            self.store.jobs.enqueue(message.user, job, now=now)

    def _keep_fact(self, lesson: Lesson, fact: Fact, policy: Policy) -> Kept:
        origin = Origin.MODEL if lesson.judged.model else Origin.RULES
        return self.keep(
            self._memory(lesson.message, fact, origin),
            policy.keep,
            negated=fact.negated,
            vector=lesson.vectors.get(fact.text),
            model=self.embedder.model_id if self.embedder else None,
        )

    def _doubted(self, lesson: Lesson, doubt: Quarantined) -> Memory:
        """What cannot be found in its source is kept aside, with the reason, for the user to see."""
        memory = self._memory(lesson.message, doubt.fact, Origin.MODEL)
        return replace(memory, standing=Standing.QUARANTINED, reason=doubt.reason)

    def _known_about(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[str]:
        """What a model is shown so that it does not repeat it; the rules need not be told."""
        if self.judge_step.model is None or not policy.extract.existing_top_k:
            return []
        asked = "\n".join(message.content for message in messages if message.role is Role.USER)
        reach = Reach(sources=frozenset({Source.MEMORY}))
        hits = self.store.search.lexical(
            scope.everything, asked, limit=policy.extract.existing_top_k, reach=reach
        )
        loaded = self.store.search.load(scope.everything, [hit.passage for hit in hits], reach=reach)
        recent = self.store.memories.list(scope.everything, limit=policy.extract.existing_top_k)
        texts = [*(loaded[h.passage].text for h in hits if h.passage in loaded), *(m.text for m in recent)]
        return list(dict.fromkeys(texts))[: policy.extract.existing_top_k]

    def _vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        """Without vectors facts are compared by their words alone."""
        if self.embedder is None or not texts:
            return {}
        try:
            return dict(zip(texts, self.embedder.embed(texts), strict=True))
        except ProviderError:
            return {}

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
        and message.role in READ[policy.extract.roles]
        and bool(message.content)
    )
