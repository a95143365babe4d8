"""Compatibility routes with mem0's paths and keys."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query, Request, Response

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
    """Ingest messages and return the extracted memories. `agent_id` and `metadata` are ignored."""
    target_user = resolve_user(request, body.user_id) if body.user_id is not None else user
    if isinstance(body.messages, str) or not body.infer:
        texts = [body.messages] if isinstance(body.messages, str) else [_text(each) for each in body.messages]
        outcomes = [memory.add(text, user_id=target_user, chat_id=body.run_id)["results"] for text in texts]
        return json_response(
            {
                "results": [
                    _serialize_outcome(each) for results in outcomes for each in _select_objects(results)
                ]
            }
        )
    messages = [each.model_dump() for each in body.messages]
    ingested = memory.add(messages, user_id=target_user, chat_id=body.run_id, sync=True)
    return json_response(
        {"results": [_serialize_outcome(each) for each in _select_objects(ingested["results"])]}
    )


@router.get("/memories", response_model=resources.MemoryListResponse)
def list_all_memories(memory: MemoryDep, user: UserId, run_id: RunId = None, limit: Limit = 100) -> Response:
    """List the memories of a user, or those first learned in a chat."""
    return json_response(memory.get_all(user_id=user, chat_id=run_id, limit=limit))


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
    """Search memories relevant to the query, best first. Of `filters` only user_id and run_id are used."""
    filters: Mapping[str, object] = body.filters or {}
    requested_user = body.user_id or _text_filter(filters, "user_id")
    target_user = resolve_user(request, requested_user) if requested_user is not None else user
    chat = body.run_id or _text_filter(filters, "run_id")
    results = memory.search(body.query, user_id=target_user, chat_id=chat, limit=body.top_k or body.limit)
    return json_response(results)


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
    return json_response(memory.history(memory_id, user_id=user))


def _serialize_outcome(outcome: JsonObject) -> JsonObject:
    return {"id": outcome["id"], "memory": outcome["memory"], "event": outcome["event"]}


def _select_objects(values: serializers.JsonValue) -> list[JsonObject]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _text(message: requests.Mem0MessageRequest) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part["text"]) for part in message.content if isinstance(part.get("text"), str))


def _text_filter(filters: Mapping[str, object], key: str) -> str | None:
    value = filters.get(key)
    return value if isinstance(value, str) else None
