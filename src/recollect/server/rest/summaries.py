"""Conversation summaries: list them, or create one now."""

from fastapi import Response

from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("summaries", "/api/memory")


@router.get("/summaries", response_model=resources.SummaryListResponse)
def list_summaries(
    memory: MemoryDep, user: UserId, chat_id: str | None = None, limit: Limit = 20
) -> Response:
    """List summaries of all chats or of one, newest first."""
    summaries = memory.chats.summaries(chat_id=chat_id, user_id=user, limit=limit)
    return json_response(serializers.wrap_results(map(serializers.serialize_summary, summaries)))


@router.post("/summaries", response_model=resources.SummaryListResponse, dependencies=[IdempotencyKey])
def summarize_chat(memory: MemoryDep, user: UserId, body: requests.SummarizeRequest) -> Response:
    """Summarize a chat now; empty if it has no new messages since the last summary."""
    summaries = memory.chats.summarize(body.chat_id, user_id=user)
    return json_response(serializers.wrap_results(map(serializers.serialize_summary, summaries)))
