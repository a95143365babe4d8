"""Is everything as it should be, and how recall went over time."""

from typing import Annotated

from fastapi import Query, Response

from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, create_router

router = create_router("measures", "/api")


@router.get("/doctor", response_model=operations.DoctorResponse)
def run_doctor(
    memory: MemoryDep,
    admin: AdminPrincipal,
    deep: Annotated[
        bool, Query(description="Compare every index entry with its text; takes longer.")
    ] = False,
) -> Response:
    """Look at the file, the embedder and the queue, and say what to do; nothing is changed. For admins."""
    return json_response(memory.check(deep=deep, user_id=admin.user))


@router.get("/memory/insights", response_model=operations.AnalyticsResponse)
def get_analytics(
    memory: MemoryDep,
    user: UserId,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="How far to look back.")] = 168,
    steps: Annotated[int, Query(ge=1, le=200, description="Into how many steps to cut it.")] = 28,
) -> Response:
    """How well and how fast recall went, step by step, with a receipt for each; and what became of messages."""
    return json_response(memory.analytics(hours=hours, interval_count=steps, user_id=user))
