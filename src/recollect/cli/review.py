"""The `archive`, `restore`, `pin`, `merge`, `undo` and `inbox` commands."""

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
from recollect.domain.event import Event, EventAction
from recollect.domain.memory import Memory
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()

MemoryIdsArgument: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="ID", help="Memory ids, or prefixes of them.")
]
UNDO_HINT = "Revert with `recollect undo`."
ERASED_TEXT = "(erased)"


@app.command(
    epilog=format_examples("recollect archive 01k9x2v7q3m5", "recollect archive 01k9x2v7q3m5 01k9x2v7r0aa")
)
@command
def archive(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Archive memories.

    Archived memories are not recalled. `recollect list --status archived` lists them, and `recollect restore` makes
    them active again.
    """
    with ctx.open_session() as session:
        archived_memories = session.services.memories.remove_memories(
            session.scope(), memory_ids, EventAction.ARCHIVE
        )
    _print_changed(ctx, archived_memories, "Archived")


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
        list[str], typer.Argument(metavar="ID|BACKUP", help="Memory ids, or one backup file.")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Restore a backup without asking.")] = False,
) -> None:
    """
    Restore memories, accept those in the inbox, or restore a backup.

    With ids: makes archived or forgotten memories active again, and accepts memories in `recollect inbox`. Accepting a
    contradicting memory supersedes the one it contradicts.

    With a file: the backup is verified (hash, structure, references), its contents are shown, and it replaces the whole
    memory file, for all users. The previous file is kept next to it with a timestamp in its name. Restoring is refused
    while another process has the memory file open, and for backups of a newer recollect. Everything forgotten or erased
    since the backup was made will be back.
    """
    if is_backup_path(ids_or_backup):
        restore_backup(ctx, ids_or_backup, yes=yes)
        return
    with ctx.open_session() as session:
        restored_memories = session.services.memories.restore_memories(session.scope(), ids_or_backup)
        remaining = drain_queue(ctx, session)
    _print_changed(ctx, restored_memories, "Restored")
    ctx.warn_all(remaining.warnings)


@app.command(epilog=format_examples("recollect pin 01k9x2v7q3m5", "recollect pin 01k9x2v7q3m5 --off"))
@command
def pin(
    ctx: CommandContext,
    memory_ids: MemoryIdsArgument,
    off: Annotated[bool, typer.Option("--off", help="Unpin: let them decay again.")] = False,
) -> None:
    """
    Protect memories from decay.

    A pinned memory keeps its weight and is never archived by maintenance, whatever its kind.
    """
    with ctx.open_session() as session:
        pinned_memories = session.services.memories.pin_memories(session.scope(), memory_ids, pinned=not off)
    _print_changed(ctx, pinned_memories, "Unpinned" if off else "Pinned")


@app.command(epilog=format_examples("recollect merge 01k9x2v7q3m5 01k9x2v7r0aa"))
@command
def merge(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Merge several memories into one.

    The most detailed memory is kept, with the sources of all of them; the others stay in the history.
    """
    with ctx.open_session() as session:
        merged_memory = session.services.memories.merge(session.scope(), memory_ids)
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {**serializers.serialize_memory(merged_memory), "degraded": list(remaining.warnings)},
        f"Merged {render.format_count(len(set(memory_ids)), 'memory', 'memories')} into:"
        f" {render.excerpt(merged_memory.text)}",
    )
    ctx.info(UNDO_HINT)
    ctx.warn_all(remaining.warnings)


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
        str | None, typer.Argument(metavar="EVENT", help="Id of the change to undo; default: the last one.")
    ] = None,
    list_events: Annotated[
        bool, typer.Option("--list", help="List the changes to memories, newest first.")
    ] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of changes to list.")] = 50,
) -> None:
    """
    Undo the last change to memories, or a given one.

    Learning, editing, forgetting, archiving, restoring, pinning and merging can be undone, and so can an undo, by its
    id. Erasure cannot be undone.
    """
    if list_events:
        _print_timeline(ctx, limit)
        return
    with ctx.open_session() as session:
        undone_event = session.services.memories.undo(session.scope(), event)
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
        events = session.services.memories.list_events(session.scope(), limit=limit)
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
        *([render.table("!time", "!action", "memory", "", "!event", rows=rows)] if rows else []),
    )
    if not rows:
        ctx.info("No changes yet.")


def _memory_texts(session: CliSession, event: Event) -> list[str]:
    """Return the current texts of an event's memories."""
    memory_ids = [step.memory_id for step in event.changes]
    memories = session.services.memories.find_existing(session.scope(), memory_ids)
    return [memories[each].text if each in memories else ERASED_TEXT for each in memory_ids]


@app.command(
    epilog=format_examples(
        "recollect inbox", "recollect restore 01k9x2v7q3m5", "recollect forget 01k9x2v7q3m5"
    )
)
@command
def inbox(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of memories.")] = 100,
) -> None:
    """
    Show memories awaiting your decision.

    These are facts that the model extracted but the message does not support, and facts that contradict an existing
    memory. They are not recalled. `recollect restore ID` accepts one, `recollect forget ID` rejects it.
    """
    with ctx.open_session() as session:
        memories = session.services.review.queue(session.scope(), limit=limit)
        entries = [(memory, source_quotes(session, memory)) for memory in memories]
    ctx.print_result(
        serializers.wrap_results(_serialize_review_item(memory, words) for memory, words in entries),
        *([_render_review_table(entries)] if entries else []),
    )
    ctx.info(
        "`recollect restore ID` accepts one, `recollect forget ID` rejects it."
        if entries
        else "The inbox is empty."
    )


def _serialize_review_item(memory: Memory, source_texts: Sequence[str]) -> JsonObject:
    json_quotes: list[JsonValue] = list(source_texts)
    return {**serializers.serialize_memory(memory), "reason": memory.reason, "quotes": json_quotes}


def _render_review_table(entries: Sequence[tuple[Memory, Sequence[str]]]) -> RenderableType:
    rows = [
        (
            memory.kind,
            render.excerpt(memory.text),
            f"{memory.status}: {memory.reason}" if memory.reason else memory.status,
            "\n".join(f"“{render.excerpt(quote)}”" for quote in words),
            memory.id,
        )
        for memory, words in entries
    ]
    return render.table("kind", "text", "reason", "quotes", "!id", rows=rows)
