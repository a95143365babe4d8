"""The `chats` commands: list, show, edit, branch and delete chats, and set their memory mode."""

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
from recollect.domain.memory import Memory
from recollect.domain.scope import TEMPORARY_CHAT_PREFIX
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()
group = make_typer()
app.add_typer(group, name="chats")

ChatIdArgument: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="Chat id.")]
MessageIdArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="Message id, as shown by `recollect chats show`.")
]
DEFAULT_MODE = "default"
MODE_DESCRIPTIONS = {
    "on": "messages are stored and memories are recalled",
    "collect_only": "messages are stored, memories are not recalled",
    "recall_only": "memories are recalled, nothing new is stored",
    "off": "nothing is stored or recalled",
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
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of chats.")] = 100,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Print the id of a new temporary chat.")
    ] = False,
) -> None:
    """
    List, show, edit, branch or delete chats.

    Without a subcommand, chats are listed, most recently used first. --temporary prints an id to pass as --chat or to
    `recollect chat`; nothing is stored or recalled in that chat.
    """
    if temporary:
        _print_temporary_name(ctx)
        return
    with ctx.open_session() as session:
        chat_list = [each.chat for each in session.services.chats.list(session.scope(), limit=limit)]
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_chat, chat_list)),
        *([render.chats(chat_list)] if chat_list else []),
    )
    if not chat_list:
        ctx.info("No chats yet. Start one with `recollect chat NAME`.")


def _print_temporary_name(ctx: CommandContext) -> None:
    with ctx.open_session() as session:
        name = TEMPORARY_CHAT_PREFIX + session.application.ids.new()
    ctx.print_result({"id": name, "temporary": True}, name)
    ctx.info("Nothing is stored or recalled in this chat. Pass its id as --chat.")


@group.command(
    epilog=format_examples("recollect chats show trip", "recollect chats show trip --limit 20 --json")
)
@command
def show(
    ctx: CommandContext,
    chat: ChatIdArgument,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of most recent messages.")] = 100,
) -> None:
    """Show the messages of a chat in chronological order."""
    with ctx.open_session() as session:
        stored_chat = session.services.chats.get(session.scope(chat)).chat
        messages = session.services.chats.messages(session.scope(chat), limit=limit)
    ctx.print_result(
        {
            **serializers.serialize_chat(stored_chat),
            **serializers.wrap_results(map(serializers.serialize_message, messages)),
        },
        render.conversation(messages),
    )
    if len(messages) < stored_chat.message_count:
        ctx.info(
            f"Showing the last {len(messages)} of {stored_chat.message_count} messages; use --limit to see more."
        )


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
            metavar="MODE", help=f"{', '.join(MODE_DESCRIPTIONS)}, or default to use your settings again."
        ),
    ] = None,
) -> None:
    """
    Show or set the memory mode of a chat.

    The mode applies to this chat from the next message on and overrides your settings; a command's --mode option
    overrides it in turn. Temporary chats are always off.
    """
    with ctx.open_session() as session:
        scope = session.scope(chat)
        if mode_name is not None:
            _set_mode(session, chat, mode_name)
        chosen_mode, effective_mode = (
            session.services.chats.mode(scope),
            session.policy(chat=chat).memory.mode,
        )
    reason = (
        "temporary chat" if scope.is_temporary else "set for this chat" if chosen_mode else "from settings"
    )
    ctx.print_result(
        {"id": chat, "mode": effective_mode, "chosen": chosen_mode},
        f"Memory mode of chat {chat}: {effective_mode} ({reason}): {MODE_DESCRIPTIONS[effective_mode]}.",
    )


def _set_mode(session: CliSession, chat: str, mode_name: str) -> None:
    scope = session.scope(chat)
    if mode_name not in {*MODE_DESCRIPTIONS, DEFAULT_MODE}:
        raise InvalidInput(
            f"Unknown mode {mode_name!r}. Choose one of {', '.join(MODE_DESCRIPTIONS)}, or {DEFAULT_MODE}."
        )
    choice = None if mode_name == DEFAULT_MODE else mode_name
    session.services.chats.set_mode(scope, choice)


@group.command(
    epilog=format_examples(
        'recollect chats edit 01k9x2v7q3m5 "We fly to Lisbon on 3 May"',
        "recollect chats edit 01k9x2v7q3m5 - < corrected.txt",
    )
)
@command
def edit(
    ctx: CommandContext,
    message: MessageIdArgument,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="New text; - reads standard input.")],
) -> None:
    """
    Edit the text of a message.

    Memories learned only from the old text are deleted, and facts are extracted from the new text. Memories you wrote
    or edited yourself are kept.
    """
    text = read_text_argument(words)
    with ctx.open_session() as session:
        chat = session.services.chats.get_message(session.scope(), message).chat
        memories_before = session.services.memories.learned_from(session.scope(), [message])
        ingest_result = session.services.chats.edit_message(
            session.scope(), message, text, session.policy(chat=chat)
        )
        remaining = drain_queue(ctx, session)
        memories_after = session.services.memories.learned_from(session.scope(), [message])
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
        f"Edited in chat {chat}: {render.excerpt(text)}",
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
    Delete a message and the memories learned only from it.

    Shows what will be deleted and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4).
    Memories you wrote or edited yourself are kept.
    """
    with ctx.open_session() as session:
        scope, stored_message = session.scope(), session.services.chats.get_message(session.scope(), message)
        policy = session.policy(chat=stored_message.chat)
        if not yes:
            also_removed = _print_preview(
                ctx,
                session.services.chats.preview_delete_message(scope, message, policy),
                render.message(stored_message),
            )
            ctx.confirm(f"Delete this message{also_removed}?", yes=yes)
        removed_memories = session.services.chats.delete_message(scope, message, policy)
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
    new_chat: Annotated[str, typer.Argument(metavar="NEWCHAT", help="Name of the new chat.")],
) -> None:
    """
    Start a new chat with the messages up to a given one.

    The original chat is unchanged. Memories learned from the shared messages have both chats as their source, and are
    deleted only with both.
    """
    with ctx.open_session() as session:
        if session.scope(new_chat).is_temporary:
            raise InvalidInput(
                f"Temporary chats store no messages. Choose a name that does not start with {TEMPORARY_CHAT_PREFIX}"
            )
        created_chat = session.services.chats.branch_chat(session.scope(), message, new_chat)
        remaining = drain_queue(ctx, session)
    result: JsonObject = {**serializers.serialize_chat(created_chat), "degraded": list(remaining.warnings)}
    ctx.print_result(
        result,
        f"Created chat {created_chat.id} with {render.format_count(created_chat.message_count, 'message')}.",
    )
    ctx.warn_all(remaining.warnings)


@group.command(epilog=format_examples("recollect chats forget trip", "recollect chats forget trip --yes"))
@command
def forget(ctx: CommandContext, chat: ChatIdArgument, yes: YesOption = False) -> None:
    """
    Delete a chat and the memories learned only from it.

    Shows what will be deleted and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4).
    This cannot be undone. Memories that another chat also supports are kept, and so are those you wrote or edited
    yourself. `recollect erase chat` also verifies that none of its bytes remain in the file.
    """
    with ctx.open_session() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        stored_chat = session.services.chats.get(scope).chat
        message_count = render.format_count(stored_chat.message_count, "message")
        if not yes:
            also_removed = _print_preview(ctx, session.services.chats.preview_delete_chat(scope, policy))
            ctx.confirm(f"Delete chat {chat} with {message_count}{also_removed}?", yes=yes)
        removed_memories = session.services.chats.delete_chat(scope, policy)
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
    """Show what would be deleted; return the memory count as a part of the confirmation question."""
    if ctx.is_text:
        for renderable in (*renderables, *([render.memories(memories, wide=False)] if memories else [])):
            ctx.stderr.print(renderable)
    return (
        f" and {render.format_count(len(memories), 'memory', 'memories')} learned only from it"
        if memories
        else ""
    )


def _describe_removed(memory: Memory) -> str:
    return f"Deleted memory ({memory.kind}): {render.excerpt(memory.text)}"


def _serialize_memories(memories: Sequence[Memory]) -> list[JsonValue]:
    return [serializers.serialize_memory(each) for each in memories]
