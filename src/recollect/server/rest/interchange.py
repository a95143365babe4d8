"""Everything about a user out of this memory and into another: a pack that loses nothing."""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.errors import InvalidInput
from recollect.library.pack import packed, unpacked
from recollect.library.pack_import import take_in
from recollect.server.dependencies import MemoryDoor, UserId
from recollect.server.json_response import answer
from recollect.server.responses import reports
from recollect.server.rest.routing import OnceOnly, subject

router = subject("export and import", "/api")
NDJSON = "application/x-ndjson"
PACK = {"schema": {"type": "string"}, "example": '{"recollect":1,"user":"ana","parts":{}}\n'}


@router.get("/export", response_class=Response, responses={200: {"content": {NDJSON: PACK}}})
def export(memory: MemoryDoor, user: UserId) -> Response:
    """
    Chats, messages, memories with their versions, summaries, context files, consents, profile, preferences and what
    was forgotten (as hashes), one JSON object a line behind a manifest with the hash of each part.
    """
    name = 'attachment; filename="recollect.jsonl"'
    return StreamingResponse(
        packed(memory.runtime, user), media_type=NDJSON, headers={"Content-Disposition": name}
    )


@router.post(
    "/import",
    response_model=reports.Imported,
    dependencies=[OnceOnly],
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: PACK}}},
)
async def import_(
    request: Request,
    memory: MemoryDoor,
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
    pack = await run_in_threadpool(unpacked, text)
    arrival = await run_in_threadpool(take_in, memory.runtime, user, pack, dry_run=dry_run)
    return answer(arrival.shape(dry_run=dry_run))
