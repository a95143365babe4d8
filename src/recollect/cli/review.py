"""archive, restore, pin, merge, undo and inbox: the user decides what memory makes of them."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.backup import is_a_file, restore_backup
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import finish
from recollect.cli.session import Session
from recollect.cli.sources import quotes
from recollect.domain.event import Event
from recollect.domain.memory import Memory, Standing
from recollect.errors import NotFound
from recollect.serialization import serializers
from recollect.serialization.serializers import Json, Shape

app = commands()

MemoryIds: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="ID", help="Memories, or the beginnings of their ids.")
]
WAITING = (Standing.QUARANTINED, Standing.CONTESTED)
UNDO = "`recollect undo` takes it back."
ERASED = "(erased)"


@app.command(epilog=examples("recollect archive 01k9x2v7q3m5", "recollect archive 01k9x2v7q3m5 01k9x2v7r0aa"))
@command
def archive(call: Call, wanted: MemoryIds) -> None:
    """
    Put memories away, to be brought back when wanted.

    An archived memory is not recalled. It stays in `recollect list --standing archived`, and `recollect restore` brings
    it back.
    """
    with call.open() as session, session.store.transaction():
        away = [session.engine.archive(session.scope(), each) for each in _ids(session, wanted)]
    _answer(call, away, "Put away")


@app.command(
    epilog=examples(
        "recollect restore 01k9x2v7q3m5",
        "recollect restore 01k9x2v7q3m5 01k9x2v7r0aa",
        "recollect restore ~/backups/memory-20260801T090000Z.db",
    )
)
@command
def restore(
    call: Call,
    wanted: Annotated[
        list[str], typer.Argument(metavar="ID|BACKUP", help="Memories, or one file that `backup` made.")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Restore a backup without asking.")] = False,
) -> None:
    """
    Bring memories back, accept those in the inbox, or restore a backup.

    Ids: works for what was archived or forgotten, and for what waits in `recollect inbox`. Accepting a contradiction
    gives up what it contradicts.

    A file: it is looked through (its hash, its structure, its references), what it holds is shown, and it takes the
    place of the whole memory, everybody's. The file that was there is kept beside it, with the time in its name.
    Refused while another process has the memory open, which SQLite's own locks tell, and for a backup of a newer
    recollect. What was forgotten or erased since the backup was made comes back with it.
    """
    if is_a_file(wanted):
        restore_backup(call, wanted, yes=yes)
        return
    with call.open() as session:
        with session.store.transaction():
            back = [session.engine.restore(session.scope(), each) for each in _ids(session, wanted)]
        left = finish(call, session)
    _answer(call, back, "Back in use")
    call.mention(left.warnings)


@app.command(epilog=examples("recollect pin 01k9x2v7q3m5", "recollect pin 01k9x2v7q3m5 --off"))
@command
def pin(
    call: Call,
    wanted: MemoryIds,
    off: Annotated[bool, typer.Option("--off", help="Let them fade again.")] = False,
) -> None:
    """
    Keep memories from fading.

    A pinned memory keeps its weight and is never put away by the gardener, whatever its kind.
    """
    with call.open() as session, session.store.transaction():
        pinned = [session.engine.pin(session.scope(), each, pinned=not off) for each in _ids(session, wanted)]
    _answer(call, pinned, "May fade again" if off else "Pinned")


@app.command(epilog=examples("recollect merge 01k9x2v7q3m5 01k9x2v7r0aa"))
@command
def merge(call: Call, wanted: MemoryIds) -> None:
    """
    Make one memory of several.

    The one that says most stays, with the sources of all of them; the others stay in history.
    """
    with call.open() as session:
        kept = session.engine.merge(session.scope(), wanted)
        left = finish(call, session)
    call.answer(
        {**serializers.memory(kept), "degraded": list(left.warnings)},
        f"Merged {render.count(len(set(wanted)), 'memory', 'memories')} into: {render.excerpt(kept.text)}",
    )
    call.note(UNDO)
    call.mention(left.warnings)


def _ids(session: Session, wanted: Sequence[str]) -> list[str]:
    """Each memory once, however often and however briefly it was named."""
    found = (session.store.memories.get(session.scope(), each).id for each in wanted)
    return list(dict.fromkeys(found))


def _answer(call: Call, changed: Sequence[Memory], said: str) -> None:
    call.answer(
        serializers.results(map(serializers.memory, changed)),
        *(f"{said}: {render.excerpt(each.text)}" for each in changed),
    )
    call.note(UNDO)


@app.command(
    epilog=examples("recollect undo", "recollect undo --list", "recollect undo 01k9x2v7q3m5n8p0r4s6t1")
)
@command
def undo(
    call: Call,
    event: Annotated[
        str | None, typer.Argument(metavar="EVENT", help="What to take back; without it the last change.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show what was done to memories, the newest first.")
    ] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Lines of the list at most.")] = 50,
) -> None:
    """
    Take back the last change to memories, or a certain one.

    Learning, correcting, forgetting, archiving, restoring, pinning and merging can be undone, and an undo by its own
    id. What was erased cannot.
    """
    if listed:
        _timeline(call, limit)
        return
    with call.open() as session:
        undone = session.engine.undo(session.scope(), event)
        left = finish(call, session)
        texts = _texts(session, undone)
    call.answer(
        {**serializers.event(undone), "undone": True, "texts": list(texts), "degraded": list(left.warnings)},
        *(f"Undone ({undone.action}): {render.excerpt(text)}" for text in texts),
    )
    call.mention(left.warnings)


def _timeline(call: Call, limit: int) -> None:
    with call.open() as session:
        events = session.store.events.list(session.scope(), limit=limit)
        told = [(each, _texts(session, each)) for each in events]
    rows = [
        (
            render.when(each.at),
            each.action,
            Group(*(Text(render.excerpt(text)) for text in texts)),
            "undone" if each.undone else "",
            each.id,
        )
        for each, texts in told
    ]
    call.answer(
        serializers.results({**serializers.event(each), "texts": list(texts)} for each, texts in told),
        *([render.table("!when", "!what", "memory", "", "!event", rows=rows)] if rows else []),
    )
    if not rows:
        call.note("Nothing was done to memories yet.")


def _texts(session: Session, event: Event) -> list[str]:
    """What the memories of an event say now."""
    found = []
    for step in event.steps:
        try:
            found.append(session.store.memories.get(session.scope(), step.memory_id).text)
        except NotFound:
            found.append(ERASED)
    return found


@app.command(
    epilog=examples("recollect inbox", "recollect restore 01k9x2v7q3m5", "recollect forget 01k9x2v7q3m5")
)
@command
def inbox(
    call: Call, limit: Annotated[int, typer.Option(metavar="N", min=1, help="Memories at most.")] = 100
) -> None:
    """
    Show what waits for your decision.

    These are facts that a model stated but the message does not hold, and facts that contradict what is known. They are
    not recalled. `recollect restore ID` accepts one, `recollect forget ID` rejects it.
    """
    with call.open() as session:
        scope = session.scope()
        waiting = [
            memory
            for standing in WAITING
            for memory in session.store.memories.list(scope, limit=limit, standing=standing)
        ][:limit]
        told = [(memory, quotes(session, memory)) for memory in waiting]
    call.answer(
        serializers.results(_waiting(memory, words) for memory, words in told),
        *([_table(told)] if told else []),
    )
    call.note(
        "`recollect restore ID` accepts one, `recollect forget ID` rejects it."
        if told
        else "Nothing waits for your decision."
    )


def _waiting(memory: Memory, words: Sequence[str]) -> Shape:
    said: list[Json] = list(words)
    return {**serializers.memory(memory), "reason": memory.reason, "quotes": said}


def _table(told: Sequence[tuple[Memory, Sequence[str]]]) -> RenderableType:
    rows = [
        (
            memory.kind,
            render.excerpt(memory.text),
            f"{memory.standing}: {memory.reason}" if memory.reason else memory.standing,
            "\n".join(f"“{render.excerpt(quote)}”" for quote in words),
            memory.id,
        )
        for memory, words in told
    ]
    return render.table("kind", "text", "why it waits", "said", "!id", rows=rows)
