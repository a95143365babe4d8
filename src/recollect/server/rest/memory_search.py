"""Browsing memories: counts by facet, search as you type, and details of one memory."""

from typing import Annotated

from fastapi import Query, Response

from recollect.domain.memory import ImportanceBand, Memory
from recollect.domain.memory_details import MemoryDetails, SourceQuote
from recollect.domain.recall import RecallRequest
from recollect.domain.scope import Scope
from recollect.serialization import parsers, serializers
from recollect.serialization.reasons import serialize_reason_or_none, serialize_reasons
from recollect.serialization.serializers import JsonObject
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, RecallSlot, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.memories import MemoryId
from recollect.server.rest.routing import create_router

router = create_router("memories", "/api/memory")
#: Search memories only, also if the memory mode is off.
BROWSE_OVERRIDES = {"recall.sources": "memories", "memory.mode": "recall_only"}
#: Results without and with filters; filters apply after the search.
MAX_FOUND_MEMORIES, MAX_FILTERED_MEMORIES = 30, 100
#: Text shown before and after the quote that a memory is based on.
QUOTE_CONTEXT_CHARS = 160


@router.get("/census", response_model=reports.FacetCountListResponse)
def count_memories(
    memory: MemoryDep,
    user: UserId,
    contains: Annotated[str | None, Query(description="Only memories that contain this text.")] = None,
) -> Response:
    """Count memories by each combination of status, kind, origin and importance."""
    counts = memory.application.services.memories.count_by_facet(Scope(user), contains=contains)
    rows = (
        {
            "status": facet.status.value,
            "kind": facet.kind.value,
            "origin": facet.origin.value,
            "importance": facet.band.value,
            "count": count,
        }
        for facet, count in counts.items()
    )
    return json_response(serializers.wrap_results(map(dict, rows)))


@router.post("/find", response_model=reports.FindMemoriesResponse, dependencies=[RecallSlot])
def find_memories(memory: MemoryDep, user: UserId, body: requests.FindMemoriesRequest) -> Response:
    """Search active memories, best first. Meant for search as you type, so it stores no receipt."""
    runtime, scope = memory.application, Scope(user)
    max_candidates = (
        MAX_FILTERED_MEMORIES if body.kind or body.origin or body.importance else MAX_FOUND_MEMORIES
    )
    policy = runtime.policy(user, call={**BROWSE_OVERRIDES, "recall.limit": max_candidates})
    request = RecallRequest(
        scope=scope, query=parsers.replace_surrogates(body.query), policy=policy, save_receipt=False
    )
    receipt = runtime.services.recall.search(request)
    results, memories = (
        [],
        runtime.services.memories.find_existing(scope, [item.id for item in receipt.items]),
    )
    for item in receipt.items:
        memory_record = memories.get(item.id)
        if memory_record is not None and _matches_request(memory_record, body):
            scored = serializers.serialize_receipt_item(item)
            results.append(
                {
                    **serializers.serialize_memory(memory_record),
                    "score": scored["score"],
                    "parts": scored["parts"],
                }
            )
    return json_response(
        {**serializers.wrap_results(results), "degraded": serialize_reasons(receipt.degradations)}
    )


@router.get("/{memory_id}/account", response_model=reports.MemoryDetailsResponse)
def get_memory_details(
    memory: MemoryDep,
    user: UserId,
    memory_id: MemoryId,
    weeks: Annotated[int, Query(ge=1, le=520, description="Length of the forecast.")] = 26,
) -> Response:
    """Return the sources of a memory, its recalls, and the forecast of its decay."""
    runtime = memory.application
    return json_response(
        _serialize_details(
            runtime.services.memories.describe_memory(
                Scope(user), memory_id, runtime.policy(user), weeks=weeks
            )
        )
    )


def _matches_request(memory: Memory, request: requests.FindMemoriesRequest) -> bool:
    return (
        request.kind in {None, memory.kind.value}
        and request.origin in {None, memory.origin.value}
        and request.importance in {None, ImportanceBand.from_importance(memory.importance).value}
    )


def _serialize_details(value: MemoryDetails) -> JsonObject:
    return {
        "sources": [_serialize_quote(each) for each in value.quotes],
        "uses": [
            {
                "receipt": use.receipt_id,
                "at": serializers.serialize_timestamp(use.at),
                "chat_id": use.chat,
                "query": use.query,
                "disposition": use.disposition.value,
                "score": round(use.score, 4),
            }
            for use in value.uses
        ],
        "fading": [
            {"at": serializers.serialize_timestamp(point.at), "weight": round(point.weight, 4)}
            for point in value.weight_forecast
        ],
        "archive_below": value.archive_below,
        "leaves_at": serializers.serialize_timestamp(value.archive_at),
        "reason": serialize_reason_or_none(value.archive_reason),
    }


def _serialize_quote(value: SourceQuote) -> JsonObject:
    text, start, end = value.message.content, value.start, value.end
    return {
        "message_id": value.message.id,
        "chat_id": value.message.chat,
        "role": value.message.role.value,
        "created_at": serializers.serialize_timestamp(value.message.created_at),
        "before": text[max(start - QUOTE_CONTEXT_CHARS, 0) : start],
        "quote": text[start:end],
        "after": text[end : end + QUOTE_CONTEXT_CHARS],
    }
