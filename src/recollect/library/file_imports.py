"""Import of files by the library, the command line and the server: chats, memories, and packs."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeAlias

from recollect.bootstrap import Application, find_import_files, read_import_stream
from recollect.domain.import_report import (
    ImportCounts,
    ImportPreview,
    ImportProgress,
    ImportReport,
    OmittedPart,
)
from recollect.domain.import_result import PackImportReport
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.interchange.formats import ImportSource
from recollect.interchange.pack_format import parse_pack
from recollect.serialization.reasons import render_reason
from recollect.services.imports import MAX_DAMAGED_PARTS, ignore_progress

ImportInput: TypeAlias = str | Path | BinaryIO
Progress: TypeAlias = Callable[[ImportProgress], None]
STREAM_NAME = "standard input"
#: The first characters of a pack: its manifest names the format first.
PACK_HEAD = '{"recollect"'


def open_import(source: ImportInput) -> Sequence[ImportSource]:
    """Return the files of a path or a stream."""
    if isinstance(source, str | Path):
        return find_import_files(Path(source))
    return read_import_stream(STREAM_NAME, source.read())


def run_import(
    application: Application,
    scope: Scope,
    files: Sequence[ImportSource],
    *,
    name: str,
    branches: bool = False,
    extends_finished: bool = False,
    progress: Progress | None = None,
    expected_items: int | None = None,
) -> ImportReport:
    """
    Import files; `name` is what an interrupted import is continued by, and with `extends_finished` a finished one. A
    pack restores all data instead.
    """
    imports = application.services.imports
    if pack := _read_pack(files):
        counts = _import_pack(application, scope.user, pack, dry_run=False)
        return ImportReport(import_id=None, counts=counts, queued_passages=0, seconds=0.0)
    if progress and expected_items is None:
        expected_items = imports.count_items(files, with_branches=branches)
    return imports.run(
        scope,
        files,
        application.policy(scope.user),
        source=name,
        with_branches=branches,
        extends_finished=extends_finished,
        expected_items=expected_items,
        on_progress=progress or ignore_progress,
    )


def preview_import(
    application: Application,
    scope: Scope,
    files: Sequence[ImportSource],
    *,
    branches: bool = False,
    progress: Progress | None = None,
) -> ImportPreview:
    """Return what an import of these files would add."""
    if pack := _read_pack(files):
        counts = _import_pack(application, scope.user, pack, dry_run=True)
        return ImportPreview(counts=counts, tokens=0, passages=0, embedding_seconds=None)
    return application.services.imports.preview(
        scope,
        files,
        application.policy(scope.user),
        with_branches=branches,
        on_progress=progress or ignore_progress,
    )


def name_source(source: ImportInput) -> str:
    """Return the name under which an interrupted import is continued."""
    return str(Path(source).absolute()) if isinstance(source, str | Path) else STREAM_NAME


def _read_pack(files: Sequence[ImportSource]) -> str | None:
    """Return the text of a pack, which is always one file."""
    if len(files) != 1:
        return None
    with suppress(InvalidInput):  # a damaged file is reported when it is imported
        head = "".join(islice(files[0].chunks(), 1)).lstrip()
        if not files[0].tables() and head.startswith(PACK_HEAD):
            return "".join(files[0].chunks())
    return None


def _import_pack(application: Application, user: str, text: str, *, dry_run: bool) -> ImportCounts:
    return _count_pack(application.import_pack(user, parse_pack(text), dry_run=dry_run))


def _count_pack(report: PackImportReport) -> ImportCounts:
    imported = report.imported_counts
    return ImportCounts(
        files={"pack": 1},
        conversations=imported["chats"],
        messages=imported["messages"],
        memories=imported["memories"],
        context_files=imported["context_files"],
        duplicates=report.known_counts.total(),
        omissions=dict(Counter(reason.code.value for _, _, reason in report.skipped_items)),
        damaged_parts=[
            OmittedPart(file=part, position=name, reason=reason.code, detail=render_reason(reason))
            for part, name, reason in report.skipped_items[:MAX_DAMAGED_PARTS]
        ],
    )
