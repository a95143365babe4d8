"""Context files: texts that are always available in the chats they are attached to."""

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("context files")


@router.get("/api/contexts", response_model=resources.ContextFileListResponse)
def list_context_files(memory: MemoryDep, user: UserId, chat_id: str | None = None) -> Response:
    """List the context files of a user, or those attached to a chat."""
    files = memory.profile.context_files(chat_id=chat_id, user_id=user)
    return json_response(serializers.wrap_results(map(serializers.serialize_context_file, files)))


@router.post(
    "/api/contexts",
    response_model=resources.ContextFileResponse,
    status_code=201,
    dependencies=[IdempotencyKey],
)
def add_context_file(memory: MemoryDep, user: UserId, body: requests.CreateContextFileRequest) -> Response:
    """Create a context file, optionally attached to a chat."""
    file = memory.profile.add_context_file(body.name, body.content, chat_id=body.chat_id, user_id=user)
    return json_response(serializers.serialize_context_file(file), 201)


@router.get("/api/contexts/{context_id}", response_model=resources.ContextFileContentResponse)
def get_context_file(memory: MemoryDep, user: UserId, context_id: str) -> Response:
    """Get a context file with its text, by id or name."""
    return json_response(
        serializers.serialize_context_file(
            memory.application.services.profile.context_file(Scope(user), context_id), include_content=True
        )
    )


@router.delete("/api/contexts/{context_id}", status_code=204)
def delete_context_file(memory: MemoryDep, user: UserId, context_id: str) -> Response:
    """Delete a context file and detach it from all chats."""
    memory.profile.delete_context_file(context_id, user_id=user)
    return Response(status_code=204)


@router.put("/chats/{chat_id}/contexts/{context_id}", status_code=204)
def attach_context_file(memory: MemoryDep, user: UserId, chat_id: str, context_id: str) -> Response:
    """Attach a context file to a chat."""
    memory.profile.attach_context_file(context_id, chat_id, user_id=user)
    return Response(status_code=204)


@router.delete("/chats/{chat_id}/contexts/{context_id}", status_code=204)
def detach_context_file(memory: MemoryDep, user: UserId, chat_id: str, context_id: str) -> Response:
    """Detach a context file from a chat."""
    memory.profile.detach_context_file(context_id, chat_id, user_id=user)
    return Response(status_code=204)
