"""mem0's paths and keys, for clients that are written for it."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query, Request, Response

from recollect.errors import InvalidInput
from recollect.ports.store import ALL
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.server import requests
from recollect.server.dependencies import InTurn, MemoryDoor, UserId, whose
from recollect.server.json_response import answer
from recollect.server.responses import reports, resources
from recollect.server.rest.routing import Limit, OnceOnly, subject, tagged

router = subject("mem0")
RunId = Annotated[str | None, Query(description="The chat.")]


@router.post("/memories", response_model=reports.Mem0Results, dependencies=[OnceOnly])
def add(request: Request, memory: MemoryDoor, user: UserId, body: requests.Mem0Add) -> Response:
    """Learn from messages, and say what was learned. `agent_id` and `metadata` are not used."""
    named = whose(request, body.user_id) if body.user_id is not None else user
    if isinstance(body.messages, str) or not body.infer:
        texts = [body.messages] if isinstance(body.messages, str) else [_text(each) for each in body.messages]
        kept = [memory.add(text, user_id=named, chat_id=body.run_id)["results"] for text in texts]
        return answer({"results": [_added(each) for results in kept for each in _dicts(results)]})
    said = [each.model_dump() for each in body.messages]
    heard = memory.add(said, user_id=named, chat_id=body.run_id, sync=True)
    return answer({"results": [_added(each) for each in _dicts(heard["results"])]})


@router.get("/memories", response_model=resources.Memories)
def get_all(memory: MemoryDoor, user: UserId, run_id: RunId = None, limit: Limit = 100) -> Response:
    """All memories of a user, or those first said in a chat."""
    return answer(memory.get_all(user_id=user, chat_id=run_id, limit=limit))


@router.delete("/memories", response_model=reports.Mem0Done)
def delete_all(
    request: Request,
    memory: MemoryDoor,
    user: UserId,
    run_id: RunId = None,
) -> Response:
    """Forget all memories of a user, who must be named, or those first said in a chat."""
    if "user_id" not in request.query_params:
        raise InvalidInput("This forgets everything about a user. Name them with user_id.")
    if run_id is None:
        memory.delete_all(user_id=user)
    else:
        with memory.runtime.store.transaction():
            for each in _dicts(memory.get_all(user_id=user, chat_id=run_id, limit=ALL)["results"]):
                memory.delete(str(each["id"]), user_id=user)
    return answer({"message": "All relevant memories deleted"})


@router.post("/search", response_model=resources.Found, dependencies=[InTurn])
def search(request: Request, memory: MemoryDoor, user: UserId, body: requests.Mem0Search) -> Response:
    """What bears on a question, best first. Of `filters` only user_id and run_id are used."""
    filters: Mapping[str, object] = body.filters or {}
    wanted = body.user_id or _word(filters, "user_id")
    named = whose(request, wanted) if wanted is not None else user
    chat = body.run_id or _word(filters, "run_id")
    found = memory.search(body.query, user_id=named, chat_id=chat, limit=body.top_k or body.limit)
    return answer(found)


@router.get("/memories/{memory_id}", response_model=resources.Memory)
def get(memory: MemoryDoor, user: UserId, memory_id: str) -> Response:
    """One memory."""
    return tagged(memory.get(memory_id, user_id=user))


@router.put("/memories/{memory_id}", response_model=reports.Mem0Done)
def update(memory: MemoryDoor, user: UserId, memory_id: str, body: requests.Mem0Update) -> Response:
    """Correct a memory; its old words stay in its history."""
    text = next((each for each in (body.text, body.data, body.memory) if each), None)
    if text is None:
        raise InvalidInput("Say what the memory says now, as `text`.")
    memory.update(memory_id, text, user_id=user)
    return answer({"message": "Memory updated successfully!"})


@router.delete("/memories/{memory_id}", response_model=reports.Mem0Done)
def delete(memory: MemoryDoor, user: UserId, memory_id: str) -> Response:
    """Forget a memory."""
    memory.delete(memory_id, user_id=user)
    return answer({"message": "Memory deleted successfully"})


@router.get("/memories/{memory_id}/history", response_model=list[resources.Version])
def history(memory: MemoryDoor, user: UserId, memory_id: str) -> Response:
    """Every version of a memory, oldest first."""
    return answer(memory.history(memory_id, user_id=user))


def _added(kept: Shape) -> Shape:
    return {"id": kept["id"], "memory": kept["memory"], "event": kept["event"]}


def _dicts(values: serializers.Json) -> list[Shape]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _text(message: requests.Mem0Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part["text"]) for part in message.content if isinstance(part.get("text"), str))


def _word(filters: Mapping[str, object], key: str) -> str | None:
    value = filters.get(key)
    return value if isinstance(value, str) else None
