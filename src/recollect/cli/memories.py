"""The `list`, `show`, `edit`, `forget` and `history` commands."""

from typing import Annotated, TypeAlias

import typer

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
from recollect.domain.event import EventAction
from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject

app = make_typer()

MemoryIdArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="Memory id, or a prefix of it.")
]


@app.command(
    "list",
    epilog=format_examples(
        "recollect list",
        "recollect list --kind preference --limit 10",
        "recollect list --status forgotten --json",
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
        memories = session.services.memories.list(
            session.scope(chat), limit=limit, status=None if include_all else status, kind=kind, tag=tag
        )
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_memory, memories)),
        *([render.memories(memories, wide=ctx.is_wide)] if memories else []),
    )
    if not memories:
        ctx.info('No memories. Add one with `recollect add "..."`.')


@app.command(epilog=format_examples("recollect show 01k9x2v7q3m5", "recollect show 01k9x2v7q3m5 --json"))
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


@app.command(
    epilog=format_examples(
        'recollect edit 01k9x2v7q3m5 "I am vegan since May"', "recollect edit 01k9x2v7q3m5 - < corrected.txt"
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
    result: JsonObject = {**serializers.serialize_memory(memory), "degraded": list(remaining.warnings)}
    ctx.print_result(result, f"Edited: {render.excerpt(memory.text)}")
    ctx.info(f"Show earlier versions: recollect history {memory.id}")
    ctx.warn_all(remaining.warnings)


@app.command(
    epilog=format_examples(
        "recollect forget 01k9x2v7q3m5", "recollect forget 01k9x2v7q3m5 01k9x2v7r0aa --yes --json"
    )
)
@command
def forget(
    ctx: CommandContext,
    memory_ids: Annotated[list[str], typer.Argument(metavar="ID", help="Memory ids, or prefixes of them.")],
    yes: YesOption = False,
) -> None:
    """
    Forget memories: take them out of use.

    Shows the memories and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4). A
    forgotten memory is no longer searched or used, and is not learned again unless you state it anew. `recollect
    history` still shows it, `recollect undo` restores it, and `recollect erase` deletes it permanently.
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
        ctx.info(f"Show its history: recollect history {each.id}")


def _get_memory(session: CliSession, memory_id: str) -> Memory:
    return session.services.memories.get(session.scope(), memory_id)


@app.command(
    epilog=format_examples("recollect history 01k9x2v7q3m5", "recollect history 01k9x2v7q3m5 --json")
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
