"""Review queue, possible duplicates, and the timeline of changes."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from recollect.domain.event import EventAction
from recollect.domain.memory import Memory
from recollect.domain.memory_details import DuplicatePair, EventDetails, MemoryChange
from recollect.domain.scope import Scope
from recollect.serialization import parsers, serializers
from recollect.serialization.reasons import serialize_reason_or_none
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("memories", "/api/memory")
#: Fields that are null for an erased memory.
ERASED_FIELDS = ("memory", "old_memory", "kind", "status", "status_now", "chat_id")


@router.get("/inbox", response_model=resources.ReviewQueueResponse)
def get_review_queue(memory: MemoryDep, user: UserId, limit: Limit = 100) -> Response:
    """List memories that need the user's decision: ungrounded facts, and conflicts with existing memories."""
    runtime, scope = memory.application, Scope(user)
    items = [
        {
            **serializers.serialize_memory(each),
            "reason": serialize_reason_or_none(each.reason),
            "against": _serialize_memories(runtime.services.review.conflicts(each)),
        }
        for each in runtime.services.review.queue(scope, limit=limit)
    ]
    return json_response(serializers.wrap_results(items))


@router.get("/duplicates", response_model=resources.DuplicateListResponse)
def list_duplicates(
    memory: MemoryDep, user: UserId, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Response:
    """List possible duplicates among the newest memories. Resolve them with `merge` or `apart`."""
    runtime = memory.application
    pairs = runtime.services.review.find_duplicates(Scope(user), runtime.policy(user), limit=limit)
    return json_response(serializers.wrap_results(map(_serialize_pair, pairs)))


@router.post("/apart", status_code=204, dependencies=[IdempotencyKey])
def mark_distinct(memory: MemoryDep, user: UserId, body: requests.MarkDistinctRequest) -> Response:
    """Mark two memories as distinct, so that they are not suggested as duplicates again."""
    memory.application.services.review.mark_distinct(Scope(user), body.ids)
    return Response(status_code=204)


@router.get("/timeline", response_model=resources.TimelineResponse)
def get_timeline(
    memory: MemoryDep,
    user: UserId,
    limit: Limit = 50,
    before: Annotated[str | None, Query(description="Only events before this event id.")] = None,
    until: Annotated[str | None, Query(description="Only events up to this time, ISO 8601.")] = None,
    action: Annotated[
        list[resources.ActionName] | None, Query(description="Only events with these actions.")
    ] = None,
    memory_id: Annotated[str | None, Query(description="Only events of this memory.")] = None,
) -> Response:
    """List events, newest first, with the text of each memory before and after."""
    runtime, scope = memory.application, Scope(user)
    events = runtime.services.memories.list_events(
        scope,
        limit=limit,
        before=before,
        until=parsers.parse_timestamp(until),
        actions=[EventAction(each) for each in action or ()],
        memory_id=memory_id,
    )
    return json_response(
        serializers.wrap_results(
            map(_serialize_event, runtime.services.review.describe_events(scope, events))
        )
    )


def _serialize_pair(value: DuplicatePair) -> JsonObject:
    return {
        "memory": serializers.serialize_memory(value.memory),
        "other": serializers.serialize_memory(value.other),
        "similarity": round(value.cosine, 4),
    }


def _serialize_event(value: EventDetails) -> JsonObject:
    return {
        **serializers.serialize_event(value.event),
        "can_be_undone": value.can_be_undone,
        "memories": [_serialize_change(each) for each in value.changes],
    }


def _serialize_memories(memories: Sequence[Memory]) -> list[JsonValue]:
    return [serializers.serialize_memory(each) for each in memories]


def _serialize_change(value: MemoryChange) -> JsonObject:
    after, before = value.after or value.current, value.before
    if after is None:
        return {**dict.fromkeys(ERASED_FIELDS), "id": value.memory_id, "pinned": False}
    return {
        "id": value.memory_id,
        "memory": after.text,
        "old_memory": before.text if before and before.text != after.text else None,
        "kind": after.kind.value,
        "status": after.status.value,
        "status_now": value.current.status.value if value.current else None,
        "chat_id": after.chat,
        "pinned": after.pinned,
    }
