"""
Job handlers: what each kind of job does.

The queue delivers a job at least once, so every handler is idempotent: it reads what is still to do from the store
(passages without a vector, messages not yet extracted), does the slow part (embedding, a model call) outside any
transaction, and writes the result in one transaction that also extends the lease, or finishes the job. Both fail with
LeaseLost if another worker has taken the job over; the transaction then rolls back, so a late worker writes nothing.

Invariants: results are written only for passages and messages that have not changed since they were read; the facts of
a message and the end of its job commit together. Long jobs work in batches of BATCH_SIZE, well within a lease of 60 s,
and stop between batches with JobInterrupted when the worker shuts down; committed batches are not repeated.

Example: worker A leases "embed", embeds 32 passages and hangs for 70 s. Its lease expires, worker B leases the job with
a higher fencing token and embeds the same passages. When A continues, extending its lease fails, A's vectors are rolled
back and B's remain.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from recollect.domain.candidate import Passage
from recollect.domain.embedding_model import EmbeddingQueue
from recollect.domain.extraction import LearningContext
from recollect.domain.job import EMBED_JOB, Job, JobKind, NewJob
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.errors import ModelMissing, ProviderError, StoreError
from recollect.maintenance.retention import retention_cutoff
from recollect.ports.clock import Clock
from recollect.ports.store import Store
from recollect.services import Services
from recollect.workers.embedding import BatchEmbedder

#: A job whose lease is not extended for this long can be taken over by another worker.
LEASE_DURATION = timedelta(seconds=60)
#: Passages per embedding call: a few seconds of work, well within a lease.
BATCH_SIZE = 32
#: Passages read from the queue at a time: ordering them reads the whole queue.
QUEUE_READ_SIZE = 4 * BATCH_SIZE

DAILY_SCHEDULE = "daily"
ONE_DAY = timedelta(days=1)
BACKFILL_JOB = NewJob(kind=JobKind.BACKFILL, key="backfill")
MAINTENANCE_JOB = NewJob(kind=JobKind.MAINTENANCE, key="maintenance")

PolicyLookup: TypeAlias = Callable[[str], Policy]
#: Runs a job. Returns whether it has removed the job from the queue, in the transaction of its last result.
JobHandler: TypeAlias = Callable[[Job], bool]


class LeaseLost(Exception):
    """The job was taken over by another worker; its results must not be written."""


class JobInterrupted(Exception):
    """The worker is stopping; the rest of the job goes back to the queue."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHandlers:
    services: Services
    store: Store
    clock: Clock
    policy_for: PolicyLookup
    is_stopping: Callable[[], bool] = _never  #: checked between batches

    def by_kind(self) -> Mapping[JobKind, JobHandler]:
        return {
            JobKind.EMBED: self.embed,
            JobKind.REEMBED: self.reembed,
            JobKind.EXTRACT: self.extract,
            JobKind.BACKFILL: self.backfill,
            JobKind.SUMMARIZE: self.summarize,
            JobKind.MAINTENANCE: self.run_maintenance,
        }

    def recover(self) -> None:
        """
        Run once when a worker starts: repair derived indexes and enqueue missing embeddings and chunks. Dead embedding
        jobs are retried, since a missing model may have been installed.
        """
        store, now = self.store, self.clock.now()
        if store.indexes is not None:
            store.indexes.repair()
        store.jobs.retry_dead(JobKind.EMBED, now=now)
        for user in store.users():
            policy = self.policy_for(user)
            if store.vectors.count_queued(user):
                store.jobs.enqueue(user, EMBED_JOB, now=now)
            if policy.chunking.enabled and policy.chunking.backfill:
                store.jobs.enqueue(user, BACKFILL_JOB, now=now)

    def embed(self, job: Job) -> bool:
        """Embed every queued passage of the user. Without an embedder, they stay queued."""
        store, queue = self.store, self._read_queue(job.user, ())
        embedder = self.services.embedders.for_active_model(queue.model)
        if embedder is None:
            return False
        batch_embedder = BatchEmbedder(embedder=embedder)
        while queued := [each for each in queue.passages if each.id not in batch_embedder.errors]:
            for start in range(0, len(queued), BATCH_SIZE):
                self._raise_if_stopping()
                pairs = batch_embedder.embed_batch(queued[start : start + BATCH_SIZE])
                # A passage queued from now on makes the job run again, so that the queue need not be read once more.
                is_last = (
                    len(queued) < QUEUE_READ_SIZE
                    and start + BATCH_SIZE >= len(queued)
                    and not batch_embedder.errors
                )
                # Not durable: a power loss that undoes the vectors also brings back the job.
                with store.transaction(job.user, durable=False):
                    is_stored = store.vectors.put(job.user, embedder.model_id, pairs, queue=queue)
                    if is_last and is_stored:
                        self._finish(job)
                    else:
                        self._extend_lease(job)
                if not is_stored:
                    # The user has switched models: discard these vectors and start again with the new one.
                    return self.embed(job)
                if is_last:
                    return True
            queue = self._read_queue(job.user, batch_embedder.errors)
        _raise_if_refused(batch_embedder)
        return False

    def reembed(self, job: Job) -> bool:
        """Embed existing passages with the user's target model, then switch the user to it."""
        target = self.services.reembedding.reembedding_target(job.user)
        if target is None:
            return False
        embedder, store = self.services.embedders.for_model(target), self.store
        if embedder is None:
            raise ModelMissing(
                f"The model {target.id} is not installed, so the old vectors stay in use."
                " `recollect settings models` lists the installed models."
            )
        batch_embedder = BatchEmbedder(embedder=embedder)
        while batch := self._next_without_vector(job.user, target.id, batch_embedder.errors):
            pairs = batch_embedder.embed_batch(batch)
            with store.transaction(job.user):
                self._extend_lease(job)
                if self.services.reembedding.reembedding_target(job.user) != target:
                    return False
                store.vectors.put(job.user, target.id, pairs)
        _raise_if_refused(batch_embedder)
        if self.services.reembedding.finish_reembedding(job.user, target) and store.vectors.count_queued(
            job.user
        ):
            store.jobs.enqueue(job.user, EMBED_JOB, now=self.clock.now())
        return False

    def extract(self, job: Job) -> bool:
        """Extract importance and facts from messages and store them once; skip messages deleted meanwhile."""
        scope, services = Scope(job.user), self.services
        policy = self.policy_for(job.user)
        while (pending := self._pending_messages(scope, job, policy)).messages:
            extracted = services.extraction.extract(scope, pending, policy)
            is_last = policy.extraction.mode != "batch"
            with self.store.transaction(job.user):
                if is_last:
                    # In the same transaction as the facts, so that a crash cannot repeat the job.
                    self._finish(job)
                else:
                    self._extend_lease(job)
                services.extraction.learn(scope, extracted, policy)
            if is_last:
                return True
        return False

    def _pending_messages(self, scope: Scope, job: Job, policy: Policy) -> LearningContext:
        self._raise_if_stopping()
        return self.services.extraction.pending_messages(scope, str(job.payload["message"]), policy)

    def backfill(self, job: Job) -> bool:
        """Split messages that were stored before chunking was enabled; the progress is stored."""
        store, policy, scope = self.store, self.policy_for(job.user), Scope(job.user)
        after = store.preferences.all(job.user).get(LAST_BACKFILLED_KEY)
        while messages := store.messages.list_unchunked(
            scope, after=after, tokens_above=policy.chunking.min_tokens, limit=BATCH_SIZE
        ):
            with store.transaction(job.user):
                self._extend_lease(job)
                for message in messages:
                    store.messages.replace_chunks(
                        scope, message.id, self.services.ingest.chunk(message, policy)
                    )
                after = messages[-1].id
                store.preferences.set(job.user, LAST_BACKFILLED_KEY, after, now=self.clock.now())
                store.jobs.enqueue(job.user, EMBED_JOB, now=self.clock.now())
            self._raise_if_stopping()
        return False

    def summarize(self, job: Job) -> bool:
        """Store a chat's summary if it is due and the messages it covers have not changed meanwhile."""
        scope, policy = Scope(job.user, str(job.payload["chat"])), self.policy_for(job.user)
        if not policy.extracts:
            return False
        summaries = self.services.summaries.build_summaries(scope, policy)
        with self.store.transaction(job.user):
            self._finish(job)
            self.services.summaries.save_summaries(scope, summaries, policy)
        return True

    def run_maintenance(self, job: Job) -> bool:
        """Decay, archive and merge a user's memories."""
        self.services.maintenance.run_maintenance(Scope(job.user), self.policy_for(job.user))
        return False

    def run_daily(self) -> None:
        """Run the daily tasks, unless a worker on this store, in any process, has begun them within a day."""
        schedules = self.store.schedules
        if schedules.claim(DAILY_SCHEDULE, now=self.clock.now(), interval=ONE_DAY):
            try:
                self._run_daily_tasks()
            except StoreError:
                schedules.release(DAILY_SCHEDULE)
                raise

    def _run_daily_tasks(self) -> None:
        """Enqueue maintenance for all users, delete what has expired, and optimize the index."""
        store, now = self.store, self.clock.now()
        self.services.access.delete_expired()
        users = store.users()
        for user in users:
            store.jobs.enqueue(user, MAINTENANCE_JOB, now=now)
        max_keep_days = max((self.policy_for(user).receipts.keep_days for user in users), default=0)
        store.receipts.prune(retention_cutoff(now, max_keep_days))
        self.services.maintenance.optimize_indexes()

    def _read_queue(self, user: str, refused_ids: Collection[int]) -> EmbeddingQueue:
        # The most valuable first: during an import, new messages are embedded before the backlog.
        return self.store.vectors.queue(user, limit=QUEUE_READ_SIZE + len(refused_ids), by_value=True)

    def _next_without_vector(self, user: str, model: str, refused_ids: Collection[int]) -> list[Passage]:
        self._raise_if_stopping()
        passages = self.store.vectors.passages_without_vector(
            user, model, limit=BATCH_SIZE + len(refused_ids)
        )
        return [passage for passage in passages if passage.id not in refused_ids]

    def _raise_if_stopping(self) -> None:
        if self.is_stopping():
            raise JobInterrupted

    def _finish(self, job: Job) -> None:
        if not self.store.jobs.finish(job):
            raise LeaseLost

    def _extend_lease(self, job: Job) -> None:
        if not self.store.jobs.extend_lease(job, until=self.clock.now() + LEASE_DURATION):
            raise LeaseLost


def _raise_if_refused(batch_embedder: BatchEmbedder) -> None:
    if batch_embedder.errors:
        first_error = next(iter(batch_embedder.errors.values()))
        raise ProviderError(
            f"The embedder rejected {len(batch_embedder.errors)} texts; the others have vectors. {first_error}"
        )


#: Stored among the user's preferences; the leading dot distinguishes it from settings.
LAST_BACKFILLED_KEY = ".last_backfilled"
