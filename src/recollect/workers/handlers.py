"""What each kind of job does. A handler may be run twice and must not mind."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from recollect.domain.candidate import Passage
from recollect.domain.job import Job, JobKind, NewJob
from recollect.domain.message import Message
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ModelMissing, NotFound, ProviderError
from recollect.maintenance.retention import cutoff
from recollect.ports.embedder import Embedder
from recollect.services import EMBED, Engine
from recollect.workers.embedding import Embedding

#: How long a job may stay silent before somebody else takes it over.
LEASE = timedelta(seconds=60)
#: Passages embedded in one go: a few seconds of work, well inside a lease.
BATCH = 32

BACKFILL = NewJob(kind=JobKind.BACKFILL, key="backfill")
GARDEN = NewJob(kind=JobKind.GARDEN, key="garden")

Policies: TypeAlias = Callable[[str], Policy]
Handler: TypeAlias = Callable[[Job], None]


class LeaseLost(Exception):
    """The job was taken over; what we did for it must not be written."""


class Interrupted(Exception):
    """The worker is stopping; what is left of the job goes back into the queue."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    engine: Engine
    embedder: Embedder | None
    policies: Policies
    is_stopping: Callable[[], bool] = _never  #: asked between two batches of a job

    def table(self) -> Mapping[JobKind, Handler]:
        return {
            JobKind.EMBED: self.embed,
            JobKind.REEMBED: self.reembed,
            JobKind.JUDGE: self.judge,
            JobKind.BACKFILL: self.backfill,
            JobKind.SUMMARISE: self.summarise,
            JobKind.GARDEN: self.garden,
        }

    def open_up(self) -> None:
        """
        What a worker does first: repair the shadows where they differ from the text, and queue what waits for a
        vector or for chunks. A model that was missing may be there now.
        """
        store, now = self.engine.store, self.engine.clock.now()
        store.upkeep.sync()
        store.jobs.revive(JobKind.EMBED, now=now)
        for user in store.users():
            policy = self.policies(user)
            if store.vectors.pending(user):
                store.jobs.enqueue(user, EMBED, now=now)
            if policy.chunking.enabled and policy.chunking.backfill:
                store.jobs.enqueue(user, BACKFILL, now=now)

    def embed(self, job: Job) -> None:
        """Give every passage that waits for one its vector. Without an embedder they go on waiting."""
        embedder = self._answering(job.user)
        if embedder is None:
            return
        store, work = self.engine.store, Embedding(embedder=embedder)
        while batch := self._waiting(job.user, work.refused):
            pairs = work.vectors(batch)
            with store.transaction():
                self._still_ours(job)
                moved = self._answering(job.user) is not embedder
                if not moved:
                    store.vectors.put(job.user, embedder.model_id, pairs)
            if moved:
                # These vectors are of no use any more, and the passages still wait.
                self.embed(job)
                return
        _complain(work)

    def reembed(self, job: Job) -> None:
        """Give what was embedded before a vector of the model the user moves to; then that one answers."""
        target = self.engine.moving_to(job.user)
        if target is None or self.engine.embedders is None:
            return
        embedder, store = self.engine.embedders.like(target), self.engine.store
        if embedder is None:
            raise ModelMissing(
                f"There is no model {target.id} here, so the old vectors stay in use. `recollect models` lists them."
            )
        work = Embedding(embedder=embedder)
        while batch := self._lacking(job.user, target.id, work.refused):
            pairs = work.vectors(batch)
            with store.transaction():
                self._still_ours(job)
                if self.engine.moving_to(job.user) != target:
                    return
                store.vectors.put(job.user, target.id, pairs)
        _complain(work)
        if self.engine.end_move(job.user, target) and store.vectors.pending(job.user):
            store.jobs.enqueue(job.user, EMBED, now=self.engine.clock.now())

    def judge(self, job: Job) -> None:
        """Decide what messages are worth and keep their facts, once; one deleted meanwhile is worth nothing."""
        scope, engine = Scope(job.user), self.engine
        policy = self.policies(job.user)
        while messages := self._to_judge(scope, job, policy):
            lessons = engine.judge(scope, messages, policy)
            with engine.store.transaction():
                self._still_ours(job)
                for lesson in lessons:
                    if self._unread(scope, lesson.message):
                        engine.learn(lesson, policy)
                if policy.extract.mode != "batch":
                    # Learned and done are one: nobody is to find the job again and the facts twice.
                    engine.store.jobs.finish(job)
                    return

    def _to_judge(self, scope: Scope, job: Job, policy: Policy) -> list[Message]:
        self._raise_if_stopping()
        try:
            return self.engine.to_judge(scope, str(job.payload["message"]), policy)
        except NotFound:
            return []

    def backfill(self, job: Job) -> None:
        """Cut messages that were stored before chunking was on; remembers how far it came."""
        store, policy, scope = self.engine.store, self.policies(job.user), Scope(job.user)
        after = store.preferences.all(job.user).get(LAST_BACKFILLED)
        while messages := store.messages.unchunked(
            scope, after=after, larger_than=policy.chunking.min_tokens, limit=BATCH
        ):
            with store.transaction():
                self._still_ours(job)
                for message in messages:
                    store.messages.rechunk(scope, message.id, self.engine.intake.cut(message, policy))
                after = messages[-1].id
                store.preferences.set(job.user, LAST_BACKFILLED, after, now=self.engine.clock.now())
                store.jobs.enqueue(job.user, EMBED, now=self.engine.clock.now())
            self._raise_if_stopping()

    def summarise(self, job: Job) -> None:
        """Write down what a chat came to, if that is due and what it covers has not changed meanwhile."""
        scope, policy = Scope(job.user, str(job.payload["chat"])), self.policies(job.user)
        if not policy.learns:
            return
        made = self.engine.summarised(scope, policy)
        with self.engine.store.transaction():
            self._still_ours(job)
            self.engine.keep_summaries(scope, made, policy)

    def garden(self, job: Job) -> None:
        """Tend a user's memories."""
        self.engine.tend(Scope(job.user), self.policies(job.user))

    def daily(self) -> None:
        """Send the gardener to everybody, drop receipts that are older than anybody wants them, and tidy the index."""
        store, now = self.engine.store, self.engine.clock.now()
        users = store.users()
        for user in users:
            store.jobs.enqueue(user, GARDEN, now=now)
        longest = max((self.policies(user).record.keep_days for user in users), default=0)
        store.receipts.prune(cutoff(now, longest))
        store.upkeep.tidy()

    def _waiting(self, user: str, refused: Collection[int]) -> list[Passage]:
        self._raise_if_stopping()
        waiting = self.engine.store.vectors.missing(user, limit=BATCH + len(refused))
        return [passage for passage in waiting if passage.number not in refused]

    def _lacking(self, user: str, model: str, refused: Collection[int]) -> list[Passage]:
        self._raise_if_stopping()
        lacking = self.engine.store.vectors.lacking(user, model, limit=BATCH + len(refused))
        return [passage for passage in lacking if passage.number not in refused]

    def _answering(self, user: str) -> Embedder | None:
        return self.engine.embedders.of(user) if self.engine.embedders else self.embedder

    def _unread(self, scope: Scope, message: Message) -> bool:
        """Whether a message still says what was judged, and nobody else has learned from it meanwhile."""
        try:
            current = self.engine.store.messages.get(scope, message.id)
        except NotFound:
            return False
        return not current.extracted and current.content == message.content

    def _raise_if_stopping(self) -> None:
        if self.is_stopping():
            raise Interrupted

    def _still_ours(self, job: Job) -> None:
        if not self.engine.store.jobs.extend(job, until=self.engine.clock.now() + LEASE):
            raise LeaseLost


def _complain(work: Embedding) -> None:
    if work.refused:
        why = next(iter(work.refused.values()))
        raise ProviderError(f"The embedder refused {len(work.refused)} texts; the others have vectors. {why}")


#: Kept among the user's preferences, beside the settings; a dot at the start tells the two apart.
LAST_BACKFILLED = ".last_backfilled"
