"""The `export` and `import` commands."""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer, parse_path
from recollect.cli.drain import drain_queue, progress_bar
from recollect.domain.import_report import (
    ImportCounts,
    ImportPreview,
    ImportProgress,
    ImportUndoReport,
)
from recollect.domain.reason import ReasonCode
from recollect.domain.setting import closest_name
from recollect.errors import InvalidInput
from recollect.hosts.transcripts import TRANSCRIPT_PLACES
from recollect.interchange.exports import ExportFile, ExportFormat
from recollect.interchange.formats import FORMAT_NAMES, ImportFormat, ImportSource
from recollect.interchange.items import OmissionReason
from recollect.library.file_exports import write_export
from recollect.library.file_imports import ImportInput, name_source, open_import, preview_import, run_import
from recollect.library.transcript_watch import (
    TranscriptFolder,
    TranscriptWatcher,
    find_transcripts,
    transcript_folders,
)
from recollect.serialization import interchange as serializers
from recollect.serialization.reasons import reason_label, render_reason, serialize_reasons
from recollect.serialization.serializers import JsonObject, wrap_results

app = make_typer()

#: Damaged parts that are printed; all are counted.
MAX_PRINTED_PARTS = 5
IMPORT_HINT = (
    "What was imported is stored and found by its words. Run the same command again to continue; a server or"
    " `recollect worker` embeds the rest."
)
STDIN = Path("-")
OMISSION_LABELS: Mapping[str, str] = {
    OmissionReason.MALFORMED_JSON: "not valid JSON",
    OmissionReason.TRUNCATED: "the file ends too early",
    OmissionReason.UNEXPECTED_SHAPE: "a required field is missing or has the wrong type",
    OmissionReason.INVALID_DATE: "invalid date; imported without it",
    OmissionReason.BROKEN_TREE: "a parent message is missing; the readable part is imported",
    OmissionReason.DUPLICATE_ID: "id used twice",
    OmissionReason.UNREADABLE_FILE: "the file cannot be read",
    OmissionReason.UNKNOWN_FORMAT: "format not recognized",
    OmissionReason.DO_NOT_REMEMBER: "conversation excluded from memory there",
    OmissionReason.HIDDEN_MESSAGE: "message hidden from you there",
    OmissionReason.SYSTEM_MESSAGE: "system message",
    OmissionReason.TOOL_MESSAGE: "tool output",
    OmissionReason.REASONING: "the model's reasoning",
    OmissionReason.MEDIA: "images, audio and other media",
    OmissionReason.EMPTY_TEXT: "without text",
    OmissionReason.TOO_LONG: "too long for a message",
    OmissionReason.INJECTED_TEXT: "text written by a program, not by you",
    OmissionReason.NOT_A_STATEMENT: "text between the items of a list",
    OmissionReason.FORGOTTEN_MEMORY: "deleted or inactive there",
}
#: Imports by --watch have this name and the day.
WATCH_SOURCE = "watched transcripts"


@app.command(
    epilog=format_examples(
        "recollect export ana.jsonl",
        "recollect export --format markdown notes/",
        "recollect export --format compact | jq '.[].c'",
    )
)
@command
def export(
    ctx: CommandContext,
    path: Annotated[
        Path | None,
        typer.Argument(
            parser=parse_path, metavar="[FILE|FOLDER]", help="Where to write; default: standard output."
        ),
    ] = None,
    export_format: Annotated[
        ExportFormat,
        typer.Option("--format", metavar="F", help=f"{', '.join(ExportFormat)}.", show_choices=False),
    ] = ExportFormat.PACK,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Overwrite files without asking.")] = False,
) -> None:
    """
    Export your data.

    `pack` has everything without loss: chats, memories with their versions, summaries, files and settings. `markdown`
    (a file for each memory, for Obsidian), `basic-memory`, `mcp`, `mem0` and `compact` have the active memories for
    other programs; `openai` has the chats, a line each. `recollect import` reads all of them.
    """
    with ctx.open_session() as session:
        files = session.services.exports.export(session.scope(), export_format)
        if path is None:
            _print_export(ctx, [*files], export_format)
            return
        if path.is_file() or (export_format.is_folder and path.is_dir() and any(path.iterdir())):
            ctx.confirm(f"{path} already exists. Overwrite it?", yes=yes)
        report = write_export(files, export_format, path, overwrite=True)
    files_part = render.format_count(report.files, "file", "files")
    ctx.print_result(
        serializers.serialize_export(report), f"Wrote {files_part} ({report.bytes:,} bytes) to {report.path}."
    )


def _print_export(ctx: CommandContext, files: Sequence[ExportFile], export_format: ExportFormat) -> None:
    if export_format.is_folder and ctx.is_text:
        raise InvalidInput(f"The format {export_format} is a folder of files. Name the folder.")
    if ctx.is_text:
        for file in files:
            ctx.print_raw(file.text)
    else:
        texts: list[JsonObject] = [{"name": file.name, "text": file.text} for file in files]
        ctx.print_result({"format": export_format, "files": [*texts]})


@app.command(
    "import",
    epilog=format_examples(
        "recollect import chatgpt-export.zip --dry-run",
        "recollect import claude-code",
        "recollect import --watch",
        "pbpaste | recollect import -",
        "recollect import --undo last",
    ),
)
@command
def import_(
    ctx: CommandContext,
    path: Annotated[
        Path | None,
        typer.Argument(
            parser=parse_path,
            metavar="[FILE|FOLDER|AGENT|-]",
            help=f"What to import; - reads standard input. Agents: {', '.join(TRANSCRIPT_PLACES)}.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be imported.")] = False,
    branches: Annotated[
        bool, typer.Option("--branches", help="Import edited and regenerated versions of messages too.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Keep importing what is added to transcripts, by default of all agents."
        ),
    ] = False,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", min=0.1, help="With --watch: time between two looks."),
    ] = 60.0,
    undo: Annotated[
        str | None, typer.Option("--undo", metavar="ID", help="Undo an import; `last` is the newest.")
    ] = None,
    list_imports: Annotated[bool, typer.Option("--list", help="List the imports.")] = False,
    yes: YesOption = False,
) -> None:
    """
    Import your history from other applications.

    Reads exports of ChatGPT, Claude, Gemini, Open WebUI and LibreChat, transcripts of Claude Code, Codex, Gemini CLI,
    Cursor and OpenCode, and memories of mem0, Letta, MemPalace, Basic Memory, the MCP memory server and Recollect.
    Files are recognized by their content; ZIP archives need not be unpacked. A pasted list of statements works too.

    Chats keep their dates, and what you had deleted, edited away or excluded from memory is left out. Importing twice
    adds nothing. An interrupted import continues when the command is run again. `--undo` removes all of an import.

    Coding agents delete their transcripts after some weeks. `--watch` follows the folder of an agent, or of all that
    are found, until Ctrl-C; what it adds on one day is one import.
    """
    if undo is not None:
        _undo(ctx, undo, yes=yes)
    elif list_imports:
        _print_imports(ctx)
    elif watch:
        _watch(ctx, path, every=every, branches=branches)
    elif path is None:
        raise InvalidInput("Name the file or folder to import, or - for standard input.")
    elif dry_run:
        _preview(ctx, path, branches=branches)
    else:
        _import(ctx, path, branches=branches)


def _preview(ctx: CommandContext, path: Path, *, branches: bool) -> None:
    files = _open(path)
    with ctx.open_session_or_empty() as session:
        preview = preview_import(session.application, session.scope(), files, branches=branches)
        model = session.model.model_id if session.model else None
    payload = serializers.serialize_import_preview(preview, model=model)
    ctx.print_result(
        payload, render.fields({**_describe_counts(preview.counts), **_describe_cost(preview, model)})
    )
    _warn_damage(ctx, preview.counts)


def _import(ctx: CommandContext, path: Path, *, branches: bool) -> None:
    files = _open(path)
    ctx.options.resume_hint = IMPORT_HINT
    with ctx.open_session(creates=True) as session:
        expected = session.services.imports.count_items(files, with_branches=branches)
        with progress_bar(ctx.stderr, "Importing", total=expected) as bar:

            def update_bar(progress: ImportProgress) -> None:
                bar.update(done=progress.items, total=max(expected, progress.items))

            report = run_import(
                session.application,
                session.scope(),
                files,
                name=f"transcripts of {path}" if _is_agent(path) else name_source(path),
                branches=branches,
                progress=update_bar,
                expected_items=expected,
            )
        if report.queued_passages:
            texts = render.format_count(report.queued_passages, "text")
            ctx.info(f"Stored, and found by words now. Embedding {texts}.")
        remaining = drain_queue(ctx, session)
    payload: JsonObject = {
        **serializers.serialize_import_report(report),
        "degraded": serialize_reasons(remaining.degradations),
    }
    ctx.print_result(payload, render.fields(_describe_counts(report.counts)))
    if report.import_id:
        ctx.info(f"Undo all of it: recollect import --undo {report.import_id}")
    _warn_damage(ctx, report.counts)
    ctx.warn_all(remaining.warnings)


def _watch(ctx: CommandContext, path: Path | None, *, every: float, branches: bool) -> None:
    """Import what changes in transcripts until Ctrl-C."""
    folders = _find_folders(path)
    if not folders:
        raise InvalidInput("No transcripts of a coding agent were found. Name the folder to watch.")
    ctx.info(f"Watching {', '.join(str(each.path) for each in folders)}. Ctrl-C stops.")
    watcher = TranscriptWatcher(folders=folders)
    try:
        while True:
            if files := watcher.take_changed():
                _import_changed(ctx, files, branches=branches)
            time.sleep(every)
    except KeyboardInterrupt:
        ctx.info("Stopped. The next --watch imports what is added meanwhile.")


def _import_changed(ctx: CommandContext, files: Sequence[ImportSource], *, branches: bool) -> None:
    with ctx.open_session(creates=True) as session:
        try:
            report = run_import(
                session.application,
                session.scope(),
                files,
                name=f"{WATCH_SOURCE} {session.application.clock.now():%Y-%m-%d}",
                branches=branches,
                extends_finished=True,
            )
        except InvalidInput as error:
            # A file that is no transcript; watching the others continues.
            ctx.warn(str(error))
            return
        remaining = drain_queue(ctx, session)
    if report.import_id:
        ctx.print_result(serializers.serialize_import_report(report), _describe_added(report.counts))
    ctx.warn_all(remaining.warnings)


def _describe_added(counts: ImportCounts) -> str:
    sources = ", ".join(map(_format_name, counts.files))
    return f"{_join_counts(_new_counts(counts))} of {sources}"


def _find_folders(path: Path | None) -> Sequence[TranscriptFolder]:
    if path is None:
        return transcript_folders()
    if path.exists():
        return [TranscriptFolder(path=path)]
    return transcript_folders([str(path)])


def _is_agent(path: Path) -> bool:
    return str(path) in TRANSCRIPT_PLACES and not path.exists()


def _open(path: Path) -> Sequence[ImportSource]:
    if _is_agent(path):
        if not (files := find_transcripts(transcript_folders([str(path)]))):
            raise InvalidInput(f"There are no transcripts of {path} on this machine.")
        return files
    if not path.exists() and (agent := closest_name(str(path), [*TRANSCRIPT_PLACES])):
        raise InvalidInput(f"There is no file or folder {path}. Did you mean {agent}?")
    source: ImportInput = sys.stdin.buffer if path == STDIN else path
    return open_import(source)


def _undo(ctx: CommandContext, import_id: str, *, yes: bool) -> None:
    with ctx.open_session() as session:
        services, scope = session.services, session.scope()
        record = services.imports.get(scope, import_id)
        question = (
            f"Delete what was imported from {record.source} on {render.format_date(record.started_at)}?"
        )
        ctx.confirm(question, yes=yes)
        report = services.imports.undo(scope, record.id, session.policy())
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {"import_id": record.id, **serializers.serialize_import_undo(report)},
        f"Deleted {_join_counts(_undo_counts(report))}, and what was learned from them.",
    )
    for each in report.kept:
        ctx.info(f"Kept: {render_reason(each)}")
    ctx.warn_all(remaining.warnings)


def _print_imports(ctx: CommandContext) -> None:
    with ctx.open_session() as session:
        records = session.services.imports.list_imports(session.scope())
    rows = [
        (
            each.id,
            render.format_time(each.started_at),
            "finished" if each.finished_at else "interrupted",
            each.source,
        )
        for each in records
    ]
    ctx.print_result(
        wrap_results(map(serializers.serialize_import_record, records)),
        render.table("!id", "!started", "!state", "source", rows=rows) if rows else "Nothing was imported.",
    )


def _describe_counts(counts: ImportCounts) -> dict[str, object]:
    dates = [render.format_date(each) for each in (counts.oldest, counts.newest) if each is not None]
    return {
        "recognized": ", ".join(
            f"{_format_name(name)} ({render.format_count(count, 'file', 'files')})"
            for name, count in counts.files.items()
        ),
        "new": _join_counts(_new_counts(counts)),
        "dates": " to ".join(dict.fromkeys(dates)),
        "known already": f"{counts.duplicates:,}" if counts.duplicates else "",
        "left branches": f"{counts.branches:,} (--branches imports them)" if counts.branches else "",
        "redacted secrets": ", ".join(
            f"{count:,} {name.replace('_', ' ')}" for name, count in sorted(counts.secrets.items())
        ),
        "left out": "\n".join(
            f"{count:,} × {_omission_label(name)}" for name, count in sorted(counts.omissions.items())
        ),
    }


def _describe_cost(preview: ImportPreview, model: str | None) -> dict[str, object]:
    seconds = preview.embedding_seconds
    by_model = f"{preview.tokens:,} tokens are read by {model}" if model else "0 (rules, no language model)"
    return {
        "texts to embed": f"{preview.passages:,}",
        "time for that": None if seconds is None else f"about {render.format_duration(seconds)}",
        "model tokens": by_model if preview.tokens else "",
    }


def _new_counts(counts: ImportCounts) -> Mapping[tuple[str, str], int]:
    return {
        ("conversation", "conversations"): counts.conversations,
        ("message", "messages"): counts.messages,
        ("memory", "memories"): counts.memories,
        ("context file", "context files"): counts.context_files,
    }


def _undo_counts(report: ImportUndoReport) -> Mapping[tuple[str, str], int]:
    return {
        ("message", "messages"): report.messages,
        ("memory", "memories"): report.memories,
        ("context file", "context files"): report.context_files,
    }


def _join_counts(counts: Mapping[tuple[str, str], int]) -> str:
    parts = (render.format_count(count, *names) for names, count in counts.items() if count)
    return ", ".join(parts) or "nothing"


def _omission_label(name: str) -> str:
    return OMISSION_LABELS.get(name) or reason_label(ReasonCode(name))


def _format_name(name: str) -> str:
    return FORMAT_NAMES[ImportFormat(name)] if name in set(ImportFormat) else name


def _warn_damage(ctx: CommandContext, counts: ImportCounts) -> None:
    parts: Iterable[str] = (
        f"{each.file}, {each.position}: {_omission_label(each.reason)}"
        f"{f' ({each.detail})' if each.detail else ''}"
        for each in counts.damaged_parts[:MAX_PRINTED_PARTS]
    )
    ctx.warn_all([*parts])
    if (others := len(counts.damaged_parts) - MAX_PRINTED_PARTS) > 0:
        ctx.warn(f"{others:,} more parts could not be read; --json lists them.")
