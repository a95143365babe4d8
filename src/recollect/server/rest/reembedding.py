"""Embedding models of a user's vectors, and re-embedding with the configured model."""

from fastapi import Response

from recollect.bootstrap import built_in_models
from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.library.memory import Memory
from recollect.serialization.serializers import JsonObject
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("embedding", "/api/embedding")


@router.get("", response_model=operations.EmbeddingStatusResponse)
def get_embedding_status(memory: MemoryDep, user: UserId) -> Response:
    """Return the models of the user's vectors, and the progress of re-embedding."""
    return json_response(_serialize_status(memory, user))


@router.post(
    "/move", response_model=operations.EmbeddingStatusResponse, status_code=202, dependencies=[IdempotencyKey]
)
def start_reembedding(memory: MemoryDep, user: UserId) -> Response:
    """
    Embed all passages of the user with the configured model, in the background.

    The old model is used for search until all vectors exist. GET /api/embedding shows the progress.
    """
    runtime = memory.application
    if runtime.embedder is None:
        raise ConfigError("No embedder is configured, so nothing can be embedded. Set `embedder` first.")
    connection = runtime.settings.resolve().machine
    target = EmbeddingModel(
        id=runtime.embedder.model_id, embedder=connection.embedder, model=connection.embedder_model
    )
    runtime.services.reembedding.start_reembedding(Scope(user), target, [target, *built_in_models()])
    runtime.worker.wake()
    return json_response(_serialize_status(memory, user), 202)


def _serialize_status(memory: Memory, user: str) -> JsonObject:
    runtime = memory.application
    reembedding = runtime.services.reembedding
    target = reembedding.reembedding_target(user)
    current = runtime.embedder.model_id if runtime.embedder else None
    active = runtime.services.embedders.active_model(user)
    counts = reembedding.vector_counts(user)
    missing_count = reembedding.missing_count(user, current) if current else 0
    return {
        "model": current,
        "answering": active.id if active else current,
        "moving_to": target.id if target else None,
        "passages": counts.get(current or "", 0) + missing_count,
        "lacking": missing_count,
        "vectors": [{"model": model, "vectors": count} for model, count in counts.items()],
    }
