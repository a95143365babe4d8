"""Which model a user's vectors are of, and moving to that of the settings while the old one answers."""

from fastapi import Response

from recollect.errors import ConfigError
from recollect.model.embedding import KnownModel
from recollect.model.scope import Scope
from recollect.surfaces.http import accounts
from recollect.surfaces.http.answers import answer
from recollect.surfaces.http.asking import MemoryDoor, UserId
from recollect.surfaces.http.rest.routing import OnceOnly, subject
from recollect.surfaces.library.memory import Memory
from recollect.surfaces.shapes import Shape
from recollect.wiring import built_in_models

router = subject("embedding", "/api/embedding")


@router.get("", response_model=accounts.Embedding)
def embedding(memory: MemoryDoor, user: UserId) -> Response:
    """Which models the user's vectors are of, and how far a move to another one is."""
    return answer(_state(memory, user))


@router.post("/move", response_model=accounts.Embedding, status_code=202, dependencies=[OnceOnly])
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
