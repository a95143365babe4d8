"""Compatibility routes with mem0's paths and keys."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query, Request, Response

from recollect.domain.outcomes import FactOutcome
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, RecallSlot, UserId, resolve_user
from recollect.server.json_response import json_response
from recollect.server.responses import reports, resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router, respond_with_etag

router = create_router("mem0")
RunId = Annotated[str | None, Query(description="The chat id.")]


@router.post("/memories", response_model=reports.Mem0ResultListResponse, dependencies=[IdempotencyKey])
def add_memories(
    request: Request, memory: MemoryDep, user: UserId, body: requests.Mem0AddRequest
) -> Response:
    """Ingest messages and return the extracted memories. An `agent_id` becomes part of the metadata."""
    target_user = resolve_user(request, body.user_id) if body.user_id is not None else user
    metadata = {**(body.metadata or {}), **_agent_metadata(body.agent_id)}
    if isinstance(body.messages, str) or not body.infer:
        texts = [body.messages] if isinstance(body.messages, str) else [_text(each) for each in body.messages]
        added = [
            memory.add(text, user_id=target_user, chat_id=body.run_id, metadata=metadata) for text in texts
        ]
        return json_response({"results": [_serialize_outcome(each) for add in added for each in add.results]})
    messages = [each.model_dump() for each in body.messages]
    ingested = memory.add(messages, user_id=target_user, chat_id=body.run_id, metadata=metadata, sync=True)
    return json_response({"results": [_serialize_outcome(each) for each in ingested.results]})


@router.get("/memories", response_model=resources.MemoryListResponse)
def list_all_memories(memory: MemoryDep, user: UserId, run_id: RunId = None, limit: Limit = 100) -> Response:
    """List the memories of a user, or those first learned in a chat."""
    memories = memory.get_all(user_id=user, chat_id=run_id, limit=limit)
    return json_response(serializers.wrap_results(map(serializers.serialize_memory, memories)))


@router.delete("/memories", response_model=reports.Mem0StatusResponse)
def delete_all_memories(
    request: Request,
    memory: MemoryDep,
    user: UserId,
    run_id: RunId = None,
) -> Response:
    """Forget all memories of a user, or those first learned in a chat. `user_id` is required."""
    if "user_id" not in request.query_params:
        raise InvalidInput("This forgets all memories of a user. Name the user with user_id.")
    if run_id is None:
        memory.delete_all(user_id=user)
    else:
        memory.application.services.memories.forget_all(Scope(user, run_id))
    return json_response({"message": "All relevant memories deleted"})


@router.post("/search", response_model=resources.SearchResponse, dependencies=[RecallSlot])
def search_memories(
    request: Request, memory: MemoryDep, user: UserId, body: requests.Mem0SearchRequest
) -> Response:
    """Search memories relevant to the query, best first. Other `filters` are compared with the metadata."""
    filters: Mapping[str, object] = body.filters or {}
    requested_user = body.user_id or _text_filter(filters, "user_id")
    target_user = resolve_user(request, requested_user) if requested_user is not None else user
    chat = body.run_id or _text_filter(filters, "run_id")
    required = {key: value for key, value in filters.items() if key not in {"user_id", "run_id"}}
    results = memory.search(
        body.query,
        user_id=target_user,
        chat_id=chat,
        limit=body.top_k or body.limit,
        metadata={**required, **_agent_metadata(body.agent_id)},
    )
    return json_response(serializers.serialize_search_results(results))


@router.get("/memories/{memory_id}", response_model=resources.MemoryResponse)
def get_one_memory(memory: MemoryDep, user: UserId, memory_id: str) -> Response:
    """Get a memory."""
    return respond_with_etag(memory.get(memory_id, user_id=user))


@router.put("/memories/{memory_id}", response_model=reports.Mem0StatusResponse)
def replace_memory(
    memory: MemoryDep, user: UserId, memory_id: str, body: requests.Mem0UpdateRequest
) -> Response:
    """Replace the text of a memory; the old text stays in its history."""
    text = next((each for each in (body.text, body.data, body.memory) if each), None)
    if text is None:
        raise InvalidInput("The new text is missing. Send it as `text`.")
    memory.update(memory_id, text, user_id=user)
    return json_response({"message": "Memory updated successfully!"})


@router.delete("/memories/{memory_id}", response_model=reports.Mem0StatusResponse)
def delete_memory(memory: MemoryDep, user: UserId, memory_id: str) -> Response:
    """Forget a memory."""
    memory.delete(memory_id, user_id=user)
    return json_response({"message": "Memory deleted successfully"})


@router.get("/memories/{memory_id}/history", response_model=list[resources.MemoryVersionResponse])
def list_versions(memory: MemoryDep, user: UserId, memory_id: str) -> Response:
    """List all versions of a memory, oldest first."""
    versions = memory.history(memory_id, user_id=user)
    return json_response([serializers.serialize_version(each) for each in versions])


def _serialize_outcome(outcome: FactOutcome) -> JsonObject:
    serialized = serializers.serialize_outcome(outcome)
    return {"id": serialized["id"], "memory": serialized["memory"], "event": serialized["event"]}


def _text(message: requests.Mem0MessageRequest) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part["text"]) for part in message.content if isinstance(part.get("text"), str))


def _agent_metadata(agent_id: str | None) -> Mapping[str, object]:
    return {} if agent_id is None else {"agent_id": agent_id}


def _text_filter(filters: Mapping[str, object], key: str) -> str | None:
    value = filters.get(key)
    return value if isinstance(value, str) else None
