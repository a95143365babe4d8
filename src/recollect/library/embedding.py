"""Models of a user's vectors, and re-embedding with the configured model, for the library and the server."""

from recollect.bootstrap import Application, built_in_models
from recollect.domain.embedding_model import EmbeddingModel, EmbeddingStatus
from recollect.domain.scope import Scope
from recollect.errors import ConfigError


def start_reembedding(application: Application, scope: Scope) -> None:
    """Queue the re-embedding of a user with the configured model."""
    if application.embedder is None:
        raise ConfigError("No embedder is configured, so nothing can be embedded. Set `embedder` first.")
    machine = application.settings.resolve().machine
    target = EmbeddingModel(
        id=application.embedder.model_id, embedder=machine.embedder, model=machine.embedder_model
    )
    application.services.reembedding.start_reembedding(scope, target, [target, *built_in_models()])


def read_embedding_status(application: Application, user: str) -> EmbeddingStatus:
    reembedding = application.services.reembedding
    target = reembedding.reembedding_target(user)
    configured = application.embedder.model_id if application.embedder else None
    active = application.services.embedders.active_model(user)
    counts = reembedding.vector_counts(user)
    missing = reembedding.missing_count(user, configured) if configured else 0
    return EmbeddingStatus(
        configured=configured,
        searched=active.id if active else configured,
        target=target.id if target else None,
        passages=counts.get(configured or "", 0) + missing,
        missing=missing,
        vectors=counts,
    )
