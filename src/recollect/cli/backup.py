"""The `backup` and `restore` commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from recollect.bootstrap import open_backup_files
from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer
from recollect.cli.drain import progress_bar
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
    file: `recollect --db BACKUP memories list` reads it, `recollect restore BACKUP` restores it. It contains the
    memories of all users, but no server tokens.
    """
    ctx.options.resume_hint = "The incomplete backup was deleted; run the same command again."
    with ctx.open_session() as session, _show_progress(ctx, "Backing up") as report_progress:
        backup_file = session.services.maintenance.backup(str(destination), progress=report_progress)
    contents = backup_file.contents
    contents_text = (
        f"{render.format_count(contents.messages, 'message')} and"
        f" {render.format_count(contents.memories, 'memory', 'memories')}"
    )
    ctx.print_result(
        serializers.serialize_backup(backup_file),
        f"Backed up {contents_text} of {render.format_count(contents.users, 'user')} to"
        f" {backup_file.path} ({render.format_bytes(backup_file.size_bytes)}).",
    )
    ctx.info(f"sha256 {backup_file.sha256}")


@app.command(
    epilog=format_examples(
        "recollect restore ~/backups/memory-20260801T090000Z.db", "recollect restore memory-before.db --yes"
    )
)
@command
def restore(
    ctx: CommandContext,
    backup_path: Annotated[Path, typer.Argument(metavar="BACKUP", help="Backup file.")],
    yes: YesOption = False,
) -> None:
    """
    Replace the memory file with a backup.

    The backup is verified (hash, structure, references), its contents are shown, and it replaces the whole memory file,
    for all users. The previous file is kept next to it with a timestamp in its name. Restoring is refused while another
    process has the memory file open, and for backups of a newer recollect. Everything forgotten or erased since the
    backup was made will be back. `recollect memories restore` restores single memories.
    """
    settings = ctx.load_settings()
    db = parse_store_url(settings.resolve().machine.db).target
    backups, clock = open_backup_files(settings)
    backup_file = backups.inspect(str(backup_path))
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
        f"Restored {backup_path} to {db}.",
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
