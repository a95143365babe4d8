"""How well and how fast recall goes: for people, for debugging, and for Prometheus."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import PlainTextResponse

from recollect.domain.candidate import Source
from recollect.domain.receipt import Disposition, ReceiptItem
from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.prometheus import render_metrics
from recollect.server.rest.routing import Limit, create_router

router = create_router("measures")
SIZE_UNITS = ("B", "KB", "MB", "GB", "TB")


@router.get("/api/memory/metrics", response_model=reports.MetricsResponse)
def get_metrics(memory: MemoryDep, user: UserId, limit: Limit = 1000) -> Response:
    """How well and how fast the last recalls went, and each of them as a line."""
    return json_response(memory.metrics(user_id=user, limit=limit))


@router.get("/api/memory/stats", response_model=reports.StatsResponse)
def get_stats(memory: MemoryDep, user: UserId) -> Response:
    """What is stored for a user, and what it weighs in bytes."""
    return json_response(memory.stats(user_id=user))


@router.get("/api/memory/debug/retrieval", response_model=reports.DebugRetrievalResponse)
def debug_retrieval(
    memory: MemoryDep,
    user: UserId,
    q: Annotated[str, Query(min_length=1, description="The question.")],
    conversation_id: Annotated[str | None, Query(alias="conversationId")] = None,
) -> Response:
    """What a question would bring, with scores and timings."""
    runtime = memory.application
    policy = runtime.policy(user, chat=conversation_id)
    receipt = runtime.engine.recall(Scope(user, conversation_id), q, policy)
    line = serializers.serialize_recall_metrics(receipt)
    results = [
        {
            "content": item.text,
            "score": round(item.score, 4),
            "source": _search_channel(item),
            "type": _source_name(item.source),
        }
        for item in receipt.items
        if item.disposition is Disposition.RETURNED
    ]
    return json_response({"query": q, "results": results, "metrics": line["latency"], "flags": line["flags"]})


@router.get("/api/memory/debug/stats", response_model=reports.DebugStatsResponse)
def get_debug_stats(memory: MemoryDep, user: UserId) -> Response:
    """What is stored, with the size of each index."""
    stats = memory.application.store.maintenance.stats(Scope(user))
    body: JsonObject = {
        "totalMessages": stats.messages,
        "totalConversations": stats.chats,
        "totalChunks": stats.chunks,
        "totalSummaries": stats.summaries,
        "profileConsent": memory.consents(user_id=user)["profile"],
        "indexSizes": {
            "messages": format_size(stats.sizes.get("messages", 0)),
            "embeddings": format_size(stats.sizes.get("embeddings", 0)),
            "fts": format_size(stats.sizes.get("fts", 0)),
        },
    }
    return json_response(body)


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": "recollect_memories 12\n"}}}},
)
def get_prometheus_metrics(request: Request, memory: MemoryDep, user: UserId) -> Response:
    """The same numbers for Prometheus, about the user of the token."""
    text = render_metrics(memory, user, request.app.state.http_metrics)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def format_size(number: int) -> str:
    """Bytes as people write them: `5.2 MB`."""
    amount, unit = float(number), SIZE_UNITS[0]
    for unit in SIZE_UNITS:
        if amount < 1024 or unit == SIZE_UNITS[-1]:
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def _search_channel(item: ReceiptItem) -> str:
    """What brought a passage: its meaning, its words, or both."""
    by_meaning, by_words = item.parts.get("dense", 0) > 0, item.parts.get("lexical", 0) > 0
    return "dense+fts" if by_meaning and by_words else "fts" if by_words else "dense"


def _source_name(source: Source) -> str:
    return "chunk" if source is Source.CHUNK else source.value
