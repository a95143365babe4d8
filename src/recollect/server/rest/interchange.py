"""Everything about a user out of this memory and into another: a pack that loses nothing."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.errors import InvalidInput
from recollect.library.pack import parse_pack, write_pack
from recollect.library.pack_import import import_user_pack
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
    Chats, messages, memories with their versions, summaries, context files, consents, profile, preferences and what
    was forgotten (as hashes), one JSON object a line behind a manifest with the hash of each part.
    """
    name = 'attachment; filename="recollect.jsonl"'
    return StreamingResponse(
        write_pack(memory.application, user),
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
    dry_run: Annotated[bool, Query(description="Change nothing, and say what would be.")] = False,
) -> Response:
    """
    Take a pack in, all of it or none. What is here already stays as it is, so the same pack can be sent twice; what was
    forgotten here does not come back, and what the user did not agree to is left out.
    """
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("The pack is not UTF-8. Send it as it was exported.") from error
    pack = await run_in_threadpool(parse_pack, text)
    arrival = await run_in_threadpool(import_user_pack, memory.application, user, pack, dry_run=dry_run)
    return json_response(arrival.serialize(dry_run=dry_run))
