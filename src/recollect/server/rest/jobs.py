"""Queued work: what waits, what failed and why, and trying it again."""

from typing import Annotated

from fastapi import Path, Response

from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.library.memory import Memory
from recollect.serialization import serializers
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.routing import Limit, subject

router = subject("jobs", "/api/jobs")


@router.get("", response_model=reports.Jobs)
def list_jobs(memory: MemoryDoor, user: UserId, limit: Limit = 100) -> Response:
    """Queued, running and parked jobs, oldest first. A parked one says why it was given up."""
    listed = memory.runtime.store.jobs.list(Scope(user), limit=limit)
    return answer(serializers.results(map(serializers.job, listed)))


@router.post("/retry", response_model=reports.Retried)
def retry_all(memory: MemoryDoor, user: UserId) -> Response:
    """Make every parked job ready again."""
    return answer({"retried": _retried(memory, user)})


@router.post("/{job_id}/retry", response_model=reports.Retried)
def retry(memory: MemoryDoor, user: UserId, job_id: Annotated[int, Path(ge=0, le=2**63 - 1)]) -> Response:
    """Make a parked job ready again."""
    if not _retried(memory, user, job_id):
        raise NotFound(f"There is no parked job {job_id} for this user. GET /api/jobs lists them.")
    return answer({"retried": 1})


def _retried(memory: Memory, user: str, job_id: int | None = None) -> int:
    runtime = memory.runtime
    retried = runtime.store.jobs.retry(Scope(user), job_id=job_id, now=runtime.engine.clock.now())
    runtime.worker.wake()
    return retried
