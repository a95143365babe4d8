"""backup: everything in one copy; and a copy back in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from recollect.bootstrap import open_backups
from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import bar
from recollect.errors import InvalidInput
from recollect.library.memory import Memory
from recollect.ports.backup import Backup, Watch
from recollect.serialization import serializers

app = commands()

#: Bytes, in which the bar counts.
MEGABYTE = 1_000_000


@app.command(
    epilog=examples(
        "recollect backup ~/backups", "recollect backup memory-before.db", "recollect backup ~/backups --json"
    )
)
@command
def backup(
    call: Call,
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
    call.asked.resume = "Nothing was kept of the copy; run the same command again."
    with call.open() as session, _watched(call, "Copying") as watch:
        made = Memory.over(session.runtime).backup(destination, watch=watch)
    held = f"{render.count(_number(made, 'messages'), 'message')} and {_memories(_number(made, 'memories'))}"
    size = render.size(_number(made, "bytes"))
    call.answer(made, f"{held} of {_users(_number(made, 'users'))} copied to {made['file']} ({size}).")
    call.note(f"sha256 {made['sha256']}")


def is_a_file(wanted: list[str]) -> bool:
    """Whether a backup is meant: ids of memories have no dots or slashes, and are no files."""
    return any("." in each or "/" in each or "\\" in each or Path(each).is_file() for each in wanted)


def restore_backup(call: Call, wanted: list[str], *, yes: bool) -> None:
    """Look a copy through, show what it holds, and put it in the memory's place."""
    if len(wanted) != 1:
        raise InvalidInput("One backup can be restored at a time. Name one file, or only ids of memories.")
    settings = call.load_settings()
    db = settings.resolve().connection.db
    backups, clock = open_backups(settings)
    found = backups.look(wanted[0])
    call.mention(found.warnings)
    if call.for_people:
        call.aside.print(_preview(found))
    there = f"{db}, which is kept beside it" if Path(db).exists() else db
    call.confirm(
        f"Put this in the place of {there}? What was forgotten or erased since then comes back with it.",
        yes=yes,
    )
    call.asked.resume = "The memory is as it was."
    with _watched(call, "Restoring") as watch:
        kept = backups.restore(found, now=clock.now(), watch=watch)
    call.answer({**serializers.backup(found), "db": db, "kept": kept}, f"{wanted[0]} is now in {db}.")
    if kept:
        call.note(f"What was there before is in {kept}. Delete it when you are sure.")


def _preview(found: Backup) -> object:
    held = found.holds
    return render.fields(
        {
            "backup": f"{found.path} ({render.size(found.bytes)})",
            "made": render.when(found.made_at) if found.made_at else "unknown",
            "last said": render.when(held.newest) if held.newest else "nothing",
            "users": f"{held.users:,}",
            "messages": f"{held.messages:,}",
            "memories": f"{held.memories:,}",
            "schema": f"{held.schema}",
            "found": "whole",
        }
    )


@contextmanager
def _watched(call: Call, title: str) -> Iterator[Watch]:
    with bar(call.aside, title, total=0) as shown:

        def watch(done: int, total: int) -> None:
            shown.move(done=done // MEGABYTE, total=max(total // MEGABYTE, 1))

        yield watch


def _number(made: serializers.Shape, name: str) -> int:
    value = made[name]
    assert isinstance(value, int)
    return value


def _memories(number: int) -> str:
    return render.count(number, "memory", "memories")


def _users(number: int) -> str:
    return render.count(number, "user")
