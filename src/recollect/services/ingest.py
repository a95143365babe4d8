"""A message goes in: it is stored, queued, judged, and what is worth keeping is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from recollect.consolidation.consolidator import KeepStep, RelearnStep
from recollect.consolidation.replay import Likeness, Saying
from recollect.domain.candidate import Reach, Source
from recollect.domain.event import Action, Step
from recollect.domain.extraction import Fact, Judgement
from recollect.domain.job import JobKind, NewJob
from recollect.domain.memory import Kind, Memory, Origin, Standing
from recollect.domain.message import SPEAKERS, Draft, Message, Role
from recollect.domain.outcomes import Declined, Kept, New, Observed, Reinforces, Supersedes
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.errors import CapReached, NotFound, ProviderError
from recollect.extraction.extractor import READ, Judged, JudgeStep
from recollect.extraction.rules.classifier import judge as judge_by_rules
from recollect.extraction.validation import Quarantined
from recollect.ingestion.preparation import Intake, IntakeStep
from recollect.ingestion.triage.decision import Consider, Discard, Verdict, verdict
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.vector_math import cosine
from recollect.services.base import Core
from recollect.services.context_files import Files
from recollect.services.embedders import Embedders
from recollect.services.spending import Metered

#: One job per user gives every waiting passage its vector.
EMBED = NewJob(kind=JobKind.EMBED, key="embed")
NOT_LISTENING = "memory is {}: nothing was stored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a judge found in a message, with the vectors of its facts, ready to be kept."""

    message: Message
    judged: Judged
    vectors: Mapping[str, Vector]
    in_files: Mapping[str, str]  #: facts that stand in a context file already, and in which

    @property
    def origin(self) -> Origin:
        return Origin.MODEL if self.judged.model else Origin.RULES


@dataclass(frozen=True, kw_only=True)
class Listening(Core):
    intake: IntakeStep
    judge_step: JudgeStep
    keep: KeepStep
    relearn: RelearnStep
    embedder: Embedder | None
    embedders: Embedders | None = None  #: None if the one above answers for everybody
    files: Files

    def observe(self, scope: Scope, drafts: Sequence[Draft], policy: Policy) -> list[Observed]:
        """Store messages and queue what is to be done with them: all on disk when this returns, or none."""
        # Reading comes before writing: a long message must not hold the lock while it is looked at.
        ready = [self.intake(scope, draft, policy) for draft in drafts]
        if not policy.listens:
            return [_unheard(taken, policy) for taken in ready]
        judged = [
            (taken, verdict(taken.message.content, taken.message.role, policy.funnel)) for taken in ready
        ]
        with self.store.transaction():
            return [self._store(taken, found, policy) for taken, found in judged]

    def remember(
        self, scope: Scope, text: str, policy: Policy, *, tags: Sequence[str] = (), kind: Kind | None = None
    ) -> New | Reinforces | Declined:
        """Keep a text as it is, as said by the user. The message and the memory are on disk when this returns."""
        draft = Draft(role=Role.USER, content=text)
        taken = self.intake(scope, draft, policy)
        message = taken.message
        if not policy.listens:
            return Declined(text=message.content, reason=NOT_LISTENING.format(policy.memory.mode))
        facts = judge_by_rules(message.content, role=Role.USER, said_at=message.created_at).facts
        whole = Fact(
            text=message.content.strip(),
            kind=kind or (facts[0].kind if facts else Kind.NOTE),
            weight=1.0,
            start=0,
            end=len(message.content),
        )
        memory = replace(self._saying(message, whole, Origin.MANUAL).memory, tags=tuple(tags))
        with self.store.transaction():
            if not self.store.consents.all(scope).get(memory.kind, True):
                return _declined(whole)
            if self.store.memories.by_hash(scope, memory.fact_hash) is None:
                self.store.messages.add(replace(message, extracted=True), taken.chunks)
                self._queue(message, policy, judged=False)
            kept = self.keep.verbatim(memory)
            self._note(kept)
            return kept

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
        judged = self._judged(Scope(scope.user, messages[0].chat), messages, policy)
        texts = [fact.text for each in judged for fact in each.judgement.facts]
        vectors = self.vectors(scope.user, texts)
        if texts and self.store.memories.rests_on_later(scope, messages[0].id):
            vectors |= self._vectors_around(messages, judged, vectors, policy)
        files = self.store.contexts.list(scope.everything)
        in_files = self.files.holding(texts, files, vectors, policy.keep) if files and texts else {}
        return [
            Lesson(message=m, judged=each, vectors=vectors, in_files=in_files)
            for m, each in zip(messages, judged, strict=True)
        ]

    def learn(self, lesson: Lesson, policy: Policy) -> list[Kept]:
        """Keep what was found in a message. Called inside the transaction that ends the job."""
        message = lesson.message
        scope = Scope(message.user)
        with self.store.transaction():
            consents = self.store.consents.all(scope)
            found = _settled(lesson.judged.judgement, consents, policy)
            self.store.messages.judge(
                scope, message.id, importance=found.importance, summary=found.summary, kind=found.message_type
            )
            self.store.judgements.put(scope, message.id, lesson.judged.model or "rules", found)
            refused = [f for f in lesson.judged.judgement.facts if not consents.get(f.kind, True)]
            kept: list[Kept] = [_declined(fact) for fact in refused]
            kept += self._kept(lesson, found.facts, policy)
            self._quarantine(lesson, consents)
            self.store.messages.mark_extracted(scope, [message.id])
            if kept:
                self.store.jobs.enqueue(message.user, EMBED, now=self.clock.now())
            self.shed(Scope(message.user, message.chat), policy)
        return kept

    def shed(self, scope: Scope, policy: Policy) -> None:
        """Let go of what was said, where only what is worth keeping of it is to be kept."""
        if policy.collect.store_raw != "full":
            self.store.messages.shed(
                scope,
                keep=policy.assemble.buffer,
                trivial_only=policy.collect.store_raw == "gated",
                summarised=bool(policy.summaries.working_every),
            )

    def exists(self, scope: Scope, message_id: str) -> bool:
        try:
            self.store.messages.get(scope, message_id)
        except NotFound:
            return False
        return True

    def vectors(self, user: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Of the model that answers for the user. Without vectors facts are compared by their words alone."""
        embedder = self._embedder(user)
        if embedder is None or not texts:
            return {}
        try:
            return dict(zip(texts, embedder.embed(texts), strict=True))
        except ProviderError:
            return {}

    def _judged(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[Judged]:
        files = [file.content for file in self.store.contexts.list(scope)]
        step, model = self.judge_step, self.judge_step.model
        if model is not None:
            metered = Metered.over(model, self.store.spending, policy, scope, self.clock)
            known = self._known_about(scope, messages, policy)
            try:
                return replace(step, model=metered)(messages, policy=policy, existing=known, contexts=files)
            except CapReached:
                self.store.verdicts.count(
                    scope.user, "judged by rules: the cap was reached", now=self.clock.now()
                )
        return replace(step, model=None)(messages, policy=policy)

    def _store(self, taken: Intake, found: Verdict, policy: Policy) -> Observed:
        wanted = is_judged(taken.message, found, policy)
        trivial = isinstance(found, Discard) and taken.message.role in SPEAKERS
        marked = replace(taken.message, extracted=not wanted, importance=0 if trivial else None)
        stored, new = self.store.messages.add(marked, taken.chunks)
        if new:
            self._queue(stored, policy, judged=wanted)
            for reason in (found.reason, *(f"masked: {kind}" for kind in taken.masked)):
                self.store.verdicts.count(stored.user, reason, now=self.clock.now())
            if not wanted:
                self.shed(Scope(stored.user, stored.chat), policy)
        return Observed(message=stored, new=new, considered=wanted, reason=found.reason, masked=taken.masked)

    def _queue(self, message: Message, policy: Policy, *, judged: bool) -> None:
        now = self.clock.now()
        self.store.jobs.enqueue(message.user, EMBED, now=now)
        mode = policy.extract.mode
        # One fact of an exchange is asked for when the answer is there.
        if judged and (mode != "single_fact" or message.role is Role.ASSISTANT):
            self.store.jobs.enqueue(message.user, self._judging(message, policy), now=now)
        if message.role is Role.ASSISTANT and self._summary_due(message, policy):
            self.store.jobs.enqueue(message.user, summarise(message.chat), now=now)

    def _judging(self, message: Message, policy: Policy) -> NewJob:
        """A message is judged at once; a batch waits a while for others, unless it is full."""
        payload = {"message": message.id}
        if policy.extract.mode != "batch":
            return NewJob(kind=JobKind.JUDGE, key=message.id, payload=payload)
        waiting = self.store.messages.unextracted(Scope(message.user), limit=policy.extract.batch)
        full = len(waiting) >= policy.extract.batch
        wait = timedelta(seconds=0 if full else policy.extract.batch_seconds)
        return NewJob(kind=JobKind.JUDGE, key="batch", payload=payload, run_at=self.clock.now() + wait)

    def _summary_due(self, message: Message, policy: Policy) -> bool:
        if not policy.learns:
            return False
        scope, wanted = Scope(message.user, message.chat), policy.summaries
        return any(
            every and self.store.summaries.answers_since(scope, kind) >= every
            for kind, every in (
                (SummaryKind.CONVERSATION, wanted.every),
                (SummaryKind.WORKING, wanted.working_every),
            )
        )

    def _kept(self, lesson: Lesson, facts: Sequence[Fact], policy: Policy) -> list[Kept]:
        message = lesson.message
        known: list[Kept] = [
            Declined(text=fact.text, reason=f"it stands in the file {lesson.in_files[fact.text]}")
            for fact in facts
            if fact.text in lesson.in_files
        ]
        sayings = [
            self._saying(message, fact, lesson.origin) for fact in facts if fact.text not in lesson.in_files
        ]
        if sayings and self.store.memories.rests_on_later(Scope(message.user), message.id):
            return [*known, *self._heard_late(sayings, lesson.vectors, policy)]
        kept = [self._keep_saying(saying, lesson.vectors, policy) for saying in sayings]
        for each in kept:
            self._note(each)
        return [*known, *kept]

    def _heard_late(
        self, sayings: Sequence[Saying], vectors: Mapping[str, Vector], policy: Policy
    ) -> list[Kept]:
        """What is heard after later things were learned takes the place it would have had."""
        scope = Scope(sayings[0].memory.user)
        survey = self.relearn.survey(
            scope, policy.keep, seeds=(), said=sayings, vectors=vectors, model=self._model(scope.user)
        )
        change = self.relearn(scope, survey, policy.keep, likeness=likeness(vectors))
        for memory in change.new:
            self._note(New(memory=memory))
        return [*(New(memory=m) for m in change.new), *(Reinforces(memory=m) for m in change.changed)]

    def _vectors_around(
        self,
        messages: Sequence[Message],
        judged: Sequence[Judged],
        vectors: Mapping[str, Vector],
        policy: Policy,
    ) -> dict[str, Vector]:
        """The vectors of everything that what is heard late will be compared with."""
        said = [
            self._saying(message, fact, Origin.RULES)
            for message, each in zip(messages, judged, strict=True)
            for fact in each.judgement.facts
        ]
        scope = Scope(messages[0].user)
        survey = self.relearn.survey(
            scope, policy.keep, seeds=(), said=said, vectors=vectors, model=self._model(scope.user)
        )
        return self.vectors(scope.user, [text for text in survey.texts if text not in vectors])

    def _keep_saying(self, saying: Saying, vectors: Mapping[str, Vector], policy: Policy) -> Kept:
        return self.keep(
            saying.memory,
            policy.keep,
            negated=saying.negated,
            vector=vectors.get(saying.memory.text),
            model=self._model(saying.memory.user),
        )

    def _note(self, kept: Kept) -> None:
        """Write down what was learned, so that it can be seen and taken back."""
        match kept:
            case New(memory=memory):
                self.record(memory.user, Action.LEARN, Step(memory_id=memory.id, before=None))
            case Supersedes(old=old) if old.version == 1:
                # Told late about how it was before: what is known stays as it is.
                self.record(old.user, Action.LEARN, Step(memory_id=old.id, before=None))
            case Supersedes(memory=memory, old=old):
                learned = [Step(memory_id=memory.id, before=None)] if memory else []
                ended = Step(memory_id=old.id, before=old.version - 1)
                self.record(old.user, Action.SUPERSEDE, *learned, ended)
            case _:
                pass

    def _quarantine(self, lesson: Lesson, consents: Mapping[str, bool]) -> None:
        """What cannot be found in its source is kept aside, once, with the reason, for the user to see."""
        for doubt in lesson.judged.quarantined:
            memory = self._doubted(lesson, doubt)
            waiting = self.store.memories.connected(Scope(memory.user), [memory])
            known = any(
                m.standing is Standing.QUARANTINED and m.fact_hash == memory.fact_hash for m in waiting
            )
            if consents.get(memory.kind, True) and not known:
                self.store.memories.add(memory)

    def _doubted(self, lesson: Lesson, doubt: Quarantined) -> Memory:
        memory = self._saying(lesson.message, doubt.fact, Origin.MODEL).memory
        return replace(memory, standing=Standing.QUARANTINED, reason=doubt.reason)

    def _known_about(self, scope: Scope, messages: Sequence[Message], policy: Policy) -> list[str]:
        """What a model is shown so that it does not repeat it; the rules need not be told."""
        if not policy.extract.existing_top_k:
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

    def _saying(self, message: Message, fact: Fact, origin: Origin) -> Saying:
        return Saying.of(message, fact, origin, name=self.ids.new(), now=self.clock.now())

    def _embedder(self, user: str) -> Embedder | None:
        return self.embedder if self.embedders is None else self.embedders.of(user)

    def _model(self, user: str) -> str | None:
        embedder = self._embedder(user)
        return embedder.model_id if embedder else None


def summarise(chat: str) -> NewJob:
    return NewJob(kind=JobKind.SUMMARISE, key=chat, payload={"chat": chat})


def likeness(vectors: Mapping[str, Vector]) -> Likeness:
    def near(one: str, other: str) -> float | None:
        return cosine(vectors[one], vectors[other]) if one in vectors and other in vectors else None

    return near


def _settled(found: Judgement, consents: Mapping[str, bool], policy: Policy) -> Judgement:
    """Without what the user does not want kept; biography at its full weight."""
    full = policy.decay.bio_fixed
    facts = (replace(f, weight=1.0) if full and f.kind is Kind.BIO else f for f in found.facts)
    return replace(found, facts=tuple(fact for fact in facts if consents.get(fact.kind, True)))


def _declined(fact: Fact) -> Declined:
    return Declined(text=fact.text, reason=f"the user does not want memories of the kind {fact.kind}")


def _unheard(taken: Intake, policy: Policy) -> Observed:
    reason = NOT_LISTENING.format(policy.memory.mode)
    return Observed(message=taken.message, new=False, considered=False, reason=reason, stored=False)


def is_judged(message: Message, found: Verdict, policy: Policy) -> bool:
    """Whether a judge will look at a message."""
    return (
        isinstance(found, Consider)
        and policy.learns
        and policy.extract.mode != "off"
        and message.role in READ[policy.extract.roles]
        and bool(message.content)
    )
