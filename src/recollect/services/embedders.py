"""Which embedding model answers for whom: while a user moves to another one, the old one goes on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.embedding_model import EmbeddingModel
from recollect.errors import ConfigError, ProviderError
from recollect.ports.embedder import Embedder
from recollect.ports.store import Preferences

#: Kept among the user's preferences: the model whose vectors answer for them, once they have moved or begun to.
ACTIVE_EMBEDDER_KEY = ".embedder"


@dataclass(slots=True, kw_only=True)
class EmbedderRegistry:
    default: Embedder | None  #: of the settings this process was started with
    factory: Callable[[EmbeddingModel], Embedder | None]
    preferences: Preferences
    _cache: dict[EmbeddingModel, Embedder | None] = field(default_factory=dict)

    def for_user(self, user: str) -> Embedder | None:
        """The one whose vectors answer for a user. Where nobody wants vectors it is nobody."""
        model = self.active_model(user)
        return (
            self.default if model is None or self.default is None else self.for_model(model) or self.default
        )

    def active_model(self, user: str) -> EmbeddingModel | None:
        """What is written down for a user; None before their first move."""
        text = self.preferences.all(user).get(ACTIVE_EMBEDDER_KEY)
        return None if text is None else EmbeddingModel.from_json(text)

    def set_active_model(self, user: str, model: EmbeddingModel, *, now: datetime) -> None:
        """From now on this model answers for a user, in every process."""
        self.preferences.set(user, ACTIVE_EMBEDDER_KEY, model.to_json(), now=now)

    def for_model(self, model: EmbeddingModel) -> Embedder | None:
        """An embedder for a known model, made once; None if there is none here any more."""
        if self.default is not None and _model_id(self.default) == model.id:
            return self.default
        if model not in self._cache:
            self._cache[model] = self._create(model)
        return self._cache[model]

    def _create(self, model: EmbeddingModel) -> Embedder | None:
        try:
            embedder = self.factory(model)
        except (ConfigError, ProviderError):
            return None
        # A folder may hold another model by now.
        return embedder if embedder is not None and _model_id(embedder) == model.id else None


def _model_id(embedder: Embedder) -> str | None:
    try:
        return embedder.model_id
    except ProviderError:
        return None
