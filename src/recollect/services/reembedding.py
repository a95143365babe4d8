"""A user's vectors move to another embedding model; until all are there, the old ones answer."""

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.domain.embedding_model import KnownModel
from recollect.domain.job import JobKind, NewJob
from recollect.domain.scope import Scope
from recollect.services.recall import Recalling

#: One job per user moves what was embedded before to the model they chose last.
REEMBED = NewJob(kind=JobKind.REEMBED, key="reembed")
#: Kept among the user's preferences: the model they are moving to.
MOVING_TO = ".moving_to"


@dataclass(frozen=True, kw_only=True)
class Moving(Recalling):
    def begin_move(self, scope: Scope, target: KnownModel, known: Iterable[KnownModel]) -> int:
        """
        Queue the move of a user's vectors; return how many passages lack one of the new model.

        The model that most vectors are of goes on answering if it is among the known ones.
        """
        user, now, vectors = scope.user, self.clock.now(), self.store.vectors
        with self.store.transaction():
            counts = vectors.models(user)
            most = max(counts, key=lambda model: (counts[model], model == target.id), default=target.id)
            old = next((each for each in known if each.id == most), None)
            if self.embedders is not None and self.embedders.answering(user) is None and old is not None:
                self.embedders.answer(user, old, now=now)
            self.store.preferences.set(user, MOVING_TO, target.to_text(), now=now)
            self.store.jobs.enqueue(user, REEMBED, now=now)
        return vectors.lacks(user, target.id)

    def moving_to(self, user: str) -> KnownModel | None:
        text = self.store.preferences.all(user).get(MOVING_TO)
        return None if text is None else KnownModel.from_text(text)

    def end_move(self, user: str, target: KnownModel) -> bool:
        """If every passage has its vector, the new model answers and the others' vectors go; in one transaction."""
        store, now = self.store, self.clock.now()
        with store.transaction():
            if self.moving_to(user) != target or store.vectors.lacking(user, target.id, limit=1):
                return False
            if self.embedders is not None:
                self.embedders.answer(user, target, now=now)
            store.preferences.set(user, MOVING_TO, None, now=now)
            for model in store.vectors.models(user):
                if model != target.id:
                    store.vectors.retire(user, model)
        return True
