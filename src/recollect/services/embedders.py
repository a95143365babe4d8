"""Embedding model per user: during re-embedding the old model keeps answering."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.embedding_model import EmbeddingModel
from recollect.errors import ConfigError, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.store import Preferences

#: Preference key: the model whose vectors are searched for the user, set by the first re-embedding.
ACTIVE_EMBEDDER_KEY = ".embedder"


@dataclass(slots=True, kw_only=True)
class EmbedderRegistry:
    default: Embedder | None  #: the embedder from the settings of this process
    factory: Callable[[EmbeddingModel], Embedder | None]
    preferences: Preferences
    _cache: dict[EmbeddingModel, Embedder | None] = field(default_factory=dict)

    def for_user(self, user: str) -> Embedder | None:
        """Return the embedder whose vectors are searched for a user; None if vectors are off."""
        model = self.active_model(user)
        return (
            self.default if model is None or self.default is None else self.for_model(model) or self.default
        )

    def model_id(self, user: str) -> str | None:
        """Return the id of the model whose vectors are searched for a user."""
        embedder = self.for_user(user)
        return embedder.model_id if embedder else None

    def embed_texts(self, user: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Embed texts with the user's model; empty if that fails, and facts are then compared by words only."""
        embedder = self.for_user(user)
        if embedder is None or not texts:
            return {}
        try:
            return dict(zip(texts, embedder.embed(texts), strict=True))
        except ProviderError:
            return {}

    def active_model(self, user: str) -> EmbeddingModel | None:
        """Return the model stored for a user; None before the first re-embedding."""
        text = self.preferences.all(user).get(ACTIVE_EMBEDDER_KEY)
        return None if text is None else EmbeddingModel.from_json(text)

    def set_active_model(self, user: str, model: EmbeddingModel, *, now: datetime) -> None:
        """Make this the model that every process uses for a user."""
        self.preferences.set(user, ACTIVE_EMBEDDER_KEY, model.to_json(), now=now)

    def for_model(self, model: EmbeddingModel) -> Embedder | None:
        """Return a cached embedder for a model; None if it is not available here."""
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
        # The folder may contain another model by now.
        return embedder if embedder is not None and _model_id(embedder) == model.id else None


def _model_id(embedder: Embedder) -> str | None:
    try:
        return embedder.model_id
    except ProviderError:
        return None
