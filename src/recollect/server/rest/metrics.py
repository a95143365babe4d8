"""How well and how fast recall goes: for people, for debugging, and for Prometheus."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import PlainTextResponse

from recollect.domain.candidate import Source
from recollect.domain.receipt import Fate, Item
from recollect.domain.scope import Scope
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.prometheus import exposition
from recollect.server.rest.routing import Limit, subject

router = subject("measures")
UNITS = ("B", "KB", "MB", "GB", "TB")


@router.get("/api/memory/metrics", response_model=reports.MetricsReport)
def metrics(memory: MemoryDoor, user: UserId, limit: Limit = 1000) -> Response:
    """How well and how fast the last recalls went, and each of them as a line."""
    return answer(memory.metrics(user_id=user, limit=limit))


@router.get("/api/memory/stats", response_model=reports.Stats)
def stats(memory: MemoryDoor, user: UserId) -> Response:
    """What is stored for a user, and what it weighs in bytes."""
    return answer(memory.stats(user_id=user))


@router.get("/api/memory/debug/retrieval", response_model=reports.DebugRetrieval)
def debug_retrieval(
    memory: MemoryDoor,
    user: UserId,
    q: Annotated[str, Query(min_length=1, description="The question.")],
    conversation_id: Annotated[str | None, Query(alias="conversationId")] = None,
) -> Response:
    """What a question would bring, with scores and timings."""
    runtime = memory.runtime
    policy = runtime.policy(user, chat=conversation_id)
    receipt = runtime.engine.recall(Scope(user, conversation_id), q, policy)
    line = serializers.retrieval(receipt)
    results = [
        {
            "content": item.text,
            "score": round(item.score, 4),
            "source": _channel(item),
            "type": _type(item.source),
        }
        for item in receipt.items
        if item.fate is Fate.RETURNED
    ]
    return answer({"query": q, "results": results, "metrics": line["latency"], "flags": line["flags"]})


@router.get("/api/memory/debug/stats", response_model=reports.DebugStats)
def debug_stats(memory: MemoryDoor, user: UserId) -> Response:
    """What is stored, with the size of each index."""
    held = memory.runtime.store.upkeep.stats(Scope(user))
    shown: Shape = {
        "totalMessages": held.messages,
        "totalConversations": held.chats,
        "totalChunks": held.chunks,
        "totalSummaries": held.summaries,
        "profileConsent": memory.consents(user_id=user)["profile"],
        "indexSizes": {
            "messages": size(held.sizes.get("messages", 0)),
            "embeddings": size(held.sizes.get("embeddings", 0)),
            "fts": size(held.sizes.get("fts", 0)),
        },
    }
    return answer(shown)


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": "recollect_memories 12\n"}}}},
)
def prometheus(request: Request, memory: MemoryDoor, user: UserId) -> Response:
    """The same numbers for Prometheus, about the user of the token."""
    text = exposition(memory, user, request.app.state.traffic)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def size(number: int) -> str:
    """Bytes as people write them: `5.2 MB`."""
    amount, unit = float(number), UNITS[0]
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def _channel(item: Item) -> str:
    """What brought a passage: its meaning, its words, or both."""
    by_meaning, by_words = item.parts.get("dense", 0) > 0, item.parts.get("lexical", 0) > 0
    return "dense+fts" if by_meaning and by_words else "fts" if by_words else "dense"


def _type(source: Source) -> str:
    return "chunk" if source is Source.CHUNK else source.value
