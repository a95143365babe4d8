"""A copy of everything, made while the server runs; it is put back with the server stopped."""

from pathlib import Path

from fastapi import Response
from starlette.exceptions import HTTPException

from recollect.server.dependencies import Asker, MemoryDoor
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.routing import OnceOnly, subject

router = subject("backup", "/api")
#: Beside the memory file; nobody chooses a path from afar.
FOLDER = "backups"


@router.post("/backup", response_model=reports.Backup, status_code=201, dependencies=[OnceOnly])
def back_up(memory: MemoryDoor, asker: Asker) -> Response:
    """
    Copy everything, of all users, into a new file in the folder `backups` beside the memory; for admins.

    It is looked through before it gets its name. `recollect restore` puts it back once the server has stopped.
    """
    if not asker.admin:
        raise HTTPException(403, "A backup holds everybody's memory. Ask with an admin's token.")
    folder = Path(memory.runtime.store.location()).with_name(FOLDER)
    # The memory's own folder may be gone, and then a backup is all that is left.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return answer(memory.backup(folder), 201)
