"""Is everything as it should be, and how recall went over time."""

from typing import Annotated

from fastapi import Query, Response

from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import operations
from recollect.server.rest.routing import Admin, subject

router = subject("measures", "/api")


@router.get("/doctor", response_model=operations.Examined)
def doctor(
    memory: MemoryDoor,
    admin: Admin,
    deep: Annotated[
        bool, Query(description="Compare every index entry with its text; takes longer.")
    ] = False,
) -> Response:
    """Look at the file, the embedder and the queue, and say what to do; nothing is changed. For admins."""
    return answer(memory.examine(deep=deep, user_id=admin.user))


@router.get("/memory/insights", response_model=operations.Insights)
def insights(
    memory: MemoryDoor,
    user: UserId,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="How far to look back.")] = 168,
    steps: Annotated[int, Query(ge=1, le=200, description="Into how many steps to cut it.")] = 28,
) -> Response:
    """How well and how fast recall went, step by step, with a receipt for each; and what became of messages."""
    return answer(memory.insights(hours=hours, number=steps, user_id=user))
