"""export and import: memories out of the file, and into another one."""

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
from recollect.ports.store import NO_LIMIT
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject

app = make_typer()


class ExportFormat(StrEnum):
    COMPACT = "compact"  #: one JSON list of very short entries; can be read back
    JSONL = "jsonl"  #: one JSON object a line, as `--json` shows memories


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
        Path | None, typer.Argument(metavar="FILE", help="Where to; without it to standard output.")
    ] = None,
    export_format: Annotated[
        ExportFormat, typer.Option("--format", metavar="F", help="compact or jsonl.", show_choices=False)
    ] = ExportFormat.COMPACT,
    include_inactive: Annotated[
        bool, typer.Option("--all", help="Also what is not in use: archived, forgotten.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Overwrite FILE without asking.")] = False,
) -> None:
    """
    Write memories to a file.

    The compact format is one JSON list of very short entries (`t` kind, `c` content, `w` weight, `d` day, and what
    differs from the ordinary); nothing of a memory is lost in it, and `recollect import` reads it. The other one has an
    object a line, for other programs.
    """
    with ctx.open_session() as session:
        standing = None if include_inactive else MemoryStatus.ACTIVE
        memories = session.store.memories.list(session.scope(), limit=NO_LIMIT, standing=standing)
    text = _format_memories(memories, export_format)
    count_text = render.format_count(len(memories), "memory", "memories")
    if file is not None:
        _write_file(ctx, file, text, yes=yes)
        ctx.print_result(
            {"file": str(file), "format": export_format, "memories": len(memories)},
            f"{count_text} written to {file}.",
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
        ctx.confirm(f"{file} exists. Overwrite it?", yes=yes)
    try:
        # Only its owner may read what is remembered.
        file.touch(mode=0o600)
        file.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}. Name another file.") from error


@app.command(
    "import",
    epilog=format_examples("recollect import memories.json", "recollect --user ana import - < ana.json"),
)
@command
def import_(
    ctx: CommandContext,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A compact export; - reads one.")],
) -> None:
    """
    Read memories from a compact export.

    Each takes its place among what is known: what is there already is not stored twice, what was forgotten does not
    come back, and what you did not consent to is left out. Only memories in use are read. `recollect undo` takes the
    whole import back.
    """
    text = read_text_file(file)
    with ctx.open_session() as session:
        memories = from_compact(text, user=session.user, now=session.engine.clock.now())
        import_result = session.engine.import_memories(session.scope(), memories, session.policy())
        remaining = drain_queue(ctx, session)
    ctx.print_result(_serialize_import(import_result, remaining.warnings), _describe_import(import_result))
    for each in import_result.skipped_memories:
        ctx.info(f"Left out: {render.excerpt(each.text)} ({each.reason})")
    ctx.warn_all(remaining.warnings)


def _describe_import(import_result: ImportResult) -> str:
    known_part = f", {import_result.known_count:,} known already" if import_result.known_count else ""
    skipped_part = (
        f", {len(import_result.skipped_memories):,} left out" if import_result.skipped_memories else ""
    )
    imported_part = render.format_count(len(import_result.memories), "memory", "memories")
    return f"{imported_part} imported{known_part}{skipped_part}."


def _serialize_import(import_result: ImportResult, warnings: Sequence[str]) -> JsonObject:
    return {
        **serializers.wrap_results(map(serializers.serialize_memory, import_result.memories)),
        "known": import_result.known_count,
        "left_out": [{"memory": each.text, "reason": each.reason} for each in import_result.skipped_memories],
        "degraded": list(warnings),
    }
