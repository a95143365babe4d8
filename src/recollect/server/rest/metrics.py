"""Recall metrics, storage statistics, retrieval debugging and the Prometheus endpoint."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import PlainTextResponse

from recollect.domain.candidate import Source
from recollect.domain.recall import RecallRequest
from recollect.domain.receipt import Disposition, ReceiptItem
from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.prometheus import render_metrics
from recollect.server.rest.routing import Limit, create_router

router = create_router("metrics")
SIZE_UNITS = ("B", "KB", "MB", "GB", "TB")


@router.get("/api/memory/metrics", response_model=reports.MetricsResponse)
def get_metrics(memory: MemoryDep, user: UserId, limit: Limit = 1000) -> Response:
    """Return aggregate metrics of the last recalls, and one record per recall."""
    return json_response(
        serializers.serialize_metrics_report(memory.maintenance.metrics(user_id=user, limit=limit))
    )


@router.get("/api/memory/stats", response_model=reports.StatsResponse)
def get_stats(memory: MemoryDep, user: UserId) -> Response:
    """Return how many rows and bytes are stored for a user."""
    return json_response(serializers.serialize_stats(memory.maintenance.stats(user_id=user)))


@router.get("/api/memory/debug/retrieval", response_model=reports.DebugRetrievalResponse)
def debug_retrieval(
    memory: MemoryDep,
    user: UserId,
    q: Annotated[str, Query(min_length=1, description="The query.")],
    conversation_id: Annotated[str | None, Query(alias="conversationId")] = None,
) -> Response:
    """Run a query and return the results with scores and timings."""
    runtime = memory.application
    policy = runtime.policy(user, chat=conversation_id)
    request = RecallRequest(scope=Scope(user, conversation_id), query=q, policy=policy)
    receipt = runtime.services.recall.search(request)
    record = serializers.serialize_recall_metrics(receipt)
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
    return json_response(
        {"query": q, "results": results, "metrics": record["latency"], "flags": record["flags"]}
    )


@router.get("/api/memory/debug/stats", response_model=reports.DebugStatsResponse)
def get_debug_stats(memory: MemoryDep, user: UserId) -> Response:
    """Return row counts and the size of each index."""
    stats = memory.application.services.analytics.stats(Scope(user))
    body: JsonObject = {
        "totalMessages": stats.messages,
        "totalConversations": stats.chats,
        "totalChunks": stats.chunks,
        "totalSummaries": stats.summaries,
        "profileConsent": memory.privacy.consents(user_id=user)["profile"],
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
    """Return metrics of the token's user in the Prometheus text format."""
    text = render_metrics(memory, user, request.app.state.http_metrics)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def format_size(number: int) -> str:
    """Format a number of bytes, like `5.2 MB`."""
    amount, unit = float(number), SIZE_UNITS[0]
    for unit in SIZE_UNITS:
        if amount < 1024 or unit == SIZE_UNITS[-1]:
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def _search_channel(item: ReceiptItem) -> str:
    """Return which search found a passage: dense, lexical or both."""
    is_dense, is_lexical = item.parts.get("dense", 0) > 0, item.parts.get("lexical", 0) > 0
    return "dense+fts" if is_dense and is_lexical else "fts" if is_lexical else "dense"


def _source_name(source: Source) -> str:
    return "chunk" if source is Source.CHUNK else source.value
