"""archive, restore, pin, merge, undo and inbox: the user decides what memory makes of them."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.backup import is_backup_path, restore_backup
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import drain_queue
from recollect.cli.session import CliSession
from recollect.cli.sources import source_quotes
from recollect.domain.event import Event
from recollect.domain.memory import Memory, MemoryStatus
from recollect.errors import NotFound
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()

MemoryIdsArgument: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="ID", help="Memories, or the beginnings of their ids.")
]
REVIEW_STANDINGS = (MemoryStatus.QUARANTINED, MemoryStatus.CONTESTED)
UNDO_HINT = "`recollect undo` takes it back."
ERASED_TEXT = "(erased)"


@app.command(
    epilog=format_examples("recollect archive 01k9x2v7q3m5", "recollect archive 01k9x2v7q3m5 01k9x2v7r0aa")
)
@command
def archive(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Put memories away, to be brought back when wanted.

    An archived memory is not recalled. It stays in `recollect list --standing archived`, and `recollect restore` brings
    it back.
    """
    with ctx.open_session() as session, session.store.transaction():
        archived_memories = [
            session.engine.archive(session.scope(), each) for each in _resolve_ids(session, memory_ids)
        ]
    _print_changed(ctx, archived_memories, "Put away")


@app.command(
    epilog=format_examples(
        "recollect restore 01k9x2v7q3m5",
        "recollect restore 01k9x2v7q3m5 01k9x2v7r0aa",
        "recollect restore ~/backups/memory-20260801T090000Z.db",
    )
)
@command
def restore(
    ctx: CommandContext,
    ids_or_backup: Annotated[
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
    if is_backup_path(ids_or_backup):
        restore_backup(ctx, ids_or_backup, yes=yes)
        return
    with ctx.open_session() as session:
        with session.store.transaction():
            restored_memories = [
                session.engine.restore(session.scope(), each) for each in _resolve_ids(session, ids_or_backup)
            ]
        remaining = drain_queue(ctx, session)
    _print_changed(ctx, restored_memories, "Back in use")
    ctx.warn_all(remaining.warnings)


@app.command(epilog=format_examples("recollect pin 01k9x2v7q3m5", "recollect pin 01k9x2v7q3m5 --off"))
@command
def pin(
    ctx: CommandContext,
    memory_ids: MemoryIdsArgument,
    off: Annotated[bool, typer.Option("--off", help="Let them fade again.")] = False,
) -> None:
    """
    Keep memories from fading.

    A pinned memory keeps its weight and is never put away by the gardener, whatever its kind.
    """
    with ctx.open_session() as session, session.store.transaction():
        pinned_memories = [
            session.engine.pin(session.scope(), each, pinned=not off)
            for each in _resolve_ids(session, memory_ids)
        ]
    _print_changed(ctx, pinned_memories, "May fade again" if off else "Pinned")


@app.command(epilog=format_examples("recollect merge 01k9x2v7q3m5 01k9x2v7r0aa"))
@command
def merge(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Make one memory of several.

    The one that says most stays, with the sources of all of them; the others stay in history.
    """
    with ctx.open_session() as session:
        merged_memory = session.engine.merge(session.scope(), memory_ids)
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {**serializers.serialize_memory(merged_memory), "degraded": list(remaining.warnings)},
        f"Merged {render.format_count(len(set(memory_ids)), 'memory', 'memories')} into:"
        f" {render.excerpt(merged_memory.text)}",
    )
    ctx.info(UNDO_HINT)
    ctx.warn_all(remaining.warnings)


def _resolve_ids(session: CliSession, memory_ids: Sequence[str]) -> list[str]:
    """Each memory once, however often and however briefly it was named."""
    resolved_ids = (session.store.memories.get(session.scope(), each).id for each in memory_ids)
    return list(dict.fromkeys(resolved_ids))


def _print_changed(ctx: CommandContext, memories: Sequence[Memory], label: str) -> None:
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_memory, memories)),
        *(f"{label}: {render.excerpt(each.text)}" for each in memories),
    )
    ctx.info(UNDO_HINT)


@app.command(
    epilog=format_examples("recollect undo", "recollect undo --list", "recollect undo 01k9x2v7q3m5n8p0r4s6t1")
)
@command
def undo(
    ctx: CommandContext,
    event: Annotated[
        str | None, typer.Argument(metavar="EVENT", help="What to take back; without it the last change.")
    ] = None,
    list_events: Annotated[
        bool, typer.Option("--list", help="Show what was done to memories, the newest first.")
    ] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Lines of the list at most.")] = 50,
) -> None:
    """
    Take back the last change to memories, or a certain one.

    Learning, correcting, forgetting, archiving, restoring, pinning and merging can be undone, and an undo by its own
    id. What was erased cannot.
    """
    if list_events:
        _print_timeline(ctx, limit)
        return
    with ctx.open_session() as session:
        undone_event = session.engine.undo(session.scope(), event)
        remaining = drain_queue(ctx, session)
        texts = _memory_texts(session, undone_event)
    ctx.print_result(
        {
            **serializers.serialize_event(undone_event),
            "undone": True,
            "texts": list(texts),
            "degraded": list(remaining.warnings),
        },
        *(f"Undone ({undone_event.action}): {render.excerpt(text)}" for text in texts),
    )
    ctx.warn_all(remaining.warnings)


def _print_timeline(ctx: CommandContext, limit: int) -> None:
    with ctx.open_session() as session:
        events = session.store.events.list(session.scope(), limit=limit)
        entries = [(each, _memory_texts(session, each)) for each in events]
    rows = [
        (
            render.format_time(each.at),
            each.action,
            Group(*(Text(render.excerpt(text)) for text in texts)),
            "undone" if each.is_undone else "",
            each.id,
        )
        for each, texts in entries
    ]
    ctx.print_result(
        serializers.wrap_results(
            {**serializers.serialize_event(each), "texts": list(texts)} for each, texts in entries
        ),
        *([render.table("!when", "!what", "memory", "", "!event", rows=rows)] if rows else []),
    )
    if not rows:
        ctx.info("Nothing was done to memories yet.")


def _memory_texts(session: CliSession, event: Event) -> list[str]:
    """What the memories of an event say now."""
    texts = []
    for step in event.changes:
        try:
            texts.append(session.store.memories.get(session.scope(), step.memory_id).text)
        except NotFound:
            texts.append(ERASED_TEXT)
    return texts


@app.command(
    epilog=format_examples(
        "recollect inbox", "recollect restore 01k9x2v7q3m5", "recollect forget 01k9x2v7q3m5"
    )
)
@command
def inbox(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Memories at most.")] = 100,
) -> None:
    """
    Show what waits for your decision.

    These are facts that a model stated but the message does not hold, and facts that contradict what is known. They are
    not recalled. `recollect restore ID` accepts one, `recollect forget ID` rejects it.
    """
    with ctx.open_session() as session:
        scope = session.scope()
        memories = [
            memory
            for standing in REVIEW_STANDINGS
            for memory in session.store.memories.list(scope, limit=limit, standing=standing)
        ][:limit]
        entries = [(memory, source_quotes(session, memory)) for memory in memories]
    ctx.print_result(
        serializers.wrap_results(_serialize_review_item(memory, words) for memory, words in entries),
        *([_render_review_table(entries)] if entries else []),
    )
    ctx.info(
        "`recollect restore ID` accepts one, `recollect forget ID` rejects it."
        if entries
        else "Nothing waits for your decision."
    )


def _serialize_review_item(memory: Memory, source_texts: Sequence[str]) -> JsonObject:
    json_quotes: list[JsonValue] = list(source_texts)
    return {**serializers.serialize_memory(memory), "reason": memory.reason, "quotes": json_quotes}


def _render_review_table(entries: Sequence[tuple[Memory, Sequence[str]]]) -> RenderableType:
    rows = [
        (
            memory.kind,
            render.excerpt(memory.text),
            f"{memory.standing}: {memory.reason}" if memory.reason else memory.standing,
            "\n".join(f"“{render.excerpt(quote)}”" for quote in words),
            memory.id,
        )
        for memory, words in entries
    ]
    return render.table("kind", "text", "why it waits", "said", "!id", rows=rows)
