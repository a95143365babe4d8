"""Backups of the whole store, taken while the server runs."""

from pathlib import Path

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.server.dependencies import CurrentPrincipal, MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("backup", "/api")
#: Next to the memory file. Clients cannot choose the path.
BACKUP_FOLDER_NAME = "backups"


@router.post("/backup", response_model=reports.BackupResponse, status_code=201, dependencies=[IdempotencyKey])
def create_backup(memory: MemoryDep, principal: CurrentPrincipal) -> Response:
    """
    Back up the data of all users to a new file in the folder `backups` next to the memory file. Admins only.

    The copy is verified before it gets its final name. `recollect restore` restores it while the server is stopped.
    """
    if not principal.is_admin:
        raise HTTPException(403, "A backup contains the data of all users. Use an admin's token.")
    folder = Path(memory.application.services.maintenance.location()).with_name(BACKUP_FOLDER_NAME)
    # The memory file's folder may have been deleted while the file is open; the backup then saves the data.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return json_response(memory.backup(folder), 201)
