"""Context files: texts that are always at hand in the chats they are attached to."""

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import OnceOnly, subject

router = subject("context files")


@router.get("/api/contexts", response_model=resources.ContextFiles)
def list_contexts(memory: MemoryDoor, user: UserId, chat_id: str | None = None) -> Response:
    """The context files of a user, or those attached to a chat."""
    return answer(memory.contexts(chat_id=chat_id, user_id=user))


@router.post("/api/contexts", response_model=resources.ContextFile, status_code=201, dependencies=[OnceOnly])
def add_context(memory: MemoryDoor, user: UserId, body: requests.NewContext) -> Response:
    """Keep a text at hand."""
    return answer(memory.add_context(body.name, body.content, chat_id=body.chat_id, user_id=user), 201)


@router.get("/api/contexts/{context_id}", response_model=resources.WholeContextFile)
def get_context(memory: MemoryDoor, user: UserId, context_id: str) -> Response:
    """One file with its text; its name will do."""
    return answer(
        serializers.context_file(memory.runtime.store.contexts.get(Scope(user), context_id), whole=True)
    )


@router.delete("/api/contexts/{context_id}", status_code=204)
def delete_context(memory: MemoryDoor, user: UserId, context_id: str) -> Response:
    """Delete a file; no chat shows it any more."""
    memory.delete_context(context_id, user_id=user)
    return Response(status_code=204)


@router.put("/chats/{chat_id}/contexts/{context_id}", status_code=204)
def attach_context(memory: MemoryDoor, user: UserId, chat_id: str, context_id: str) -> Response:
    """Make a file available in a chat."""
    memory.attach_context(context_id, chat_id, user_id=user)
    return Response(status_code=204)


@router.delete("/chats/{chat_id}/contexts/{context_id}", status_code=204)
def detach_context(memory: MemoryDoor, user: UserId, chat_id: str, context_id: str) -> Response:
    """Take a file off a chat."""
    memory.detach_context(context_id, chat_id, user_id=user)
    return Response(status_code=204)
