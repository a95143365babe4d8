"""The commands `chats summarize` and `chats summaries`."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import drain_queue
from recollect.cli.output import replace_unprintable
from recollect.domain.summary import Summary
from recollect.errors import Refused
from recollect.serialization import serializers
from recollect.serialization.reasons import serialize_reasons

app = make_typer()


@app.command(
    epilog=format_examples("recollect chats summarize trip", "recollect chats summarize trip --json")
)
@command
def summarize(
    ctx: CommandContext, chat: Annotated[str, typer.Argument(metavar="CHAT", help="Chat id.")]
) -> None:
    """
    Summarize a chat now.

    Summaries are also written automatically every few answers. A configured language model writes them; without one
    they consist of sentences of the chat. Only messages since the last summary are summarized.
    """
    with ctx.open_session() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        session.services.chats.get(scope)
        if not policy.collects:
            raise Refused(
                f"The memory mode of chat {chat} is {policy.memory.mode}, so nothing new is stored."
                f" Turn it on with `recollect chats mode {chat} on`."
            )
        saved_summaries = session.services.summaries.summarize(scope, policy)
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {
            **serializers.wrap_results(map(serializers.serialize_summary, saved_summaries)),
            "degraded": serialize_reasons(remaining.degradations),
        },
        *([render_summaries(saved_summaries)] if saved_summaries else []),
    )
    if not saved_summaries:
        ctx.info(
            f"No new messages in chat {chat} since its last summary. `recollect chats summaries {chat}` shows it."
        )
    ctx.warn_all(remaining.warnings)


@app.command(epilog=format_examples("recollect chats summaries", "recollect chats summaries trip"))
@command
def summaries(
    ctx: CommandContext,
    chat: Annotated[str | None, typer.Argument(metavar="CHAT", help="Only summaries of this chat.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of summaries.")] = 20,
) -> None:
    """Show chat summaries, newest first."""
    with ctx.open_session() as session:
        if chat is not None:
            session.services.chats.get(session.scope(chat))
        summary_list = session.services.summaries.list(session.scope(chat), limit=limit)
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_summary, summary_list)),
        *([render_summaries(summary_list)] if summary_list else []),
    )
    if not summary_list:
        ctx.info("No summaries yet. Create one with `recollect chats summarize CHAT`.")


def render_summaries(values: Sequence[Summary]) -> RenderableType:
    lines: list[RenderableType] = []
    for each in values:
        lines.append(Text(f"{each.chat}  {each.kind}  {render.format_time(each.created_at)}", style="bold"))
        lines.append(Padding(Text(replace_unprintable(each.text)), (0, 0, 1, 2)))
    return Group(*lines)
