"""The `chats` commands: list, show, edit, branch and delete chats, and set their memory mode."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

from recollect.cli import render, summaries
from recollect.cli.chat_session import SYSTEM_PROMPT, format_usage, print_answer
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
from recollect.serialization.reasons import render_reason, serialize_reasons
from recollect.serialization.serializers import JsonObject, JsonValue

app = make_typer()
group = make_typer()
app.add_typer(group, name="chats")
group.add_typer(summaries.app)

ChatIdArgument: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="Chat id.")]
MessageIdArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="Message id, as shown by `recollect chats messages`.")
]
DEFAULT_MODE = "default"
MODE_DESCRIPTIONS = {
    "on": "messages are stored and memories are recalled",
    "collect_only": "messages are stored, memories are not recalled",
    "recall_only": "memories are recalled, nothing new is stored",
    "off": "nothing is stored or recalled",
}


@group.callback(
    epilog=format_examples(
        "recollect chats",
        "recollect chats messages trip",
        "recollect chats mode trip off",
        "recollect chats summarize trip",
        "recollect chats delete trip --yes",
    )
)
@command
def chats(_ctx: CommandContext) -> None:
    """
    List, show, edit, branch, summarize or delete chats.

    Without a subcommand, chats are listed. A chat whose name begins with `temporary-` is temporary: nothing is stored
    or recalled in it.
    """


@group.command("list", epilog=format_examples("recollect chats list", "recollect chats list --json"))
@command
def list_(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of chats.")] = 100,
) -> None:
    """List chats, most recently used first."""
    with ctx.open_session() as session:
        chat_list = [each.chat for each in session.services.chats.list(session.scope(), limit=limit)]
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_chat, chat_list)),
        *([render.chats(chat_list)] if chat_list else []),
    )
    if not chat_list:
        ctx.info("No chats yet. Start one with `recollect chat NAME`.")


@group.command(epilog=format_examples("recollect chats show trip", "recollect chats show trip --json"))
@command
def show(ctx: CommandContext, chat: ChatIdArgument) -> None:
    """Show title, memory mode, message count and times of a chat."""
    with ctx.open_session() as session:
        details = session.services.chats.get(session.scope(chat))
        effective_mode = session.policy(chat=chat).memory.mode
    stored_chat = details.chat
    ctx.print_result(
        {**serializers.serialize_chat(stored_chat), "title": details.title, "mode": effective_mode},
        render.fields(
            {
                "chat": stored_chat.id,
                "title": details.title,
                "mode": f"{effective_mode}: {MODE_DESCRIPTIONS[effective_mode]}",
                "messages": f"{stored_chat.message_count:,}",
                "created": render.format_time(stored_chat.created_at),
                "last used": render.format_time(stored_chat.updated_at),
            }
        ),
    )


@group.command(
    epilog=format_examples("recollect chats messages trip", "recollect chats messages trip --limit 20 --json")
)
@command
def messages(
    ctx: CommandContext,
    chat: ChatIdArgument,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of most recent messages.")] = 100,
) -> None:
    """Show the messages of a chat with their ids, oldest first."""
    with ctx.open_session() as session:
        stored_chat = session.services.chats.get(session.scope(chat)).chat
        shown_messages = session.services.chats.messages(session.scope(chat), limit=limit)
    ctx.print_result(
        {
            **serializers.serialize_chat(stored_chat),
            **serializers.wrap_results(map(serializers.serialize_message, shown_messages)),
        },
        render.conversation(shown_messages),
    )
    if len(shown_messages) < stored_chat.message_count:
        ctx.info(
            f"Showing the last {len(shown_messages)} of {stored_chat.message_count} messages; use --limit to see more."
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
        stored_message = session.services.chats.get_message(session.scope(), message)
        message, chat = stored_message.id, stored_message.chat
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
            "degraded": serialize_reasons(remaining.degradations),
        },
        f"Edited in chat {chat}: {render.excerpt(text)}",
        *map(_describe_removed, removed_memories),
        *(render.learned_memory(each) for each in memories_after if each.text not in known_texts),
    )
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples(
        "recollect chats delete trip",
        "recollect chats delete trip --yes",
        "recollect chats delete --message 01k9x2v7q3m5",
    )
)
@command
def delete(
    ctx: CommandContext,
    chat: Annotated[str | None, typer.Argument(metavar="CHAT", help="Chat id.")] = None,
    message: Annotated[
        str | None, typer.Option(metavar="ID", help="Delete only this message of a chat.")
    ] = None,
    yes: YesOption = False,
) -> None:
    """
    Delete a chat or a message, with what was learned from it.

    Memories that another chat also supports are kept, and so are those you wrote or edited yourself. Shows what will
    be deleted and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4). This cannot be
    undone. `recollect privacy erase chat` also verifies that none of its bytes remain in the file.
    """
    if (chat is None) == (message is None):
        raise typer.BadParameter("give either a chat or --message ID", param_hint="CHAT")
    if chat is not None:
        _delete_chat(ctx, chat, yes=yes)
    elif message is not None:
        _delete_message(ctx, message, yes=yes)


def _delete_message(ctx: CommandContext, message: str, *, yes: bool) -> None:
    with ctx.open_session() as session:
        scope, stored_message = session.scope(), session.services.chats.get_message(session.scope(), message)
        message, policy = stored_message.id, session.policy(chat=stored_message.chat)
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
            "degraded": serialize_reasons(remaining.degradations),
        },
        f"Deleted from chat {stored_message.chat}: {render.excerpt(stored_message.content)}",
        *map(_describe_removed, removed_memories),
    )
    ctx.warn_all(remaining.warnings)


def _delete_chat(ctx: CommandContext, chat: str, *, yes: bool) -> None:
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
            "degraded": serialize_reasons(remaining.degradations),
        },
        f"Deleted chat {chat} with {message_count}.",
        *map(_describe_removed, removed_memories),
    )
    ctx.warn_all(remaining.warnings)


@group.command(
    epilog=format_examples("recollect chats regenerate trip", "recollect chats regenerate trip --json")
)
@command
def regenerate(ctx: CommandContext, chat: ChatIdArgument) -> None:
    """
    Answer the last question of a chat again.

    The new answer replaces the current one, and so does what is learned from it. The configured language model answers;
    without one, the best matching memories are quoted and the stored answer is kept.
    """
    with ctx.open_session() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        session.services.chats.get(scope)
        events = session.services.turns.regenerate_answer(
            scope, policy, model=session.model, system=SYSTEM_PROMPT
        )
        context_ready, answer_finished = print_answer(ctx, events)
        remaining = drain_queue(ctx, session)
    receipt = context_ready.receipt
    if not ctx.is_text:
        ctx.print_result(
            {
                "id": chat,
                "question": context_ready.ingest_result.message.content,
                "answer": answer_finished.text,
                "receipt": receipt.id,
                "degraded": serialize_reasons([*receipt.degradations, *remaining.degradations]),
            }
        )
    ctx.info(format_usage(receipt, policy))
    ctx.warn_all([*map(render_reason, receipt.degradations), *remaining.warnings])


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
        stored_message = session.services.chats.get_message(session.scope(), message)
        created_chat = session.services.chats.branch_chat(session.scope(), stored_message.id, new_chat)
        remaining = drain_queue(ctx, session)
    result: JsonObject = {
        **serializers.serialize_chat(created_chat),
        "degraded": serialize_reasons(remaining.degradations),
    }
    ctx.print_result(
        result,
        f"Created chat {created_chat.id} with {render.format_count(created_chat.message_count, 'message')}.",
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
