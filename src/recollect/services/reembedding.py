"""Re-embedding with another model; until it is complete, the old vectors are searched."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.job import EMBED_JOB, JobKind, NewJob
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock
from recollect.ports.store import Store
from recollect.services.embedders import EmbedderRegistry

#: One job per user embeds all passages with the model chosen last.
REEMBED_JOB = NewJob(kind=JobKind.REEMBED, key="reembed")
#: Preference key: the target model of a running re-embedding.
REEMBEDDING_TARGET_KEY = ".moving_to"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembeddingService:
    store: Store
    clock: Clock
    embedders: EmbedderRegistry

    def vector_counts(self, user: str) -> Mapping[str, int]:
        """Count the vectors of a user by model."""
        return self.store.vectors.count_by_model(user)

    def missing_count(self, user: str, model: str) -> int:
        """Count the passages of a user without a vector of a model."""
        return self.store.vectors.count_without_vector(user, model)

    def queued_count(self, user: str) -> int:
        """Count the passages of a user that are queued for embedding."""
        return self.store.vectors.count_queued(user)

    def enqueue_embedding(self, user: str) -> None:
        """Queue the job that embeds the queued passages of a user, if there are any."""
        if self.queued_count(user):
            self.store.jobs.enqueue(user, EMBED_JOB, now=self.clock.now())

    def start_reembedding(
        self, scope: Scope, target: EmbeddingModel, known_models: Iterable[EmbeddingModel]
    ) -> int:
        """
        Queue the re-embedding of a user; return how many passages have no vector of the target model.

        Until it is complete, the model of most existing vectors stays active if it is one of `known_models`.
        """
        user, now, vectors = scope.user, self.clock.now(), self.store.vectors
        with self.store.transaction(user):
            counts = vectors.count_by_model(user)
            largest = max(counts, key=lambda model: (counts[model], model == target.id), default=target.id)
            old = next((each for each in known_models if each.id == largest), None)
            if self.embedders.active_model(user) is None and old is not None:
                self.embedders.set_active_model(user, old, now=now)
            self.store.preferences.set(user, REEMBEDDING_TARGET_KEY, target.to_json(), now=now)
            self.store.jobs.enqueue(user, REEMBED_JOB, now=now)
        return vectors.count_without_vector(user, target.id)

    def reembedding_target(self, user: str) -> EmbeddingModel | None:
        text = self.store.preferences.all(user).get(REEMBEDDING_TARGET_KEY)
        return None if text is None else EmbeddingModel.from_json(text)

    def finish_reembedding(self, user: str, target: EmbeddingModel) -> bool:
        """If every passage has a vector, activate the target and delete other vectors, in one transaction."""
        store, now = self.store, self.clock.now()
        with store.transaction(user):
            if self.reembedding_target(user) != target or store.vectors.passages_without_vector(
                user, target.id, limit=1
            ):
                return False
            self.embedders.set_active_model(user, target, now=now)
            store.preferences.set(user, REEMBEDDING_TARGET_KEY, None, now=now)
            for model in store.vectors.count_by_model(user):
                if model != target.id:
                    store.vectors.delete_model(user, model)
        return True
