"""Embedding models of a user's vectors, and re-embedding with the configured model."""

from fastapi import Response

from recollect.serialization import serializers
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("embedding", "/api/embedding")


@router.get("", response_model=operations.EmbeddingStatusResponse)
def get_embedding_status(memory: MemoryDep, user: UserId) -> Response:
    """Return the models of the user's vectors, and the progress of re-embedding."""
    return json_response(serializers.serialize_embedding_status(memory.settings.models(user_id=user)))


@router.post(
    "/move", response_model=operations.EmbeddingStatusResponse, status_code=202, dependencies=[IdempotencyKey]
)
def start_reembedding(memory: MemoryDep, user: UserId) -> Response:
    """
    Embed all passages of the user with the configured model, in the background.

    The old model is used for search until all vectors exist. GET /api/embedding shows the progress.
    """
    return json_response(
        serializers.serialize_embedding_status(memory.maintenance.reembed(user_id=user)), 202
    )
