"""A copy of everything, made while the server runs; it is put back with the server stopped."""

from pathlib import Path

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.server.dependencies import CurrentPrincipal, MemoryDep
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("backup", "/api")
#: Beside the memory file; nobody chooses a path from afar.
BACKUP_FOLDER_NAME = "backups"


@router.post("/backup", response_model=reports.BackupResponse, status_code=201, dependencies=[IdempotencyKey])
def create_backup(memory: MemoryDep, principal: CurrentPrincipal) -> Response:
    """
    Copy everything, of all users, into a new file in the folder `backups` beside the memory; for admins.

    It is looked through before it gets its name. `recollect restore` puts it back once the server has stopped.
    """
    if not principal.is_admin:
        raise HTTPException(403, "A backup holds everybody's memory. Ask with an admin's token.")
    folder = Path(memory.application.store.location()).with_name(BACKUP_FOLDER_NAME)
    # The memory's own folder may be gone, and then a backup is all that is left.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return json_response(memory.backup(folder), 201)
