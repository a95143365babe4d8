"""Leafing through memories: how many there are of what, searching as one types, and an account of one."""

from typing import Annotated

from fastapi import Query, Response

from recollect.domain.memory import Band, Memory
from recollect.domain.memory_details import Account, Quote
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import Shape
from recollect.server import requests
from recollect.server.dependencies import InTurn, MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.memories import Id
from recollect.server.rest.routing import subject

router = subject("memories", "/api/memory")
#: Only memories, and whether or not memory is used in chats.
LEAFING = {"recall.sources": "memories", "memory.mode": "recall_only"}
#: Found for somebody who types on; and for somebody who wants some of them alone.
MANY, MORE = 30, 100
#: Letters shown on either side of what a memory rests on.
AROUND = 160


@router.get("/census", response_model=reports.Census)
def census(
    memory: MemoryDoor,
    user: UserId,
    contains: Annotated[str | None, Query(description="Only those with these letters in them.")] = None,
) -> Response:
    """How many memories there are of each standing, kind, origin and importance together."""
    counted = memory.runtime.store.browsing.census(Scope(user), contains=contains)
    shown = (
        {
            "standing": sort.standing.value,
            "kind": sort.kind.value,
            "origin": sort.origin.value,
            "importance": sort.band.value,
            "count": number,
        }
        for sort, number in counted.items()
    )
    return answer(serializers.results(map(dict, shown)))


@router.post("/find", response_model=reports.FoundMemories, dependencies=[InTurn])
def find(memory: MemoryDoor, user: UserId, body: requests.Find) -> Response:
    """Memories in use that bear on some words, best first; while somebody types, so it leaves no receipt."""
    runtime, scope = memory.runtime, Scope(user)
    most = MORE if body.kind or body.origin or body.importance else MANY
    policy = runtime.policy(user, call={**LEAFING, "recall.limit": most})
    found = runtime.engine.recall(scope, parsers.question(body.query), policy, keep=False)
    results = []
    for item in found.items:
        try:
            known = runtime.store.memories.get(scope, item.id)
        except NotFound:
            # Erased since it was found.
            continue
        if _is_wanted(known, body):
            scored = serializers.item(item)
            results.append({**serializers.memory(known), "score": scored["score"], "parts": scored["parts"]})
    return answer({**serializers.results(results), "degraded": list(found.degraded)})


@router.get("/{memory_id}/account", response_model=reports.Account)
def account(
    memory: MemoryDoor,
    user: UserId,
    memory_id: Id,
    weeks: Annotated[int, Query(ge=1, le=520, description="How far to look ahead.")] = 26,
) -> Response:
    """What a memory rests on, when it was recalled, and how it fades if it is not said again."""
    runtime = memory.runtime
    return answer(_shown(runtime.engine.account(Scope(user), memory_id, runtime.policy(user), weeks=weeks)))


def _is_wanted(memory: Memory, wanted: requests.Find) -> bool:
    return (
        wanted.kind in {None, memory.kind.value}
        and wanted.origin in {None, memory.origin.value}
        and wanted.importance in {None, Band.of(memory.importance).value}
    )


def _shown(value: Account) -> Shape:
    return {
        "sources": [_quote(each) for each in value.quotes],
        "uses": [
            {
                "receipt": use.receipt_id,
                "at": serializers.time(use.at),
                "chat_id": use.chat,
                "query": use.query,
                "fate": use.fate.value,
                "score": round(use.score, 4),
            }
            for use in value.uses
        ],
        "fading": [
            {"at": serializers.time(point.at), "weight": round(point.weight, 4)} for point in value.fading
        ],
        "archive_below": value.archive_below,
        "leaves_at": serializers.time(value.leaves_at),
        "reason": value.reason,
    }


def _quote(value: Quote) -> Shape:
    text, start, end = value.message.content, value.start, value.end
    return {
        "message_id": value.message.id,
        "chat_id": value.message.chat,
        "role": value.message.role.value,
        "created_at": serializers.time(value.message.created_at),
        "before": text[max(start - AROUND, 0) : start],
        "quote": text[start:end],
        "after": text[end : end + AROUND],
    }
