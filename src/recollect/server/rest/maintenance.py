"""The gardener: what has faded is put away, and what says the same becomes one."""

from typing import Annotated

from fastapi import Query, Response

from recollect.server import requests
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.routing import OnceOnly, subject

router = subject("garden", "/api/memory")


@router.post("/garden", response_model=reports.Tended, dependencies=[OnceOnly])
def garden(memory: MemoryDoor, user: UserId, body: requests.Gardening | None = None) -> Response:
    """Do what is due in the garden, or with `dry_run` only say what that would be."""
    return answer(memory.garden(dry_run=body is not None and body.dry_run, user_id=user))


@router.get("/garden/forecast", response_model=reports.Tended)
def forecast(
    memory: MemoryDoor,
    user: UserId,
    weeks: Annotated[int, Query(ge=1, le=520, description="How far to look.")] = 8,
) -> Response:
    """What will be put away within so many weeks if nothing is said again."""
    return answer(memory.forecast(weeks=weeks, user_id=user))
