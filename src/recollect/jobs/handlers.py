"""What each kind of job does. A handler may be run twice and must not mind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from recollect.engine import EMBED, Engine
from recollect.errors import ModelMissing
from recollect.model.job import Job, JobKind
from recollect.model.policy import Policy
from recollect.model.scope import Scope
from recollect.ports.embedder import Embedder

#: How long a job may stay silent before somebody else takes it over.
LEASE = timedelta(seconds=60)
#: Passages embedded in one go: a few seconds of work, well inside a lease.
BATCH = 32

Policies: TypeAlias = Callable[[str], Policy]
Handler: TypeAlias = Callable[[Job], None]


class LeaseLost(Exception):
    """The job was taken over; what we did for it must not be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    engine: Engine
    embedder: Embedder | None
    policies: Policies

    def table(self) -> Mapping[JobKind, Handler]:
        return {JobKind.EMBED: self.embed, JobKind.JUDGE: self.judge, JobKind.BACKFILL: self.backfill}

    def embed(self, job: Job) -> None:
        """Give every passage that waits for one its vector."""
        if self.embedder is None:
            raise ModelMissing("No embedder is configured: recall is lexical only. Set `embedder` and retry.")
        store = self.engine.store
        while batch := store.vectors.missing(job.user, limit=BATCH):
            vectors = self.embedder.embed([passage.text for passage in batch])
            with store.transaction():
                self._still_ours(job)
                store.vectors.put(job.user, self.embedder.model_id, list(zip(batch, vectors, strict=True)))

    def judge(self, job: Job) -> None:
        """Decide what a message is worth and keep its facts; a message deleted meanwhile is worth nothing."""
        scope = Scope(job.user)
        with self.engine.store.transaction():
            self._still_ours(job)
            if self.engine.exists(scope, str(job.payload["message"])):
                self.engine.learn(scope, str(job.payload["message"]), self.policies(job.user))

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

    def _still_ours(self, job: Job) -> None:
        if not self.engine.store.jobs.extend(job, until=self.engine.clock.now() + LEASE):
            raise LeaseLost


#: Kept among the user's preferences, beside the settings; a dot at the start tells the two apart.
LAST_BACKFILLED = ".last_backfilled"
