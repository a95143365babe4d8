"""The `review` commands: memories that need the user's decision."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import drain_queue
from recollect.cli.memories import MemoryIdsArgument, print_changed
from recollect.cli.sources import source_quotes
from recollect.domain.memory import Memory
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reason_or_none
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()
group = make_typer()
app.add_typer(group, name="review")

DECISION_HINT = "`recollect review accept ID` accepts one, `recollect review reject ID` rejects it."


@group.callback(
    epilog=format_examples(
        "recollect review", "recollect review accept 01k9x2v7q3m5", "recollect review reject 01k9x2v7q3m5"
    )
)
@command
def review(_ctx: CommandContext) -> None:
    """
    Accept or reject memories that need your decision.

    These are facts that the model extracted but the message does not support, and facts that contradict an existing
    memory. They are not recalled until you accept them. Without a subcommand, they are listed.
    """


@group.command("list", epilog=format_examples("recollect review list", "recollect review list --json"))
@command
def list_(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of memories.")] = 100,
) -> None:
    """List memories that need your decision, with reason and source."""
    with ctx.open_session() as session:
        memories = session.services.review.queue(session.scope(), limit=limit)
        entries = [(memory, source_quotes(session, memory)) for memory in memories]
    ctx.print_result(
        serializers.wrap_results(_serialize_review_item(memory, words) for memory, words in entries),
        *([_render_review_table(entries)] if entries else []),
    )
    ctx.info(DECISION_HINT if entries else "Nothing needs your decision.")


@group.command(epilog=format_examples("recollect review accept 01k9x2v7q3m5"))
@command
def accept(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Accept memories: they become active.

    Accepting a contradicting memory supersedes the one it contradicts.
    """
    with ctx.open_session() as session:
        accepted = session.services.review.accept_memories(session.scope(), memory_ids)
        remaining = drain_queue(ctx, session)
    print_changed(ctx, accepted, "Accepted")
    ctx.warn_all(remaining.warnings)


@group.command(epilog=format_examples("recollect review reject 01k9x2v7q3m5"))
@command
def reject(ctx: CommandContext, memory_ids: MemoryIdsArgument) -> None:
    """
    Reject memories: forget them.

    They are not learned again unless you state them anew.
    """
    with ctx.open_session() as session:
        rejected = session.services.review.reject_memories(session.scope(), memory_ids)
    print_changed(ctx, rejected, "Rejected")


def _serialize_review_item(memory: Memory, source_texts: Sequence[str]) -> JsonObject:
    json_quotes: list[JsonValue] = list(source_texts)
    return {
        **serializers.serialize_memory(memory),
        "reason": serialize_reason_or_none(memory.reason),
        "quotes": json_quotes,
    }


def _render_review_table(entries: Sequence[tuple[Memory, Sequence[str]]]) -> RenderableType:
    rows = [
        (
            memory.kind,
            render.excerpt(memory.text),
            f"{memory.status}: {render_reason(memory.reason)}" if memory.reason else memory.status,
            "\n".join(f"“{render.excerpt(quote)}”" for quote in words),
            memory.id,
        )
        for memory, words in entries
    ]
    return render.table("kind", "text", "reason", "quotes", "!id", rows=rows)
