"""Which model a user's vectors are of, and moving to that of the settings while the old one answers."""

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
    """Which models the user's vectors are of, and how far a move to another one is."""
    return json_response(_serialize_status(memory, user))


@router.post(
    "/move", response_model=operations.EmbeddingStatusResponse, status_code=202, dependencies=[IdempotencyKey]
)
def start_reembedding(memory: MemoryDep, user: UserId) -> Response:
    """
    Give every passage of the user a vector of the settings' model, in the background.

    Until all are there the old model answers. Ask for the state to see how far it is.
    """
    runtime = memory.application
    if runtime.embedder is None:
        raise ConfigError("No embedder is configured, so nothing can be embedded. Set `embedder` first.")
    connection = runtime.settings.resolve().machine
    target = EmbeddingModel(
        id=runtime.embedder.model_id, embedder=connection.embedder, model=connection.embedder_model
    )
    runtime.engine.start_reembedding(Scope(user), target, [target, *built_in_models()])
    runtime.worker.wake()
    return json_response(_serialize_status(memory, user), 202)


def _serialize_status(memory: Memory, user: str) -> JsonObject:
    runtime = memory.application
    vectors, target = runtime.store.vectors, runtime.engine.reembedding_target(user)
    current = runtime.embedder.model_id if runtime.embedder else None
    answering = runtime.engine.embedders and runtime.engine.embedders.active_model(user)
    counts = vectors.count_by_model(user)
    lacking = vectors.count_without_vector(user, current) if current else 0
    return {
        "model": current,
        "answering": answering.id if answering else current,
        "moving_to": target.id if target else None,
        "passages": counts.get(current or "", 0) + lacking,
        "lacking": lacking,
        "vectors": [{"model": model, "vectors": number} for model, number in counts.items()],
    }
