"""Looking through what was done and what waits: the timeline, the inbox, and twins to be merged or told apart."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from recollect.domain.event import Action
from recollect.domain.memory import Memory, Standing
from recollect.domain.memory_details import Alike, Altered, Told
from recollect.domain.scope import Scope
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import Json, Shape
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import Limit, OnceOnly, subject

router = subject("memories", "/api/memory")
#: What nobody can say of a memory that was erased.
LOST = ("memory", "old_memory", "kind", "standing", "standing_now", "chat_id")


@router.get("/inbox", response_model=resources.Waiting)
def inbox(memory: MemoryDoor, user: UserId, limit: Limit = 100) -> Response:
    """What waits for the user's decision: facts without a source, and contradictions with what they contradict."""
    runtime, scope = memory.runtime, Scope(user)
    waiting = [
        each
        for standing in (Standing.CONTESTED, Standing.QUARANTINED)
        for each in runtime.store.memories.list(scope, standing=standing, limit=limit)
    ]
    shown = [
        {**serializers.memory(each), "reason": each.reason, "against": _all(runtime.engine.rivals(each))}
        for each in waiting[:limit]
    ]
    return answer(serializers.results(shown))


@router.get("/duplicates", response_model=resources.Pairs)
def duplicates(memory: MemoryDoor, user: UserId, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Response:
    """Memories that may say the same; the newest are compared. `merge` makes one of them, `apart` keeps both."""
    runtime = memory.runtime
    found = runtime.engine.alike(Scope(user), runtime.policy(user), limit=limit)
    return answer(serializers.results(map(_pair, found)))


@router.post("/apart", status_code=204, dependencies=[OnceOnly])
def apart(memory: MemoryDoor, user: UserId, body: requests.Apart) -> Response:
    """Say that two memories are not the same, so that nobody asks again."""
    memory.runtime.engine.tell_apart(Scope(user), body.ids)
    return Response(status_code=204)


@router.get("/timeline", response_model=resources.Timeline)
def timeline(
    memory: MemoryDoor,
    user: UserId,
    limit: Limit = 50,
    before: Annotated[str | None, Query(description="Only what came before this event.")] = None,
    until: Annotated[str | None, Query(description="Only up to this time, ISO 8601.")] = None,
    action: Annotated[list[resources.ActionName] | None, Query(description="Only these.")] = None,
    memory_id: Annotated[str | None, Query(description="Only what was done to this memory.")] = None,
) -> Response:
    """What was learned, changed and forgotten, the newest first, with the words of then."""
    runtime, scope = memory.runtime, Scope(user)
    events = runtime.store.events.list(
        scope,
        limit=limit,
        before=before and runtime.store.events.get(scope, before).id,
        until=parsers.moment(until),
        actions=[Action(each) for each in action or ()],
        memory_id=memory_id,
    )
    return answer(serializers.results(map(_told, runtime.engine.retell(scope, events))))


def _pair(value: Alike) -> Shape:
    return {
        "memory": serializers.memory(value.memory),
        "other": serializers.memory(value.other),
        "similarity": round(value.cosine, 4),
    }


def _told(value: Told) -> Shape:
    return {
        **serializers.event(value.event),
        "can_be_undone": value.can_be_undone,
        "memories": [_altered(each) for each in value.altered],
    }


def _all(memories: Sequence[Memory]) -> list[Json]:
    return [serializers.memory(each) for each in memories]


def _altered(value: Altered) -> Shape:
    after, before = value.after or value.now, value.before
    if after is None:
        return {**dict.fromkeys(LOST), "id": value.memory_id, "pinned": False}
    return {
        "id": value.memory_id,
        "memory": after.text,
        "old_memory": before.text if before and before.text != after.text else None,
        "kind": after.kind.value,
        "standing": after.standing.value,
        "standing_now": value.now.standing.value if value.now else None,
        "chat_id": after.chat,
        "pinned": after.pinned,
    }
