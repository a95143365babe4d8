"""Which model a user's vectors are of, and moving to that of the settings while the old one answers."""

from fastapi import Response

from recollect.bootstrap import built_in_models
from recollect.domain.embedding_model import KnownModel
from recollect.domain.scope import Scope
from recollect.errors import ConfigError
from recollect.library.memory import Memory
from recollect.serialization.serializers import Shape
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import operations
from recollect.server.rest.routing import OnceOnly, subject

router = subject("embedding", "/api/embedding")


@router.get("", response_model=operations.Embedding)
def embedding(memory: MemoryDoor, user: UserId) -> Response:
    """Which models the user's vectors are of, and how far a move to another one is."""
    return answer(_state(memory, user))


@router.post("/move", response_model=operations.Embedding, status_code=202, dependencies=[OnceOnly])
def move(memory: MemoryDoor, user: UserId) -> Response:
    """
    Give every passage of the user a vector of the settings' model, in the background.

    Until all are there the old model answers. Ask for the state to see how far it is.
    """
    runtime = memory.runtime
    if runtime.embedder is None:
        raise ConfigError("No embedder is configured, so nothing can be embedded. Set `embedder` first.")
    connection = runtime.settings.resolve().connection
    target = KnownModel(
        id=runtime.embedder.model_id, embedder=connection.embedder, model=connection.embedder_model
    )
    runtime.engine.begin_move(Scope(user), target, [target, *built_in_models()])
    runtime.worker.wake()
    return answer(_state(memory, user), 202)


def _state(memory: Memory, user: str) -> Shape:
    runtime = memory.runtime
    vectors, moving = runtime.store.vectors, runtime.engine.moving_to(user)
    current = runtime.embedder.model_id if runtime.embedder else None
    answering = runtime.engine.embedders and runtime.engine.embedders.answering(user)
    counted = vectors.models(user)
    lacking = vectors.lacks(user, current) if current else 0
    return {
        "model": current,
        "answering": answering.id if answering else current,
        "moving_to": moving.id if moving else None,
        "passages": counted.get(current or "", 0) + lacking,
        "lacking": lacking,
        "vectors": [{"model": model, "vectors": number} for model, number in counted.items()],
    }
