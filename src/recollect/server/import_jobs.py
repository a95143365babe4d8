"""Imports over HTTP: run in a thread, answered by one report or by a stream of progress events."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass

from fastapi import Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from recollect.domain.import_report import ImportProgress
from recollect.domain.scope import Scope
from recollect.errors import RecollectError
from recollect.interchange.formats import ImportSource
from recollect.library.file_imports import preview_import, run_import
from recollect.library.memory import Memory
from recollect.serialization import interchange as serializers
from recollect.serialization.serializers import JsonObject
from recollect.server.json_response import json_response
from recollect.server.problems import serialize_problem
from recollect.server.streams import HEARTBEAT, CancelToken, ThreadStream, format_event

#: Seconds between two progress events.
PROGRESS_SECONDS = 0.25
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class ImportCancelled(Exception):
    """The client disconnected; the next import of the same name continues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob:
    """The import of some files."""

    memory: Memory
    scope: Scope
    name: str  #: an interrupted import of the same name is continued
    open_files: Callable[[], Sequence[ImportSource]]
    resource: AbstractContextManager[object]  #: what holds the files; released when the job ends
    dry_run: bool
    branches: bool

    def run(self, on_progress: Callable[[ImportProgress], None] | None = None) -> JsonObject:
        """Import the files, and return the report."""
        application = self.memory.application
        with self.resource:
            files = self.open_files()
            if self.dry_run:
                preview = preview_import(
                    application, self.scope, files, branches=self.branches, progress=on_progress
                )
                model = application.chat_model.model_id if application.chat_model else None
                return serializers.serialize_import_preview(preview, model=model)
            try:
                report = run_import(
                    application,
                    self.scope,
                    files,
                    name=self.name,
                    branches=self.branches,
                    progress=on_progress,
                )
            finally:
                application.worker.wake()
        return serializers.serialize_import_report(report)


async def answer_import(job: ImportJob, *, stream: bool) -> Response:
    """Run a job; with `stream`, respond with its progress."""
    if not stream:
        return json_response(await run_in_threadpool(job.run))
    token = CancelToken()

    def produce(send: Callable[[JsonObject], None]) -> None:
        send({"report": job.run(_limit_rate(send, token))})

    events = ThreadStream(produce, token)
    events.start()
    # Errors of the files are known before the first event, and still get their own status.
    first = await events.next()
    return StreamingResponse(
        _stream_events(first, events, token), media_type="text/event-stream", headers=STREAM_HEADERS
    )


def _limit_rate(send: Callable[[JsonObject], None], token: CancelToken) -> Callable[[ImportProgress], None]:
    """Return a callback that sends progress at a limited rate, and cancels the import once the client has left."""
    next_at = 0.0

    def report(progress: ImportProgress) -> None:
        nonlocal next_at
        if token.is_cancelled:
            raise ImportCancelled
        if (now := time.monotonic()) >= next_at:
            next_at = now + PROGRESS_SECONDS
            send({"progress": serializers.serialize_import_progress(progress)})

    return report


async def _stream_events(
    first: JsonObject | None, events: ThreadStream[JsonObject], token: CancelToken
) -> AsyncIterator[bytes]:
    try:
        yield _format_import_event(first)
        async with aclosing(events.pieces()) as pieces:
            async for piece in pieces:
                yield _format_import_event(piece)
    except RecollectError as error:
        yield format_event("error", serialize_problem(error))
    finally:
        token.cancel()


def _format_import_event(piece: JsonObject | None) -> bytes:
    match piece:
        case None:
            return HEARTBEAT
        case {"progress": progress}:
            return format_event("progress", progress)
        case _:
            return format_event("done", piece["report"])
