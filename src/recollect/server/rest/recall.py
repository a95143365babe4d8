"""Search, context blocks, receipts and feedback."""

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, RecallSlot, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import resources
from recollect.server.rest.routing import IdempotencyKey, Limit, create_router

router = create_router("recall", "/api/memory")


@router.post("/search", response_model=resources.SearchResponse, dependencies=[RecallSlot])
def search(memory: MemoryDep, user: UserId, body: requests.SearchRequest) -> Response:
    """Search passages relevant to the query, best first, with scores and their parts."""
    results = memory.search(
        body.query,
        user_id=user,
        chat_id=body.chat_id,
        limit=body.limit,
        as_of=body.as_of,
        metadata=body.metadata,
        mode=body.mode,
        settings=body.settings,
        receipt=body.receipt,
    )
    return json_response(serializers.serialize_search_results(results))


@router.post("/context", response_model=resources.ContextResponse, dependencies=[RecallSlot])
def build_context(memory: MemoryDep, user: UserId, body: requests.ContextRequest) -> Response:
    """Return the context block for the next prompt, within its token budget, and its receipt."""
    block = memory.context(
        body.query,
        user_id=user,
        chat_id=body.chat_id,
        budget=body.budget,
        context_ids=body.context_ids,
        mode=body.mode,
        settings=body.settings,
    )
    return json_response(serializers.serialize_context(block))


@router.get("/receipts", response_model=resources.ReceiptListResponse)
def list_receipts(memory: MemoryDep, user: UserId, chat_id: str | None = None, limit: Limit = 20) -> Response:
    """List receipts of recalls, newest first."""
    receipts = memory.application.services.receipts.list(Scope(user, chat_id), limit=limit, with_texts=True)
    return json_response(serializers.wrap_results(map(serializers.serialize_receipt, receipts)))


@router.get("/receipts/{receipt_id}", response_model=resources.ReceiptResponse)
def get_receipt(memory: MemoryDep, user: UserId, receipt_id: str) -> Response:
    """Get the receipt of a recall (`last` is the newest): used and left-out passages, reasons, scores, timings."""
    return json_response(serializers.serialize_receipt(memory.receipts.get(receipt_id, user_id=user)))


@router.post("/why-not", response_model=resources.WhyNotResponse)
def explain_absence(memory: MemoryDep, user: UserId, body: requests.WhyNotRequest) -> Response:
    """Explain why a memory or message would not be recalled for a query."""
    absence = memory.receipts.why_not(body.query, body.memory_id, user_id=user, chat_id=body.chat_id)
    return json_response(serializers.serialize_why_not(absence))


@router.post(
    "/feedback", response_model=resources.FeedbackResponse, status_code=201, dependencies=[IdempotencyKey]
)
def add_feedback(memory: MemoryDep, user: UserId, body: requests.FeedbackRequest) -> Response:
    """Record whether a recalled passage was relevant to the query; tuning uses it."""
    feedback = memory.receipts.feedback(body.receipt_id, body.item_id, relevant=body.relevant, user_id=user)
    return json_response(serializers.serialize_feedback(feedback), 201)
