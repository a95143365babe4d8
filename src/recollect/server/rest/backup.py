"""Backups of the whole store, taken while the server runs."""

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.serialization import serializers
from recollect.server.dependencies import CurrentPrincipal, MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("backup", "/api")


@router.post("/backup", response_model=reports.BackupResponse, status_code=201, dependencies=[IdempotencyKey])
def create_backup(memory: MemoryDep, principal: CurrentPrincipal) -> Response:
    """
    Back up the data of all users to a new file in the folder `backups` next to the memory file. Admins only.

    Clients cannot choose the path. The copy is verified before it gets its final name. `recollect restore` restores it
    while the server is stopped.
    """
    if not principal.is_admin:
        raise HTTPException(403, "A backup contains the data of all users. Use an admin's token.")
    backup = memory.application.services.maintenance.backup()
    return json_response(serializers.serialize_backup(backup), 201)
