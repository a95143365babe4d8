"""chats: list them, read one, change what was said, choose how memory is used, delete one."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

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
from recollect.cli.sources import preview_removal
from recollect.domain.memory import Memory
from recollect.domain.scope import TEMPORARY_CHAT_PREFIX
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()
group = make_typer()
app.add_typer(group, name="chats")

ChatIdArgument: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The chat.")]
MessageIdArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="The message; `recollect chats show` prints ids.")
]
DEFAULT_MODE = "default"
#: What each mode means.
MODE_DESCRIPTIONS = {
    "on": "memory listens and is used",
    "collect_only": "memory listens, and is not used in answers",
    "recall_only": "memory is used, and nothing new is stored",
    "off": "nothing is stored and nothing is recalled",
}


@group.callback(
    invoke_without_command=True,
    epilog=format_examples(
        "recollect chats",
        "recollect chats show trip",
        "recollect chats mode trip off",
        "recollect chats forget trip --yes",
        "recollect chat $(recollect chats --temporary)",
    ),
)
@command
def chats(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Chats at most.")] = 100,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Print a new name for a chat that leaves no trace.")
    ] = False,
) -> None:
    """
    List chats, read one, change one, or delete one.

    Without a command: the chats, the most recently used first. With --temporary: a name to be given as --chat or to
    `recollect chat`; nothing said under it is stored, and nothing is recalled.
    """
    if temporary:
        _print_temporary_name(ctx)
        return
    with ctx.open_session() as session:
        chat_list = session.store.chats.list(session.scope(), limit=limit)
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_chat, chat_list)),
        *([render.chats(chat_list)] if chat_list else []),
    )
    if not chat_list:
        ctx.info("No chats yet. `recollect add --role user --chat NAME ...` begins one.")


def _print_temporary_name(ctx: CommandContext) -> None:
    with ctx.open_session() as session:
        name = TEMPORARY_CHAT_PREFIX + session.engine.ids.new()
    ctx.print_result({"id": name, "temporary": True}, name)
    ctx.info("A chat with this name leaves no trace: nothing is stored, nothing recalled. Give it as --chat.")


@group.command(
    epilog=format_examples("recollect chats show trip", "recollect chats show trip --limit 20 --json")
)
@command
def show(
    ctx: CommandContext,
    chat: ChatIdArgument,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The last N messages.")] = 100,
) -> None:
    """Print the messages of a chat, in the order they came."""
    with ctx.open_session() as session:
        stored_chat = session.store.chats.get(session.scope(chat))
        messages = session.store.messages.list(session.scope(chat), limit=limit)
    ctx.print_result(
        {
            **serializers.serialize_chat(stored_chat),
            **serializers.wrap_results(map(serializers.serialize_message, messages)),
        },
        render.conversation(messages),
    )
    if len(messages) < stored_chat.message_count:
        ctx.info(f"The last {len(messages)} of {stored_chat.message_count} messages; --limit shows more.")


@group.command(
    epilog=format_examples(
        "recollect chats mode trip", "recollect chats mode trip off", "recollect chats mode trip default"
    )
)
@command
def mode(
    ctx: CommandContext,
    chat: ChatIdArgument,
    mode_name: Annotated[
        str | None,
        typer.Argument(
            metavar="MODE", help=f"{', '.join(MODE_DESCRIPTIONS)}, or default to take the choice back."
        ),
    ] = None,
) -> None:
    """
    Choose how memory is used in a chat, or show it.

    A choice holds for this chat, from the next message on, and wins over your settings; --mode of a single command wins
    over it. In a temporary chat memory is always off.
    """
    with ctx.open_session() as session:
        scope = session.scope(chat)
        if mode_name is not None:
            _set_mode(session, chat, mode_name)
        chosen_mode, effective_mode = session.store.chats.mode(scope), session.policy(chat=chat).memory.mode
    reason = (
        "always so in a temporary chat"
        if scope.is_temporary
        else "chosen"
        if chosen_mode
        else "your settings"
    )
    ctx.print_result(
        {"id": chat, "mode": effective_mode, "chosen": chosen_mode},
        f"Memory is {effective_mode} in chat {chat} ({reason}): {MODE_DESCRIPTIONS[effective_mode]}.",
    )


def _set_mode(session: CliSession, chat: str, mode_name: str) -> None:
    scope = session.scope(chat)
    if mode_name not in {*MODE_DESCRIPTIONS, DEFAULT_MODE}:
        raise InvalidInput(
            f"There is no mode {mode_name!r}. Choose one of {', '.join(MODE_DESCRIPTIONS)}, or {DEFAULT_MODE}."
        )
    if scope.is_temporary:
        raise InvalidInput("In a temporary chat memory is always off. Use another chat for another mode.")
    choice = None if mode_name == DEFAULT_MODE else mode_name
    session.store.chats.set_mode(scope, choice, now=session.engine.clock.now())


@group.command(
    epilog=format_examples(
        'recollect chats edit 01k9x2v7q3m5 "We fly to Lisbon on 3 May"',
        "recollect chats edit 01k9x2v7q3m5 - < said.txt",
    )
)
@command
def edit(
    ctx: CommandContext,
    message: MessageIdArgument,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What it should say; - reads it.")],
) -> None:
    """
    Put other words in the place of a message.

    What was learned from the old words alone goes, and the new ones are judged. Memories you wrote or corrected
    yourself stay.
    """
    text = read_text_argument(words)
    with ctx.open_session() as session:
        chat = session.store.messages.get(session.scope(), message).chat
        memories_before = session.store.memories.of_messages(session.scope(), [message])
        ingest_result = session.engine.edit_message(session.scope(), message, text, session.policy(chat=chat))
        remaining = drain_queue(ctx, session)
        memories_after = session.store.memories.of_messages(session.scope(), [message])
    known_texts = {each.text for each in memories_before}
    removed_memories = [
        each for each in memories_before if each.text not in {now.text for now in memories_after}
    ]
    ctx.print_result(
        {
            **serializers.serialize_ingest_result(ingest_result),
            **serializers.wrap_results(map(serializers.serialize_memory, memories_after)),
            "gone": _serialize_memories(removed_memories),
            "degraded": list(remaining.warnings),
        },
        f"Changed in chat {chat}: {render.excerpt(text)}",
        *map(_describe_removed, removed_memories),
        *(render.learned_memory(each) for each in memories_after if each.text not in known_texts),
    )
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples("recollect chats delete 01k9x2v7q3m5", "recollect chats delete 01k9x2v7q3m5 --yes")
)
@command
def delete(ctx: CommandContext, message: MessageIdArgument, yes: YesOption = False) -> None:
    """
    Delete a message, and what was learned from it alone.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). Memories you wrote
    or corrected yourself stay.
    """
    with ctx.open_session() as session:
        scope, stored_message = session.scope(), session.store.messages.get(session.scope(), message)
        policy = session.policy(chat=stored_message.chat)

        def delete_message() -> Sequence[Memory]:
            return session.engine.delete_message(scope, message, policy)

        if not yes:
            also_removed = _print_preview(
                ctx, preview_removal(session, delete_message), render.message(stored_message)
            )
            ctx.confirm(f"Delete this message{also_removed}?", yes=yes)
        removed_memories = delete_message()
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {
            **serializers.serialize_message(stored_message),
            "deleted": True,
            "gone": _serialize_memories(removed_memories),
            "degraded": list(remaining.warnings),
        },
        f"Deleted from chat {stored_message.chat}: {render.excerpt(stored_message.content)}",
        *map(_describe_removed, removed_memories),
    )
    ctx.warn_all(remaining.warnings)


@group.command(epilog=format_examples("recollect chats branch 01k9x2v7q3m5 trip-by-train"))
@command
def branch(
    ctx: CommandContext,
    message: MessageIdArgument,
    new_chat: Annotated[str, typer.Argument(metavar="NEWCHAT", help="What to call the new chat.")],
) -> None:
    """
    Begin a new chat with everything up to a message.

    The old chat stays as it is. What was learned up to there rests on both, and goes only when both are gone.
    """
    with ctx.open_session() as session:
        if session.scope(new_chat).is_temporary:
            raise InvalidInput(
                f"A temporary chat holds nothing. Choose a name that does not begin with {TEMPORARY_CHAT_PREFIX}"
            )
        created_chat = session.engine.branch_chat(session.scope(), message, new_chat)
        remaining = drain_queue(ctx, session)
    result: JsonObject = {**serializers.serialize_chat(created_chat), "degraded": list(remaining.warnings)}
    ctx.print_result(
        result,
        f"Chat {created_chat.id} begins with {render.format_count(created_chat.message_count, 'message')}.",
    )
    ctx.warn_all(remaining.warnings)


@group.command(epilog=format_examples("recollect chats forget trip", "recollect chats forget trip --yes"))
@command
def forget(ctx: CommandContext, chat: ChatIdArgument, yes: YesOption = False) -> None:
    """
    Delete a chat, and what was learned from it alone.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). It cannot be brought
    back. Memories that another chat also speaks for stay, and so do those you wrote or corrected yourself. `recollect
    erase chat` also looks that no byte of it is left in the file.
    """
    with ctx.open_session() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        stored_chat = session.store.chats.get(scope)

        def delete_chat() -> Sequence[Memory]:
            return session.engine.delete_chat(scope, policy)

        message_count = render.format_count(stored_chat.message_count, "message")
        if not yes:
            also_removed = _print_preview(ctx, preview_removal(session, delete_chat))
            ctx.confirm(f"Delete chat {chat} with {message_count}{also_removed}?", yes=yes)
        removed_memories = delete_chat()
        remaining = drain_queue(ctx, session)
    ctx.print_result(
        {
            **serializers.serialize_chat(stored_chat),
            "deleted": True,
            "gone": _serialize_memories(removed_memories),
            "degraded": list(remaining.warnings),
        },
        f"Deleted chat {chat} with {message_count}.",
        *map(_describe_removed, removed_memories),
    )
    ctx.warn_all(remaining.warnings)


def _print_preview(ctx: CommandContext, memories: Sequence[Memory], *renderables: RenderableType) -> str:
    """Show what would go; return it as a part of the question."""
    if ctx.is_text:
        for renderable in (*renderables, *([render.memories(memories, wide=False)] if memories else [])):
            ctx.stderr.print(renderable)
    return (
        f" and {render.format_count(len(memories), 'memory', 'memories')} learned from it alone"
        if memories
        else ""
    )


def _describe_removed(memory: Memory) -> str:
    return f"No longer remembered ({memory.kind}): {render.excerpt(memory.text)}"


def _serialize_memories(memories: Sequence[Memory]) -> list[JsonValue]:
    return [serializers.serialize_memory(each) for each in memories]
