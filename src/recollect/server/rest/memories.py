"""Memories: listed, written down, corrected, put away and forgotten."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path, Query, Response
from starlette.exceptions import HTTPException

from recollect.domain.event import EventAction
from recollect.domain.memory import ImportanceBand, Kind, MemoryStatus, Origin
from recollect.domain.outcomes import New
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.serialization import parsers, serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import (
    IdempotencyKey,
    IfMatch,
    Limit,
    Offset,
    create_router,
    matches_version,
    respond_with_etag,
)

router = create_router("memories", "/api/memory")
MemoryId = Annotated[
    str,
    Path(description="The memory, or a unique beginning of its id.", examples=[resources.EXAMPLE_MEMORY_ID]),
]


@router.get("", response_model=resources.MemoryPageResponse)
def list_memories(
    memory: MemoryDep,
    user: UserId,
    tag: Annotated[str | None, Query(description="Only those with this tag.")] = None,
    kind: resources.KindName | None = None,
    standing: Annotated[
        resources.StandingName | None, Query(description="Those in use, unless something else is asked for.")
    ] = None,
    origin: Annotated[resources.OriginName | None, Query(description="Who wrote it down.")] = None,
    importance: resources.BandName | None = None,
    contains: Annotated[str | None, Query(description="Only those with these letters in them.")] = None,
    chat_id: Annotated[str | None, Query(description="Only those first said there.")] = None,
    as_of: Annotated[
        str | None, Query(description="What was known and true then, ISO 8601; `standing` is today's.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """What is remembered, the newest first."""
    memories = memory.application.store.memories.list(
        Scope(user, chat_id),
        limit=limit,
        offset=offset,
        tag=tag,
        kind=Kind(kind) if kind else None,
        standing=MemoryStatus(standing or "active"),
        origin=Origin(origin) if origin else None,
        band=ImportanceBand(importance) if importance else None,
        contains=contains,
        as_of=parsers.parse_timestamp(as_of),
    )
    return json_response(
        {
            **serializers.wrap_results(map(serializers.serialize_memory, memories)),
            "limit": limit,
            "offset": offset,
        }
    )


@router.post(
    "",
    response_model=resources.FactOutcomeResponse,
    status_code=201,
    responses={
        200: {
            "model": resources.FactOutcomeResponse,
            "description": "It was known, or is not wanted: see `event`.",
        }
    },
    dependencies=[IdempotencyKey],
)
def create_memory(memory: MemoryDep, user: UserId, body: requests.CreateMemoryRequest) -> Response:
    """Remember a text as it is. It is stored and found like what is learned from conversations."""
    runtime, scope = memory.application, Scope(user, body.chat_id)
    policy = runtime.policy(user, chat=body.chat_id)
    outcome = runtime.engine.remember(
        scope,
        body.content,
        policy,
        tags=parsers.parse_tags(body.tags),
        kind=Kind(body.kind) if body.kind else None,
    )
    runtime.worker.wake()
    return json_response(serializers.serialize_outcome(outcome), 201 if isinstance(outcome, New) else 200)


@router.delete("", response_model=resources.DeletedCountResponse)
def forget_all_memories(
    memory: MemoryDep,
    user: UserId,
    confirm: Annotated[bool, Query(description="Say `true`: this is about all of them.")] = False,
) -> Response:
    """Forget every memory of a user. Each can be brought back; `erase` is for good."""
    if not confirm:
        raise InvalidInput("This forgets every memory of the user. Repeat it with confirm=true.")
    return json_response(memory.delete_all(user_id=user))


@router.get("/events", response_model=resources.EventListResponse)
def list_events(memory: MemoryDep, user: UserId, limit: Limit = 50) -> Response:
    """What was learned, changed and forgotten, the newest first."""
    return json_response(memory.events(user_id=user, limit=limit))


@router.post("/undo", response_model=resources.EventResponse, dependencies=[IdempotencyKey])
def undo_event(memory: MemoryDep, user: UserId, body: requests.UndoRequest | None = None) -> Response:
    """Take back the last thing that was done to memories, or a certain one."""
    return json_response(memory.undo(body.event_id if body else None, user_id=user))


@router.post("/merge", response_model=resources.MemoryResponse, dependencies=[IdempotencyKey])
def merge_memories(memory: MemoryDep, user: UserId, body: requests.MergeMemoriesRequest) -> Response:
    """Make one memory of several: the one that says most stays, with the sources of all."""
    return respond_with_etag(memory.merge(body.ids, user_id=user))


@router.post("/archive", response_model=resources.MemoryListResponse, dependencies=[IdempotencyKey])
def archive_memories(memory: MemoryDep, user: UserId, body: requests.MemoryIdsRequest) -> Response:
    """Put several memories away at once. It is one event, which is undone as one."""
    return _remove_memories(memory, user, body.ids, EventAction.ARCHIVE)


@router.post("/forget", response_model=resources.MemoryListResponse, dependencies=[IdempotencyKey])
def forget_memories(memory: MemoryDep, user: UserId, body: requests.MemoryIdsRequest) -> Response:
    """Forget several memories at once. It is one event, which is undone as one."""
    return _remove_memories(memory, user, body.ids, EventAction.FORGET)


@router.get("/{memory_id}", response_model=resources.MemoryResponse)
def get_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """One memory, with its version as its ETag."""
    return respond_with_etag(memory.get(memory_id, user_id=user))


@router.patch("/{memory_id}", response_model=resources.MemoryResponse)
def update_memory(
    memory: MemoryDep,
    user: UserId,
    memory_id: MemoryId,
    body: requests.UpdateMemoryRequest,
    if_match: IfMatch = None,
) -> Response:
    """Correct what a memory says, tag it, or pin it. Old words stay in its history; its vector is made anew."""
    if body.content is None and body.tags is None and body.pinned is None:
        raise InvalidInput("Say what to change: content, tags or pinned.")
    with memory.application.store.transaction():
        full_id = _require_version(memory, user, memory_id, if_match)
        if body.content is not None:
            memory.update(full_id, body.content, user_id=user)
        if body.tags is not None:
            memory.application.engine.set_tags(Scope(user), full_id, parsers.parse_tags(body.tags))
        if body.pinned is not None:
            memory.pin(full_id, pinned=body.pinned, user_id=user)
    return respond_with_etag(memory.get(full_id, user_id=user))


@router.delete("/{memory_id}", response_model=resources.MemoryResponse)
def forget_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId, if_match: IfMatch = None) -> Response:
    """Forget a memory. It can be brought back, and does not come back by itself."""
    with memory.application.store.transaction():
        full_id = _require_version(memory, user, memory_id, if_match)
        return respond_with_etag(memory.delete(full_id, user_id=user))


@router.get("/{memory_id}/history", response_model=resources.MemoryHistoryResponse)
def get_history(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Every version of a memory, oldest first."""
    return json_response(serializers.wrap_results(memory.history(memory_id, user_id=user)))


@router.post("/{memory_id}/archive", response_model=resources.MemoryResponse)
def archive_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Put a memory away: it is not recalled, and can be brought back."""
    return respond_with_etag(memory.archive(memory_id, user_id=user))


@router.post("/{memory_id}/restore", response_model=resources.MemoryResponse)
def restore_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Bring back what was archived or forgotten, or accept what waits in the inbox."""
    return respond_with_etag(memory.restore(memory_id, user_id=user))


@router.post("/{memory_id}/pin", response_model=resources.MemoryResponse)
def pin_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Keep a memory from fading."""
    return respond_with_etag(memory.pin(memory_id, user_id=user))


@router.post("/{memory_id}/unpin", response_model=resources.MemoryResponse)
def unpin_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Let a memory fade again."""
    return respond_with_etag(memory.pin(memory_id, pinned=False, user_id=user))


def _remove_memories(memory: Memory, user: str, ids: Sequence[str], action: EventAction) -> Response:
    removed = memory.application.engine.remove_memories(Scope(user), ids, action)
    return json_response(serializers.wrap_results(map(serializers.serialize_memory, removed)))


def _require_version(memory: Memory, user: str, memory_id: str, if_match: str | None) -> str:
    """The whole id of a memory, if it is still what whoever changes it has seen. Called inside a transaction."""
    current = memory.application.store.memories.get(Scope(user), memory_id)
    if not matches_version(if_match, current.version):
        raise HTTPException(
            412,
            f"The memory was changed meanwhile: it is at version {current.version}. Read it again, then repeat.",
            {"ETag": f'"{current.version}"'},
        )
    return current.id
