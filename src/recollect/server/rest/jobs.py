"""The job queue: list jobs and retry failed ones."""

from typing import Annotated

from fastapi import Path, Response

from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.library.memory import Memory
from recollect.serialization import serializers
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import Limit, create_router

router = create_router("jobs", "/api/jobs")


@router.get("", response_model=reports.JobListResponse)
def list_jobs(memory: MemoryDep, user: UserId, limit: Limit = 100) -> Response:
    """List queued, running and failed (`dead`) jobs, oldest first. Failed jobs have a reason."""
    jobs = memory.application.services.jobs.list(Scope(user), limit=limit)
    return json_response(serializers.wrap_results(map(serializers.serialize_job, jobs)))


@router.post("/retry", response_model=reports.RetryJobsResponse)
def retry_all_jobs(memory: MemoryDep, user: UserId) -> Response:
    """Queue all failed jobs again."""
    return json_response({"retried": _retry_jobs(memory, user)})


@router.post("/{job_id}/retry", response_model=reports.RetryJobsResponse)
def retry_job(memory: MemoryDep, user: UserId, job_id: Annotated[int, Path(ge=0, le=2**63 - 1)]) -> Response:
    """Queue a failed job again."""
    if not _retry_jobs(memory, user, job_id):
        raise NotFound(f"This user has no failed job {job_id}. GET /api/jobs lists all jobs.")
    return json_response({"retried": 1})


def _retry_jobs(memory: Memory, user: str, job_id: int | None = None) -> int:
    runtime = memory.application
    retried_count = runtime.services.jobs.retry(Scope(user), job_id=job_id)
    runtime.worker.wake()
    return retried_count
