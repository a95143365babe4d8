"""Embedding model per user: during re-embedding the old model keeps answering."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel
from recollect.errors import ConfigError, ProviderError
from recollect.ports.embedder import Embedder, Vector
from recollect.ports.store import Preferences
from recollect.ports.vector_math import cosine, unit_vector


@dataclass(frozen=True, slots=True, kw_only=True)
class TextVectors:
    """Unit vectors of texts, and the embedding model that made them. Empty if there is no embedder or it failed."""

    model: str | None = None
    by_text: Mapping[str, Vector] = field(default_factory=dict)
    cosine_floor: float = 0.0  #: cosine of unrelated texts

    def similarity(self, one: str, other: str) -> float | None:
        """Return the cosine of two texts; None without vectors."""
        if one in self.by_text and other in self.by_text:
            return cosine(self.by_text[one], self.by_text[other])
        return None


@dataclass(slots=True, kw_only=True)
class EmbedderRegistry:
    default: Embedder | None  #: the embedder from the settings of this process
    factory: Callable[[EmbeddingModel], Embedder | None]
    preferences: Preferences
    _cache: dict[EmbeddingModel, Embedder | None] = field(default_factory=dict)

    def for_user(self, user: str) -> Embedder | None:
        """Return the embedder whose vectors are searched for a user; None if vectors are off."""
        return self.for_active_model(self.active_model(user))

    def for_active_model(self, model: EmbeddingModel | None) -> Embedder | None:
        """Return the embedder for the model stored for a user; the default if it is not available here."""
        return (
            self.default if model is None or self.default is None else self.for_model(model) or self.default
        )

    def embed_texts(self, user: str, texts: Sequence[str]) -> TextVectors:
        """Embed texts with the user's model, as `embed_texts` does."""
        return embed_texts(self.for_user(user), texts) if texts else TextVectors()

    def active_model(self, user: str) -> EmbeddingModel | None:
        """Return the model stored for a user; None before the first re-embedding."""
        text = self.preferences.all(user).get(ACTIVE_MODEL_KEY)
        return None if text is None else EmbeddingModel.from_json(text)

    def set_active_model(self, user: str, model: EmbeddingModel, *, now: datetime) -> None:
        """Make this the model that every process uses for a user."""
        self.preferences.set(user, ACTIVE_MODEL_KEY, model.to_json(), now=now)

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


def embed_texts(embedder: Embedder | None, texts: Sequence[str]) -> TextVectors:
    """Embed texts; without vectors if that fails, and facts are then compared by words only."""
    if embedder is None or not texts:
        return TextVectors()
    try:
        vectors = [unit_vector(v, dimension=embedder.dimension) for v in embedder.embed(texts)]
        return TextVectors(
            model=embedder.model_id,
            by_text=dict(zip(texts, vectors, strict=True)),
            cosine_floor=embedder.cosine_floor,
        )
    except ProviderError:
        return TextVectors()


def _model_id(embedder: Embedder) -> str | None:
    try:
        return embedder.model_id
    except ProviderError:
        return None
