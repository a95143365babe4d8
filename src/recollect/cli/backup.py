"""The `backup` command, and restoring a backup (`restore FILE`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from recollect.bootstrap import open_backup_files
from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import progress_bar
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.ports.backup import Backup, ProgressCallback
from recollect.serialization import serializers
from recollect.settings import parse_store_url

app = make_typer()

#: Bytes per step of the progress bar.
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
        Path, typer.Argument(metavar="DESTINATION", help="New file, or folder to create one in.")
    ],
) -> None:
    """
    Back up the memory file, even while the server is running.

    The backup is a consistent snapshot, verified before it gets its final name and readable only by you. A manifest
    with its SHA-256 hash is written next to it. Existing files are never overwritten. A backup is an ordinary memory
    file: `recollect --db BACKUP list` reads it, `recollect restore BACKUP` restores it. It contains the memories of all
    users, but no server tokens.
    """
    ctx.options.resume_hint = "The incomplete backup was deleted; run the same command again."
    with ctx.open_session() as session, _show_progress(ctx, "Backing up") as report_progress:
        manifest = Memory.from_application(session.application).backup(destination, progress=report_progress)
    contents_text = (
        f"{render.format_count(_get_number(manifest, 'messages'), 'message')} and"
        f" {_format_memory_count(_get_number(manifest, 'memories'))}"
    )
    size_text = render.format_bytes(_get_number(manifest, "bytes"))
    ctx.print_result(
        manifest,
        f"Backed up {contents_text} of {_format_user_count(_get_number(manifest, 'users'))} to"
        f" {manifest['file']} ({size_text}).",
    )
    ctx.info(f"sha256 {manifest['sha256']}")


def is_backup_path(names: list[str]) -> bool:
    """Return whether any argument is a file: memory ids contain no dots or slashes."""
    return any("." in name or "/" in name or "\\" in name or Path(name).is_file() for name in names)


def restore_backup(ctx: CommandContext, paths: list[str], *, yes: bool) -> None:
    """Verify a backup, show its contents, ask, and replace the memory file with it."""
    if len(paths) != 1:
        raise InvalidInput("Only one backup can be restored at a time. Give one file, or only memory ids.")
    settings = ctx.load_settings()
    db = parse_store_url(settings.resolve().machine.db).target
    backups, clock = open_backup_files(settings)
    backup_file = backups.inspect(paths[0])
    ctx.warn_all(backup_file.warnings)
    if ctx.is_text:
        ctx.stderr.print(_render_preview(backup_file))
    action = f"Replace {db} (a copy of it is kept)" if Path(db).exists() else f"Restore to {db}"
    ctx.confirm(
        f"{action}? Everything forgotten or erased since this backup was made will be back.",
        yes=yes,
    )
    ctx.options.resume_hint = "The memory file is unchanged."
    with _show_progress(ctx, "Restoring") as report_progress:
        previous_file = backups.restore(backup_file, now=clock.now(), progress=report_progress)
    ctx.print_result(
        {**serializers.serialize_backup(backup_file), "db": db, "kept": previous_file},
        f"Restored {paths[0]} to {db}.",
    )
    if previous_file:
        ctx.info(f"The previous file was kept as {previous_file}. Delete it once you no longer need it.")


def _render_preview(backup_file: Backup) -> object:
    contents = backup_file.contents
    return render.fields(
        {
            "backup": f"{backup_file.path} ({render.format_bytes(backup_file.size_bytes)})",
            "created": render.format_time(backup_file.created_at) if backup_file.created_at else "unknown",
            "last message": render.format_time(contents.last_message_at)
            if contents.last_message_at
            else "none",
            "users": f"{contents.users:,}",
            "messages": f"{contents.messages:,}",
            "memories": f"{contents.memories:,}",
            "schema": f"{contents.schema_version}",
            "integrity": "ok",
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
