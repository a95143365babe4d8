"""chats: list them, read one, delete one."""

from typing import Annotated, TypeAlias

import typer

from recollect.surfaces import shapes
from recollect.surfaces.cli import render
from recollect.surfaces.cli.command import Call, command, commands, examples

app = commands()
group = commands()
app.add_typer(group, name="chats")

ChatId: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The chat.")]


@group.callback(
    invoke_without_command=True,
    epilog=examples("recollect chats", "recollect chats show trip", "recollect chats forget trip --yes"),
)
@command
def chats(
    call: Call, limit: Annotated[int, typer.Option(metavar="N", min=1, help="Chats at most.")] = 100
) -> None:
    """
    List chats, read one, or delete one.

    Without a command: the chats, the most recently used first.
    """
    with call.open() as session:
        listed = session.store.chats.list(session.scope(), limit=limit)
    call.answer(shapes.results(map(shapes.chat, listed)), *([render.chats(listed)] if listed else []))
    if not listed:
        call.note("No chats yet. `recollect add --role user --chat NAME ...` begins one.")


@group.command(epilog=examples("recollect chats show trip", "recollect chats show trip --limit 20 --json"))
@command
def show(
    call: Call,
    chat: ChatId,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The last N messages.")] = 100,
) -> None:
    """Print the messages of a chat, in the order they came."""
    with call.open() as session:
        found = session.store.chats.get(session.scope(chat))
        messages = session.store.messages.list(session.scope(chat), limit=limit)
    call.answer(
        {**shapes.chat(found), **shapes.results(map(shapes.message, messages))}, render.conversation(messages)
    )
    if len(messages) < found.messages:
        call.note(f"The last {len(messages)} of {found.messages} messages; --limit shows more.")


@group.command(epilog=examples("recollect chats forget trip", "recollect chats forget trip --yes"))
@command
def forget(
    call: Call, chat: ChatId, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False
) -> None:
    """
    Delete a chat with its messages.

    Its messages are gone from the file and cannot be brought back; memories learned from them stay. Asks before;
    where nobody can be asked it takes --yes (otherwise exit code 4).
    """
    with call.open() as session:
        found = session.store.chats.get(session.scope(chat))
        call.confirm(f"Delete chat {chat} with {render.count(found.messages, 'message')}?", yes=yes)
        session.store.chats.delete(session.scope(chat))
    call.answer(
        {**shapes.chat(found), "deleted": True},
        f"Deleted chat {chat} with {render.count(found.messages, 'message')}.",
    )
    call.note("What was learned from it is still in `recollect list`.")
