"""backup: everything in one copy; and a copy back in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from recollect.bootstrap import open_backups
from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import progress_bar
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.ports.backup import Backup, ProgressCallback
from recollect.serialization import serializers

app = make_typer()

#: Bytes, in which the bar counts.
BYTES_PER_MEGABYTE = 1_000_000


@app.command(
    epilog=format_examples(
        "recollect backup ~/backups", "recollect backup memory-before.db", "recollect backup ~/backups --json"
    )
)
@command
def backup(
    ctx: CommandContext,
    destination: Annotated[
        Path, typer.Argument(metavar="DESTINATION", help="A new file, or a folder to put one in.")
    ],
) -> None:
    """
    Copy everything into one file, also while the server runs.

    The copy is of one moment, is looked through before it gets its name, and only you can read it. Beside it is a
    manifest with its hash. Nothing is overwritten. It is a memory file like any other: `recollect --db COPY list` reads
    it, and `recollect restore COPY` puts it back. It holds everybody's memory, but no token of the server.
    """
    ctx.options.resume_hint = "Nothing was kept of the copy; run the same command again."
    with ctx.open_session() as session, _show_progress(ctx, "Copying") as report_progress:
        manifest = Memory.from_application(session.application).backup(destination, progress=report_progress)
    contents_text = (
        f"{render.format_count(_get_number(manifest, 'messages'), 'message')} and"
        f" {_format_memory_count(_get_number(manifest, 'memories'))}"
    )
    size_text = render.format_bytes(_get_number(manifest, "bytes"))
    ctx.print_result(
        manifest,
        f"{contents_text} of {_format_user_count(_get_number(manifest, 'users'))} copied to"
        f" {manifest['file']} ({size_text}).",
    )
    ctx.info(f"sha256 {manifest['sha256']}")


def is_backup_path(names: list[str]) -> bool:
    """Whether a backup is meant: ids of memories have no dots or slashes, and are no files."""
    return any("." in name or "/" in name or "\\" in name or Path(name).is_file() for name in names)


def restore_backup(ctx: CommandContext, paths: list[str], *, yes: bool) -> None:
    """Look a copy through, show what it holds, and put it in the memory's place."""
    if len(paths) != 1:
        raise InvalidInput("One backup can be restored at a time. Name one file, or only ids of memories.")
    settings = ctx.load_settings()
    db = settings.resolve().machine.db
    backups, clock = open_backups(settings)
    backup_file = backups.inspect(paths[0])
    ctx.warn_all(backup_file.warnings)
    if ctx.is_text:
        ctx.stderr.print(_render_preview(backup_file))
    target_text = f"{db}, which is kept beside it" if Path(db).exists() else db
    ctx.confirm(
        f"Put this in the place of {target_text}? What was forgotten or erased since then comes back with it.",
        yes=yes,
    )
    ctx.options.resume_hint = "The memory is as it was."
    with _show_progress(ctx, "Restoring") as report_progress:
        previous_file = backups.restore(backup_file, now=clock.now(), progress=report_progress)
    ctx.print_result(
        {**serializers.serialize_backup(backup_file), "db": db, "kept": previous_file},
        f"{paths[0]} is now in {db}.",
    )
    if previous_file:
        ctx.info(f"What was there before is in {previous_file}. Delete it when you are sure.")


def _render_preview(backup_file: Backup) -> object:
    contents = backup_file.contents
    return render.fields(
        {
            "backup": f"{backup_file.path} ({render.format_bytes(backup_file.size_bytes)})",
            "made": render.format_time(backup_file.created_at) if backup_file.created_at else "unknown",
            "last said": render.format_time(contents.last_message_at)
            if contents.last_message_at
            else "nothing",
            "users": f"{contents.users:,}",
            "messages": f"{contents.messages:,}",
            "memories": f"{contents.memories:,}",
            "schema": f"{contents.schema_version}",
            "found": "whole",
        }
    )


@contextmanager
def _show_progress(ctx: CommandContext, title: str) -> Iterator[ProgressCallback]:
    with progress_bar(ctx.stderr, title, total=0) as progress:

        def report_progress(done: int, total: int) -> None:
            progress.update(done=done // BYTES_PER_MEGABYTE, total=max(total // BYTES_PER_MEGABYTE, 1))

        yield report_progress


def _get_number(manifest: serializers.JsonObject, name: str) -> int:
    value = manifest[name]
    assert isinstance(value, int)
    return value


def _format_memory_count(number: int) -> str:
    return render.format_count(number, "memory", "memories")


def _format_user_count(number: int) -> str:
    return render.format_count(number, "user")
