"""The `memories` commands: list, show, edit, archive, restore, forget, pin and merge memories; their history."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import Group
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import (
    CommandContext,
    YesOption,
    command,
    format_examples,
    make_typer,
    read_text_argument,
)
from recollect.cli.drain import drain_queue
from recollect.cli.session import CliSession
from recollect.cli.sources import source_quotes
from recollect.domain.event import Event, EventAction
from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.serialization import serializers
from recollect.serialization.reasons import serialize_reasons
from recollect.serialization.serializers import JsonObject

app = make_typer()
group = make_typer()
app.add_typer(group, name="memories")

MemoryIdArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="Memory id, or a prefix of it.")
]
MemoryIdsArgument: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="ID", help="Memory ids, or prefixes of them.")
]
UNDO_HINT = "Revert with `recollect memories undo`."
ERASED_TEXT = "(erased)"


@group.callback(
    epilog=format_examples(
        "recollect memories",
        "recollect memories show 01k9x2v7q3m5",
        'recollect memories edit 01k9x2v7q3m5 "I am vegan since May"',
        "recollect memories undo",
    )
)
@command
def memories(_ctx: CommandContext) -> None:
    """
    List, show, edit, archive, restore, forget, pin or merge memories.

    Without a subcommand, the active memories are listed. Every change is recorded: `history` shows the versions of one
    memory, `events` the changes of all, and `undo` reverts a change.
    """


@group.command(
    "list",
    epilog=format_examples(
        "recollect memories list",
        "recollect memories list --kind preference --limit 10",
        "recollect memories list --status forgotten --json",
    ),
)
@command
def list_(
    ctx: CommandContext,
    kind: Annotated[
        Kind | None, typer.Option(metavar="K", help=f"Only this kind: {', '.join(Kind)}.", show_choices=False)
    ] = None,
    tag: Annotated[str | None, typer.Option(metavar="T", help="Only memories with this tag.")] = None,
    status: Annotated[
        MemoryStatus,
        typer.Option(metavar="S", help=f"Only this status: {', '.join(MemoryStatus)}.", show_choices=False),
    ] = MemoryStatus.ACTIVE,
    include_all: Annotated[bool, typer.Option("--all", help="Memories of every status.")] = False,
    chat: Annotated[
        str | None, typer.Option(metavar="C", help="Only memories first stated in this chat.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of memories.")] = 100,
) -> None:
    """
    List memories, most recently seen first.

    By default only active memories are listed. Forgotten, superseded and archived memories are still stored but not
    used; list them with --status or --all. The table truncates long texts, --json does not.
    """
    with ctx.open_session() as session:
        service, policy = session.services.memories, session.policy()
        memories = service.list(
            session.scope(chat), limit=limit, status=None if include_all else status, kind=kind, tag=tag
        )
        results = [
            serializers.serialize_memory(each, current_weight=service.current_weight(each, policy))
            for each in memories
        ]
    ctx.print_result(
        serializers.wrap_results(results),
        *([render.memories(memories, wide=ctx.is_wide)] if memories else []),
    )
    if not memories:
        ctx.info('No memories. Add one with `recollect add "..."`.')


@group.command(
    epilog=format_examples(
        "recollect memories show 01k9x2v7q3m5", "recollect memories show 01k9x2v7q3m5 --json"
    )
)
@command
def show(
    ctx: CommandContext,
    record_id: Annotated[
        str, typer.Argument(metavar="ID", help="Memory id or a prefix of it, or message id.")
    ],
) -> None:
    """
    Show a memory or a message in full.

    A memory is shown with its text, importance, status, and quotes from its source messages.
    """
    with ctx.open_session() as session:
        if session.services.ingest.message_exists(session.scope(), record_id):
            message = session.services.chats.get_message(session.scope(), record_id)
            ctx.print_result(serializers.serialize_message(message), render.message(message))
            return
        memory = _get_memory(session, record_id)
        ctx.print_result(
            serializers.serialize_memory(memory), render.memory(memory, source_quotes(session, memory))
        )


@group.command(
    epilog=format_examples(
        'recollect memories edit 01k9x2v7q3m5 "I am vegan since May"',
        "recollect memories edit 01k9x2v7q3m5 - < corrected.txt",
    )
)
@command
def edit(
    ctx: CommandContext,
    memory_id: MemoryIdArgument,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="New text; - reads standard input.")],
) -> None:
    """
    Edit the text of a memory.

    The new text is searchable immediately; the old one stays in the memory's history.
    """
    text = read_text_argument(words)
    with ctx.open_session() as session:
        memory = session.services.memories.update_memory(session.scope(), memory_id, text, session.policy())
        remaining = drain_queue(ctx, session)
    result: JsonObject = {
        **serializers.serialize_memory(memory),
        "degraded": serialize_reasons(remaining.degradations),
    }
    ctx.print_result(result, f"Edited: {render.excerpt(memory.text)}")
    ctx.info(f"Show earlier versions: recollect memories history {memory.id}")
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples(
        "recollect memories forget 01k9x2v7q3m5",
        "recollect memories forget 01k9x2v7q3m5 01k9x2v7r0aa --yes --json",
    )
)
@command
def forget(
    ctx: CommandContext,
    memory_ids: MemoryIdsArgument,
    yes: YesOption = False,
) -> None:
    """
    Forget memories: take them out of use.

    Shows the memories and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4). A
    forgotten memory is no longer searched or used, and is not learned again unless you state it anew. `recollect
    memories history` still shows it, `recollect memories undo` restores it, and `recollect privacy erase` deletes it
    permanently.
    """
    with ctx.open_session() as session:
        memories = {memory.id: memory for memory in (_get_memory(session, each) for each in memory_ids)}
        if not yes and ctx.is_text:
            ctx.stderr.print(render.memories(list(memories.values()), wide=False))
        ctx.confirm(f"Forget {render.format_count(len(memories), 'memory', 'memories')}?", yes=yes)
        forgotten_memories = session.services.memories.remove_memories(
            session.scope(), list(memories), EventAction.FORGET
        )
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_memory, forgotten_memories)),
        *(f"Forgotten: {render.excerpt(each.text)}" for each in forgotten_memories),
    )
    for each in forgotten_memories:
        ctx.info(f"Show its history: recollect memories history {each.id}")


def _get_memory(session: CliSession, memory_id: str) -> Memory:
    return session.services.memories.get(session.scope(), memory_id)


@group.command(
    epilog=format_examples(
        "recollect memories history 01k9x2v7q3m5", "recollect memories history 01k9x2v7q3m5 --json"
    )
)
@command
def history(ctx: CommandContext, memory_id: MemoryIdArgument) -> None:
    """
    Show all versions of a memory.

    Oldest first, with the text, the change, its time and its reason. Works for forgotten memories too.
    """
    with ctx.open_session() as session:
        versions = session.services.memories.history(session.scope(), memory_id)
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_version, versions)), render.versions(versions)
    )


@group.command(
    epilog=format_examples(
        "recollect memories archive 01k9x2v7q3m5", "recollect memories archive 01k9x2v7q3m5 01k9x2v7r0aa"
    )
)
@command
def archive(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Archive memories.

    Archived memories are not recalled. `recollect memories list --status archived` lists them, and `recollect memories
    restore` makes them active again.
    """
    with ctx.open_session() as session:
        archived_memories = session.services.memories.remove_memories(
            session.scope(), memory_ids, EventAction.ARCHIVE
        )
    print_changed(ctx, archived_memories, "Archived")


@group.command(
    epilog=format_examples(
        "recollect memories restore 01k9x2v7q3m5", "recollect memories restore 01k9x2v7q3m5 01k9x2v7r0aa"
    )
)
@command
def restore(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """Make archived or forgotten memories active again."""
    with ctx.open_session() as session:
        restored_memories = session.services.memories.restore_memories(session.scope(), memory_ids)
        remaining = drain_queue(ctx, session)
    print_changed(ctx, restored_memories, "Restored")
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples("recollect memories pin 01k9x2v7q3m5", "recollect memories pin 01k9x2v7q3m5 --off")
)
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
    print_changed(ctx, pinned_memories, "Unpinned" if off else "Pinned")


@group.command(epilog=format_examples("recollect memories merge 01k9x2v7q3m5 01k9x2v7r0aa"))
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
        {
            **serializers.serialize_memory(merged_memory),
            "degraded": serialize_reasons(remaining.degradations),
        },
        f"Merged {render.format_count(len(set(memory_ids)), 'memory', 'memories')} into:"
        f" {render.excerpt(merged_memory.text)}",
    )
    ctx.info(UNDO_HINT)
    ctx.warn_all(remaining.warnings)


def print_changed(ctx: CommandContext, memories: Sequence[Memory], label: str) -> None:
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_memory, memories)),
        *(f"{label}: {render.excerpt(each.text)}" for each in memories),
    )
    ctx.info(UNDO_HINT)


@group.command(epilog=format_examples("recollect memories undo", "recollect memories undo 01k9x2v7q3m5"))
@command
def undo(
    ctx: CommandContext,
    event: Annotated[
        str | None, typer.Argument(metavar="EVENT", help="Id of the change to undo; default: the last one.")
    ] = None,
) -> None:
    """
    Undo the last change to memories, or a given one.

    Learning, editing, forgetting, archiving, restoring, pinning and merging can be undone, and so can an undo, by its
    id, which `recollect memories events` shows. Erasure cannot be undone.
    """
    with ctx.open_session() as session:
        undone_event = session.services.memories.undo(session.scope(), event)
        remaining = drain_queue(ctx, session)
        texts = _memory_texts(session, undone_event)
    ctx.print_result(
        {
            **serializers.serialize_event(undone_event),
            "undone": True,
            "texts": list(texts),
            "degraded": serialize_reasons(remaining.degradations),
        },
        *(f"Undone ({undone_event.action}): {render.excerpt(text)}" for text in texts),
    )
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples("recollect memories events", "recollect memories events --limit 10 --json")
)
@command
def events(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of changes.")] = 50,
) -> None:
    """List changes to memories, newest first, with ids for `undo`."""
    with ctx.open_session() as session:
        entries = [
            (each, _memory_texts(session, each))
            for each in session.services.memories.list_events(session.scope(), limit=limit)
        ]
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
