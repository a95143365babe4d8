"""What bears on a question, the block for a prompt, and why something is in it or not."""

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import InTurn, MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import Limit, OnceOnly, subject

router = subject("recall", "/api/memory")


@router.post("/search", response_model=resources.Found, dependencies=[InTurn])
def search(memory: MemoryDoor, user: UserId, body: requests.Question) -> Response:
    """What bears on a question, best first, each with its score and the parts it is made of."""
    found = memory.search(
        body.query,
        user_id=user,
        chat_id=body.chat_id,
        limit=body.limit,
        as_of=body.as_of,
        mode=body.mode,
        settings=body.settings,
        receipt=body.receipt,
    )
    return answer(found)


@router.post("/context", response_model=resources.Context, dependencies=[InTurn])
def context(memory: MemoryDoor, user: UserId, body: requests.ContextWanted) -> Response:
    """The block for the next prompt, never above its budget, and the receipt of it."""
    block = memory.context(
        body.query,
        user_id=user,
        chat_id=body.chat_id,
        budget=body.budget,
        context_ids=body.context_ids,
        mode=body.mode,
        settings=body.settings,
    )
    return answer(block)


@router.get("/receipts", response_model=resources.Receipts)
def receipts(memory: MemoryDoor, user: UserId, chat_id: str | None = None, limit: Limit = 20) -> Response:
    """What was recalled, the newest first."""
    listed = memory.runtime.store.receipts.list(Scope(user, chat_id), limit=limit)
    return answer(serializers.results(map(serializers.receipt, listed)))


@router.get("/receipts/{receipt_id}", response_model=resources.Receipt)
def why(memory: MemoryDoor, user: UserId, receipt_id: str) -> Response:
    """One recall (`last` is the newest): what was used, what was left out and why, scores, timings."""
    return answer(memory.why(receipt_id, user_id=user))


@router.post("/why-not", response_model=resources.Absence)
def why_not(memory: MemoryDoor, user: UserId, body: requests.WhyNot) -> Response:
    """Why a memory or message would not be recalled for a question."""
    return answer(memory.why_not(body.query, body.memory_id, user_id=user, chat_id=body.chat_id))


@router.post("/feedback", response_model=resources.Opinion, status_code=201, dependencies=[OnceOnly])
def feedback(memory: MemoryDoor, user: UserId, body: requests.Feedback) -> Response:
    """Say whether something that was recalled bore on the question; tuning learns from it."""
    said = memory.feedback(body.receipt_id, body.item_id, relevant=body.relevant, user_id=user)
    return answer(said, 201)
