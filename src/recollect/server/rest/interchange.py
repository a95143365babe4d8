"""Import of files from other applications, and exports."""

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeAlias

from anyio import open_file
from fastapi import Path, Query, Request, Response
from starlette.responses import StreamingResponse

from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.interchange.exports import ExportFile, ExportFormat
from recollect.interchange.formats import ImportSource
from recollect.library.file_imports import open_import
from recollect.serialization import interchange as serializers
from recollect.serialization.serializers import wrap_results
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.import_jobs import ImportJob, answer_import
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("export and import", "/api")
NDJSON_MEDIA_TYPE = "application/x-ndjson"
MEDIA_TYPES = {".jsonl": NDJSON_MEDIA_TYPE, ".json": "application/json"}
ZIP_MEDIA_TYPE = "application/zip"
PACK_CONTENT = {"schema": {"type": "string"}, "example": '{"recollect":1,"user":"ana","parts":{}}\n'}
EXPORT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            NDJSON_MEDIA_TYPE: PACK_CONTENT,
            "application/json": {"schema": {}},
            ZIP_MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}},
        }
    }
}
IMPORT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The report, or with `stream` a stream of events.",
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "event": {"enum": ["progress", "done", "error"]},
                        "data": {"type": "string", "description": "A JSON object."},
                    },
                },
                "example": 'event: progress\ndata: {"file":"conversations.json","items":100,"expected_items":5000,'
                '"remaining_seconds":42.0}\n\n',
            }
        },
    }
}
IMPORT_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
MAX_NAME_CHARS = 200
DryRun: TypeAlias = Annotated[bool, Query(description="Only report what would be imported.")]
WithBranches: TypeAlias = Annotated[
    bool, Query(description="Import edited and regenerated versions of messages too.")
]
AsStream: TypeAlias = Annotated[bool, Query(description="Respond with a stream of progress events.")]
_UNSAFE_NAME_CHARACTERS = re.compile(r"[^\w .()+-]+")


@router.get("/export", response_class=Response, responses=EXPORT_RESPONSES)
def export_data(
    memory: MemoryDep,
    user: UserId,
    export_format: Annotated[
        ExportFormat, Query(alias="format", description="What is exported, and how it is written.")
    ] = ExportFormat.PACK,
) -> Response:
    """
    Export a user's data as a file.

    `pack` has everything without loss, as newline-delimited JSON: its first line is a manifest with a hash of each
    part; then follow chats, messages, memories with their versions, summaries, context files, consents, profile,
    preferences and tombstones of forgotten memories (as hashes). `markdown` and `basic-memory` are ZIP archives of
    the active memories, `mcp`, `mem0` and `compact` one file of them; `openai` has the chats.
    """
    files = memory.application.services.exports.export(Scope(user), export_format)
    if export_format.is_folder:
        return _attach(_zip_files([*files]), ZIP_MEDIA_TYPE, f"recollect-{export_format}.zip")
    [file] = files
    return _attach(file.parts, MEDIA_TYPES[export_format.suffix], file.name)


@router.post(
    "/import", response_model=reports.ImportResponse, responses=IMPORT_RESPONSES, openapi_extra=IMPORT_BODY
)
async def import_file(
    request: Request,
    memory: MemoryDep,
    user: UserId,
    name: Annotated[
        str,
        Query(
            max_length=MAX_NAME_CHARS,
            description="The name of the file. An interrupted import of the same name is continued.",
        ),
    ] = "upload",
    dry_run: DryRun = False,
    branches: WithBranches = False,
    stream: AsStream = False,
) -> Response:
    """
    Import a file, which is recognized by its content: an export of another application, a transcript of a coding agent,
    memories, a list of statements, a pack, or a ZIP archive of these.

    Send the file as the body. Importing it again adds nothing. If the request ends early, the import stops, and the
    next one of the same name continues it. The report has the id for the undo; of a pack, which restores all data in
    one transaction, there is none.
    """
    folder = TemporaryDirectory(prefix="recollect-import-")
    try:
        path = FilePath(folder.name) / _safe_name(name)
        await _save_body(request, path)
    except BaseException:
        folder.cleanup()
        raise

    def open_files() -> Sequence[ImportSource]:
        return open_import(path)

    job = ImportJob(
        memory=memory,
        scope=Scope(user),
        name=name,
        open_files=open_files,
        resource=folder,
        dry_run=dry_run,
        branches=branches,
    )
    return await answer_import(job, stream=stream)


@router.get("/import", response_model=reports.ImportListResponse)
def list_imports(memory: MemoryDep, user: UserId) -> Response:
    """List the newest 20 imports, without those that were undone. `last` is the id of the newest."""
    records = memory.imports.list(user_id=user)
    return json_response(wrap_results(map(serializers.serialize_import_record, records)))


@router.post(
    "/import/{import_id}/undo", response_model=reports.ImportUndoResponse, dependencies=[IdempotencyKey]
)
def undo_import(memory: MemoryDep, user: UserId, import_id: Annotated[str, Path(max_length=100)]) -> Response:
    """Delete what an import added, with what was learned from it. What changed since then is kept and named."""
    return json_response(serializers.serialize_import_undo(memory.imports.undo(import_id, user_id=user)))


async def _save_body(request: Request, path: FilePath) -> None:
    """Write the body to a file while it arrives: exports may have hundreds of megabytes."""
    size = 0
    async with await open_file(path, "wb") as file:
        async for part in request.stream():
            size += len(part)
            await file.write(part)
    if not size:
        raise InvalidInput("The body is empty. Send the file to import as the body.")


def _safe_name(name: str) -> str:
    """Return a name for the temporary file: reports show it, and it must not lead outside its folder."""
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE_NAME_CHARACTERS.sub("_", last).strip(". ")[-100:] or "upload"


def _zip_files(files: Sequence[ExportFile]) -> list[bytes]:
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                # A fixed date: the same memories give the same archive.
                archive.writestr(zipfile.ZipInfo(file.name), file.text, zipfile.ZIP_DEFLATED)
        return [buffer.getvalue()]


def _attach(parts: Any, media_type: str, name: str) -> Response:  # noqa: ANN401 - texts or bytes
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type=media_type, headers=headers)
