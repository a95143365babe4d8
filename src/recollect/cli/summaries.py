"""summarise and summaries: what a conversation came to."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import finish
from recollect.cli.output import printable
from recollect.domain.summary import Summary
from recollect.errors import Refused
from recollect.serialization import serializers

app = commands()


@app.command(epilog=examples("recollect summarise trip", "recollect summarise trip --json"))
@command
def summarise(call: Call, chat: Annotated[str, typer.Argument(metavar="CHAT", help="The chat.")]) -> None:
    """
    Summarise a chat now.

    Summaries are written by themselves every few answers; this does not wait for that. With a language model they are
    its words, without one they are sentences of the chat. What is summarised already is not summarised again.
    """
    with call.open() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        session.store.chats.get(scope)
        if not policy.listens:
            raise Refused(
                f"Memory is {policy.memory.mode} in chat {chat}, so nothing new is kept of it."
                f" `recollect chats mode {chat} on` changes that."
            )
        made = session.engine.summarised(scope, policy, now=True)
        kept = session.engine.keep_summaries(scope, made, policy)
        left = finish(call, session)
    call.answer(
        {**serializers.results(map(serializers.summary, kept)), "degraded": list(left.warnings)},
        *([told(kept)] if kept else []),
    )
    if not kept:
        call.note(
            f"Nothing new was said in chat {chat} since its last summary; `recollect summaries` shows that."
        )
    call.mention(left.warnings)


@app.command(epilog=examples("recollect summaries", "recollect summaries trip"))
@command
def summaries(
    call: Call,
    chat: Annotated[str | None, typer.Argument(metavar="CHAT", help="Only those of this chat.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Summaries at most.")] = 20,
) -> None:
    """Show summaries of conversations, the newest first."""
    with call.open() as session:
        if chat is not None:
            session.store.chats.get(session.scope(chat))
        listed = session.store.summaries.list(session.scope(chat), limit=limit)
    call.answer(serializers.results(map(serializers.summary, listed)), *([told(listed)] if listed else []))
    if not listed:
        call.note("No summaries yet. `recollect summarise CHAT` writes one.")


def told(values: Sequence[Summary]) -> RenderableType:
    lines: list[RenderableType] = []
    for each in values:
        lines.append(Text(f"{each.chat}  {each.kind}  {render.when(each.created_at)}", style="bold"))
        lines.append(Padding(Text(printable(each.text)), (0, 0, 1, 2)))
    return Group(*lines)
