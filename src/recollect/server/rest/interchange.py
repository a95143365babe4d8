"""Lossless export and import of a user's data as a pack."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.errors import InvalidInput
from recollect.interchange.pack_format import format_pack, parse_pack
from recollect.serialization import serializers
from recollect.server.dependencies import MemoryDep, UserId
from recollect.server.json_response import json_response
from recollect.server.responses import reports
from recollect.server.rest.routing import IdempotencyKey, create_router

router = create_router("export and import", "/api")
NDJSON_MEDIA_TYPE = "application/x-ndjson"
PACK_CONTENT = {"schema": {"type": "string"}, "example": '{"recollect":1,"user":"ana","parts":{}}\n'}


@router.get(
    "/export", response_class=Response, responses={200: {"content": {NDJSON_MEDIA_TYPE: PACK_CONTENT}}}
)
def export_pack(memory: MemoryDep, user: UserId) -> Response:
    """
    Export a user's data as newline-delimited JSON.

    The first line is a manifest with a hash of each part. Then follow chats, messages, memories with their versions,
    summaries, context files, consents, profile, preferences and tombstones of forgotten memories (as hashes).
    """
    runtime = memory.application
    lines = format_pack(runtime.services.packs.collect(user), user=user, created_at=runtime.clock.now())
    name = 'attachment; filename="recollect.jsonl"'
    return StreamingResponse(
        lines,
        media_type=NDJSON_MEDIA_TYPE,
        headers={"Content-Disposition": name},
    )


@router.post(
    "/import",
    response_model=reports.ImportResponse,
    dependencies=[IdempotencyKey],
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON_MEDIA_TYPE: PACK_CONTENT}}},
)
async def import_pack(
    request: Request,
    memory: MemoryDep,
    user: UserId,
    dry_run: Annotated[bool, Query(description="Only report what would be imported.")] = False,
) -> Response:
    """
    Import a pack in one transaction.

    Existing rows are not changed, so a pack can be imported twice. Memories that were forgotten here stay forgotten,
    and data that needs a consent the user has not given is skipped.
    """
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("The pack is not valid UTF-8. Send the exported file unchanged.") from error
    pack = await run_in_threadpool(parse_pack, text)
    result = await run_in_threadpool(memory.application.import_pack, user, pack, dry_run=dry_run)
    return json_response(serializers.serialize_pack_import(result, dry_run=dry_run))
