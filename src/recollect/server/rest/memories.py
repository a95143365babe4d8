"""Memories: list, create, update, archive, forget, restore, merge and undo."""

from collections.abc import Callable, Sequence
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
    Path(description="The memory's id, or a unique prefix of it.", examples=[resources.EXAMPLE_MEMORY_ID]),
]


@router.get("", response_model=resources.MemoryPageResponse)
def list_memories(
    memory: MemoryDep,
    user: UserId,
    tag: Annotated[str | None, Query(description="Only memories with this tag.")] = None,
    kind: resources.KindName | None = None,
    status: Annotated[resources.StatusName | None, Query(description="Defaults to active memories.")] = None,
    origin: Annotated[resources.OriginName | None, Query(description="How the memory was created.")] = None,
    importance: resources.BandName | None = None,
    contains: Annotated[str | None, Query(description="Only memories that contain this text.")] = None,
    chat_id: Annotated[str | None, Query(description="Only memories first learned in this chat.")] = None,
    as_of: Annotated[
        str | None,
        Query(description="Memories known and valid at this time, ISO 8601; `status` is the current one."),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """List memories, newest first."""
    service, policy = memory.application.services.memories, memory.application.policy(user)
    time = parsers.parse_timestamp(as_of)
    memories = service.list(
        Scope(user, chat_id),
        limit=limit,
        offset=offset,
        tag=tag,
        kind=Kind(kind) if kind else None,
        status=MemoryStatus(status or "active"),
        origin=Origin(origin) if origin else None,
        band=ImportanceBand(importance) if importance else None,
        contains=contains,
        as_of=time,
    )
    results = [
        serializers.serialize_memory(each, current_weight=service.current_weight(each, policy, at=time))
        for each in memories
    ]
    return json_response(
        {
            **serializers.wrap_results(results),
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
            "description": "The memory already exists or was declined: see `event`.",
        }
    },
    dependencies=[IdempotencyKey],
)
def create_memory(memory: MemoryDep, user: UserId, body: requests.CreateMemoryRequest) -> Response:
    """Create a memory from a text, which is stored unchanged and recalled like extracted memories."""
    runtime, scope = memory.application, Scope(user, body.chat_id)
    policy = runtime.policy(user, chat=body.chat_id)
    outcome = runtime.services.extraction.remember(
        scope,
        body.content,
        policy,
        tags=parsers.parse_tags(body.tags),
        kind=Kind(body.kind) if body.kind else None,
        metadata=parsers.parse_metadata(body.metadata),
    )
    runtime.worker.wake()
    return json_response(serializers.serialize_outcome(outcome), 201 if isinstance(outcome, New) else 200)


@router.delete("", response_model=resources.DeletedCountResponse)
def forget_all_memories(
    memory: MemoryDep,
    user: UserId,
    confirm: Annotated[bool, Query(description="Must be `true`.")] = False,
) -> Response:
    """Forget all memories of a user. Each can be restored; `erase` is permanent."""
    if not confirm:
        raise InvalidInput("This forgets all memories of the user. Add confirm=true to confirm.")
    return json_response({"deleted": memory.delete_all(user_id=user)})


@router.get("/events", response_model=resources.EventListResponse)
def list_events(memory: MemoryDep, user: UserId, limit: Limit = 50) -> Response:
    """List changes to memories, newest first."""
    events = memory.memories.events(user_id=user, limit=limit)
    return json_response(serializers.wrap_results(map(serializers.serialize_event, events)))


@router.post("/undo", response_model=resources.EventResponse, dependencies=[IdempotencyKey])
def undo_event(memory: MemoryDep, user: UserId, body: requests.UndoRequest | None = None) -> Response:
    """Undo the last event, or the given one."""
    event = memory.memories.undo(body.event_id if body else None, user_id=user)
    return json_response(serializers.serialize_event(event))


@router.post("/merge", response_model=resources.MemoryResponse, dependencies=[IdempotencyKey])
def merge_memories(memory: MemoryDep, user: UserId, body: requests.MergeMemoriesRequest) -> Response:
    """Merge memories: the most detailed one stays and gets the sources of all."""
    return respond_with_etag(memory.memories.merge(body.ids, user_id=user))


@router.post("/archive", response_model=resources.MemoryListResponse, dependencies=[IdempotencyKey])
def archive_memories(memory: MemoryDep, user: UserId, body: requests.MemoryIdsRequest) -> Response:
    """Archive several memories as one event, which can be undone as a whole."""
    return _remove_memories(memory, user, body.ids, EventAction.ARCHIVE)


@router.post("/forget", response_model=resources.MemoryListResponse, dependencies=[IdempotencyKey])
def forget_memories(memory: MemoryDep, user: UserId, body: requests.MemoryIdsRequest) -> Response:
    """Forget several memories as one event, which can be undone as a whole."""
    return _remove_memories(memory, user, body.ids, EventAction.FORGET)


@router.get("/{memory_id}", response_model=resources.MemoryResponse)
def get_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Get a memory; its version is the ETag."""
    return respond_with_etag(memory.get(memory_id, user_id=user))


@router.patch("/{memory_id}", response_model=resources.MemoryResponse)
def update_memory(
    memory: MemoryDep,
    user: UserId,
    memory_id: MemoryId,
    body: requests.UpdateMemoryRequest,
    if_match: IfMatch = None,
) -> Response:
    """Update text, tags, pinning or metadata. The old text stays in the history; new text is embedded again."""
    if not body.model_dump(exclude_none=True):
        raise InvalidInput("Nothing to change. Send content, tags, pinned or metadata.")
    runtime = memory.application
    updated = runtime.services.memories.update(
        Scope(user),
        memory_id,
        runtime.policy(user),
        text=body.content,
        tags=None if body.tags is None else parsers.parse_tags(body.tags),
        pinned=body.pinned,
        metadata=None if body.metadata is None else parsers.parse_metadata(body.metadata),
        check_version=_version_check(if_match),
    )
    runtime.worker.wake()
    return respond_with_etag(updated)


@router.delete("/{memory_id}", response_model=resources.MemoryResponse)
def forget_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId, if_match: IfMatch = None) -> Response:
    """Forget a memory. It can be restored, and is not learned again by itself."""
    forgotten = memory.application.services.memories.forget(
        Scope(user), memory_id, check_version=_version_check(if_match)
    )
    return respond_with_etag(forgotten)


@router.get("/{memory_id}/history", response_model=resources.MemoryHistoryResponse)
def get_history(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """List all versions of a memory, oldest first."""
    versions = memory.history(memory_id, user_id=user)
    return json_response(serializers.wrap_results(map(serializers.serialize_version, versions)))


@router.post("/{memory_id}/archive", response_model=resources.MemoryResponse)
def archive_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Archive a memory: it is no longer recalled, and can be restored."""
    return respond_with_etag(memory.memories.archive(memory_id, user_id=user))


@router.post("/{memory_id}/restore", response_model=resources.MemoryResponse)
def restore_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Restore an archived or forgotten memory, or accept one from the review queue."""
    return respond_with_etag(memory.memories.restore(memory_id, user_id=user))


@router.post("/{memory_id}/pin", response_model=resources.MemoryResponse)
def pin_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Pin a memory: its weight no longer decays."""
    return respond_with_etag(memory.memories.pin(memory_id, user_id=user))


@router.post("/{memory_id}/unpin", response_model=resources.MemoryResponse)
def unpin_memory(memory: MemoryDep, user: UserId, memory_id: MemoryId) -> Response:
    """Unpin a memory: its weight decays again."""
    return respond_with_etag(memory.memories.pin(memory_id, pinned=False, user_id=user))


def _remove_memories(memory: Memory, user: str, ids: Sequence[str], action: EventAction) -> Response:
    removed = memory.application.services.memories.remove_memories(Scope(user), ids, action)
    return json_response(serializers.wrap_results(map(serializers.serialize_memory, removed)))


def _version_check(if_match: str | None) -> Callable[[int], None]:
    """Return a function that raises a 412 unless `If-Match` contains the version."""

    def check(version: int) -> None:
        if not matches_version(if_match, version):
            raise HTTPException(
                412,
                f"The memory has changed: it is now at version {version}. Read it again and repeat the change.",
                {"ETag": f'"{version}"'},
            )

    return check
