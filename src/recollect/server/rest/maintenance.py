"""Maintenance: archives decayed memories and merges duplicates."""

from typing import Annotated

from fastapi import Query, Response

from recollect.serialization import serializers
from recollect.server import requests
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("maintenance", "/api/memory")


@router.post("/garden", response_model=reports.MaintenanceReportResponse, dependencies=[IdempotencyKey])
def run_maintenance(
    memory: MemoryDep, user: UserId, body: requests.MaintenanceRequest | None = None
) -> Response:
    """Run the maintenance that is due; with `dry_run` only report it."""
    report = memory.maintenance.run(dry_run=body is not None and body.dry_run, user_id=user)
    return json_response(serializers.serialize_maintenance_report(report))


@router.get("/garden/forecast", response_model=reports.MaintenanceReportResponse)
def forecast_decay(
    memory: MemoryDep,
    user: UserId,
    weeks: Annotated[int, Query(ge=1, le=520, description="Length of the forecast.")] = 8,
) -> Response:
    """List memories that will be archived within the given weeks unless they are mentioned again."""
    report = memory.maintenance.forecast(weeks=weeks, user_id=user)
    return json_response(serializers.serialize_maintenance_report(report))
