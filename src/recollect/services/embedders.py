"""Which embedding model answers for whom: while a user moves to another one, the old one goes on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.embedding_model import KnownModel
from recollect.errors import ConfigError, ProviderError
from recollect.ports.embedder import Embedder
from recollect.ports.store import Preferences

#: Kept among the user's preferences: the model whose vectors answer for them, once they have moved or begun to.
ANSWERING = ".embedder"


@dataclass(slots=True, kw_only=True)
class Embedders:
    own: Embedder | None  #: of the settings this process was started with
    make: Callable[[KnownModel], Embedder | None]
    preferences: Preferences
    _made: dict[KnownModel, Embedder | None] = field(default_factory=dict)

    def of(self, user: str) -> Embedder | None:
        """The one whose vectors answer for a user. Where nobody wants vectors it is nobody."""
        known = self.answering(user)
        return self.own if known is None or self.own is None else self.like(known) or self.own

    def answering(self, user: str) -> KnownModel | None:
        """What is written down for a user; None before their first move."""
        text = self.preferences.all(user).get(ANSWERING)
        return None if text is None else KnownModel.from_text(text)

    def answer(self, user: str, known: KnownModel, *, now: datetime) -> None:
        """From now on this model answers for a user, in every process."""
        self.preferences.set(user, ANSWERING, known.to_text(), now=now)

    def like(self, known: KnownModel) -> Embedder | None:
        """An embedder for a known model, made once; None if there is none here any more."""
        if self.own is not None and _id(self.own) == known.id:
            return self.own
        if known not in self._made:
            self._made[known] = self._usable(known)
        return self._made[known]

    def _usable(self, known: KnownModel) -> Embedder | None:
        try:
            made = self.make(known)
        except (ConfigError, ProviderError):
            return None
        # A folder may hold another model by now.
        return made if made is not None and _id(made) == known.id else None


def _id(embedder: Embedder) -> str | None:
    try:
        return embedder.model_id
    except ProviderError:
        return None
