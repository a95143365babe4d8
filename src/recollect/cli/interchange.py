"""The `export` and `import` commands."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer, read_text_file
from recollect.cli.drain import drain_queue
from recollect.domain.import_result import ImportResult
from recollect.domain.memory import Memory, MemoryStatus
from recollect.errors import InvalidInput
from recollect.interchange.compact import from_compact, to_compact
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject

app = make_typer()


class ExportFormat(StrEnum):
    COMPACT = "compact"  #: one JSON array of short entries; `import` reads it
    JSONL = "jsonl"  #: one JSON object per line, in the form of `--json`


@app.command(
    epilog=format_examples(
        "recollect export memories.json",
        "recollect export --format jsonl | jq .memory",
        "recollect --user ana export --all ana.json",
    )
)
@command
def export(
    ctx: CommandContext,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Output file; default: standard output.")
    ] = None,
    export_format: Annotated[
        ExportFormat, typer.Option("--format", metavar="F", help="compact or jsonl.", show_choices=False)
    ] = ExportFormat.COMPACT,
    include_inactive: Annotated[
        bool, typer.Option("--all", help="Include archived, forgotten and superseded memories.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Overwrite FILE without asking.")] = False,
) -> None:
    """
    Export memories to a file.

    The compact format is a JSON array of short entries (`t` kind, `c` content, `w` weight, `d` day, and the fields that
    differ from their defaults). It is lossless, and `recollect import` reads it. The jsonl format has one object per
    line, for other programs.
    """
    with ctx.open_session() as session:
        status = None if include_inactive else MemoryStatus.ACTIVE
        memories = session.services.memories.list_all(session.scope(), status=status)
    text = _format_memories(memories, export_format)
    count_text = render.format_count(len(memories), "memory", "memories")
    if file is not None:
        _write_file(ctx, file, text, yes=yes)
        ctx.print_result(
            {"file": str(file), "format": export_format, "memories": len(memories)},
            f"Wrote {count_text} to {file}.",
        )
    elif ctx.is_text:
        ctx.print_raw(text)
        ctx.info(f"{count_text}.")
    else:
        entries = (
            json.loads(to_compact(memories))
            if export_format is ExportFormat.COMPACT
            else list(map(serializers.serialize_memory, memories))
        )
        ctx.print_result({"format": export_format, "memories": entries})


def _format_memories(memories: Sequence[Memory], export_format: ExportFormat) -> str:
    if export_format is ExportFormat.COMPACT:
        return to_compact(memories)
    return "".join(
        json.dumps(serializers.serialize_memory(each), ensure_ascii=False) + "\n" for each in memories
    )


def _write_file(ctx: CommandContext, file: Path, text: str, *, yes: bool) -> None:
    if file.exists():
        ctx.confirm(f"{file} already exists. Overwrite it?", yes=yes)
    try:
        # Memories are private: readable by the owner only.
        file.touch(mode=0o600)
        file.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    except OSError as error:
        raise InvalidInput(f"Cannot write {file}: {error.strerror}. Choose another file.") from error


@app.command(
    "import",
    epilog=format_examples("recollect import memories.json", "recollect --user ana import - < ana.json"),
)
@command
def import_(
    ctx: CommandContext,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Compact export; - reads standard input.")],
) -> None:
    """
    Import memories from a compact export.

    Imported memories are reconciled with the stored ones: duplicates are not stored twice, forgotten memories do not
    come back, and kinds without consent are skipped. Only active memories are imported. `recollect undo` reverts the
    whole import.
    """
    text = read_text_file(file)
    with ctx.open_session() as session:
        memories = from_compact(text, user=session.user, now=session.application.clock.now())
        import_result = session.services.interchange.import_memories(
            session.scope(), memories, session.policy()
        )
        remaining = drain_queue(ctx, session)
    ctx.print_result(_serialize_import(import_result, remaining.warnings), _describe_import(import_result))
    for each in import_result.skipped_memories:
        ctx.info(f"Skipped: {render.excerpt(each.text)} ({each.reason})")
    ctx.warn_all(remaining.warnings)


def _describe_import(import_result: ImportResult) -> str:
    known_part = f", {import_result.known_count:,} already known" if import_result.known_count else ""
    skipped_part = (
        f", {len(import_result.skipped_memories):,} skipped" if import_result.skipped_memories else ""
    )
    imported_part = render.format_count(len(import_result.memories), "memory", "memories")
    return f"Imported {imported_part}{known_part}{skipped_part}."


def _serialize_import(import_result: ImportResult, warnings: Sequence[str]) -> JsonObject:
    return {
        **serializers.wrap_results(map(serializers.serialize_memory, import_result.memories)),
        "known": import_result.known_count,
        "left_out": [{"memory": each.text, "reason": each.reason} for each in import_result.skipped_memories],
        "degraded": list(warnings),
    }
