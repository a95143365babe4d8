"""Health checks and recall analytics."""

from typing import Annotated

from fastapi import Query, Response

from recollect.serialization import serializers
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import operations
from recollect.server.rest.routing import AdminPrincipal, create_router

router = create_router("metrics", "/api")


@router.get("/doctor", response_model=operations.DoctorResponse)
def run_doctor(
    memory: MemoryDep,
    admin: AdminPrincipal,
    deep: Annotated[
        bool, Query(description="Compare every index entry with its text; takes longer.")
    ] = False,
) -> Response:
    """Check the database, the embedder and the job queue without changing anything. Admins only."""
    return json_response(
        serializers.serialize_doctor_report(memory.maintenance.doctor(deep=deep, user_id=admin.user))
    )


@router.get("/memory/insights", response_model=operations.AnalyticsResponse)
def get_analytics(
    memory: MemoryDep,
    user: UserId,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="Length of the period, back from now.")] = 168,
    steps: Annotated[int, Query(ge=1, le=200, description="Number of intervals in the period.")] = 28,
) -> Response:
    """Return recall quality and latency per interval, recent recalls, and outcomes of ingestion."""
    analytics = memory.maintenance.analytics(hours=hours, interval_count=steps, user_id=user)
    return json_response(serializers.serialize_analytics(analytics))
