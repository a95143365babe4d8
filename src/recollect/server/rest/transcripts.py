"""Import of the transcripts that coding agents keep on the machine of the server."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated

from fastapi import Path, Response

from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.hosts.programs import PROGRAMS
from recollect.hosts.transcripts import TRANSCRIPT_PLACES
from recollect.interchange.formats import ImportSource
from recollect.library.transcript_watch import find_transcripts, transcript_folders
from recollect.serialization.serializers import JsonObject, wrap_results
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.import_jobs import ImportJob, answer_import
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.interchange import IMPORT_RESPONSES, AsStream, DryRun, WithBranches
from recollect.server.rest.routing import AdminPrincipal, LocalServer, create_router

router = create_router("export and import", "/api/import/transcripts")


@router.get("", response_model=reports.TranscriptListResponse, dependencies=[LocalServer])
def list_transcripts(_: AdminPrincipal) -> Response:
    """List the coding agents that have transcripts on the server's machine. Admins of a local server only."""
    found = [each for each in map(_describe_transcripts, TRANSCRIPT_PLACES) if each["files"]]
    return json_response(wrap_results(found))


@router.post(
    "/{agent}",
    response_model=reports.ImportResponse,
    responses=IMPORT_RESPONSES,
    dependencies=[LocalServer],
)
async def import_transcripts(
    memory: MemoryDep,
    _: AdminPrincipal,
    user: UserId,
    agent: Annotated[str, Path(max_length=40)],
    dry_run: DryRun = False,
    branches: WithBranches = False,
    stream: AsStream = False,
) -> Response:
    """
    Import the transcripts of a coding agent; importing them again adds what is new.

    Admins of a local server only. Reports and events are those of `POST /api/import`.
    """
    if agent not in TRANSCRIPT_PLACES:
        raise NotFound(f"There is no coding agent {agent!r}. Use one of: {', '.join(TRANSCRIPT_PLACES)}.")

    def open_files() -> Sequence[ImportSource]:
        return find_transcripts(transcript_folders([agent]))

    job = ImportJob(
        memory=memory,
        scope=Scope(user),
        name=f"transcripts of {agent}",
        open_files=open_files,
        resource=nullcontext(),
        dry_run=dry_run,
        branches=branches,
    )
    return await answer_import(job, stream=stream)


def _describe_transcripts(agent: str) -> JsonObject:
    files = [file for folder in transcript_folders([agent]) for file in folder.files()]
    return {
        "agent": agent,
        "title": PROGRAMS[agent].title,
        "files": len(files),
        "bytes": sum(file.stat().st_size for file in files),
    }
