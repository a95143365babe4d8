"""Summaries of conversations: read, or made now."""

from fastapi import Response

from recollect.domain.scope import Scope
from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import resources
from recollect.server.rest.routing import Limit, OnceOnly, subject

router = subject("summaries", "/api/memory")


@router.get("/summaries", response_model=resources.Summaries)
def summaries(memory: MemoryDoor, user: UserId, chat_id: str | None = None, limit: Limit = 20) -> Response:
    """Summaries of all conversations, or of one, the newest first."""
    return answer(memory.summaries(chat_id=chat_id, user_id=user, limit=limit))


@router.post("/summaries", response_model=resources.Summaries, dependencies=[OnceOnly])
def summarise_now(memory: MemoryDoor, user: UserId, body: requests.SummariseNow) -> Response:
    """Summarise a chat now, whether or not it is due; empty if nothing was said since the last time."""
    memory.runtime.store.chats.get(Scope(user, body.chat_id))
    return answer(memory.summarise(body.chat_id, user_id=user))
