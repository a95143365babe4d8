"""chats: list them, read one, change what was said, choose how memory is used, delete one."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples, given_text
from recollect.cli.drain import finish
from recollect.cli.session import Session
from recollect.cli.sources import rehearsed
from recollect.domain.memory import Memory
from recollect.domain.scope import TEMPORARY
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import Json, Shape

app = commands()
group = commands()
app.add_typer(group, name="chats")

ChatId: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The chat.")]
MessageId: TypeAlias = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="The message; `recollect chats show` prints ids.")
]
DEFAULT = "default"
#: What each mode means.
MODES = {
    "on": "memory listens and is used",
    "collect_only": "memory listens, and is not used in answers",
    "recall_only": "memory is used, and nothing new is stored",
    "off": "nothing is stored and nothing is recalled",
}


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect chats",
        "recollect chats show trip",
        "recollect chats mode trip off",
        "recollect chats forget trip --yes",
        "recollect chat $(recollect chats --temporary)",
    ),
)
@command
def chats(
    call: Call,
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
        _begin_temporary(call)
        return
    with call.open() as session:
        listed = session.store.chats.list(session.scope(), limit=limit)
    call.answer(
        serializers.results(map(serializers.chat, listed)), *([render.chats(listed)] if listed else [])
    )
    if not listed:
        call.note("No chats yet. `recollect add --role user --chat NAME ...` begins one.")


def _begin_temporary(call: Call) -> None:
    with call.open() as session:
        name = TEMPORARY + session.engine.ids.new()
    call.answer({"id": name, "temporary": True}, name)
    call.note(
        "A chat with this name leaves no trace: nothing is stored, nothing recalled. Give it as --chat."
    )


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
        {**serializers.chat(found), **serializers.results(map(serializers.message, messages))},
        render.conversation(messages),
    )
    if len(messages) < found.messages:
        call.note(f"The last {len(messages)} of {found.messages} messages; --limit shows more.")


@group.command(
    epilog=examples(
        "recollect chats mode trip", "recollect chats mode trip off", "recollect chats mode trip default"
    )
)
@command
def mode(
    call: Call,
    chat: ChatId,
    wanted: Annotated[
        str | None,
        typer.Argument(metavar="MODE", help=f"{', '.join(MODES)}, or default to take the choice back."),
    ] = None,
) -> None:
    """
    Choose how memory is used in a chat, or show it.

    A choice holds for this chat, from the next message on, and wins over your settings; --mode of a single command wins
    over it. In a temporary chat memory is always off.
    """
    with call.open() as session:
        scope = session.scope(chat)
        if wanted is not None:
            _choose(session, chat, wanted)
        chosen, holds = session.store.chats.mode(scope), session.policy(chat=chat).memory.mode
    why = "always so in a temporary chat" if scope.is_temporary else "chosen" if chosen else "your settings"
    call.answer(
        {"id": chat, "mode": holds, "chosen": chosen},
        f"Memory is {holds} in chat {chat} ({why}): {MODES[holds]}.",
    )


def _choose(session: Session, chat: str, wanted: str) -> None:
    scope = session.scope(chat)
    if wanted not in {*MODES, DEFAULT}:
        raise InvalidInput(f"There is no mode {wanted!r}. Choose one of {', '.join(MODES)}, or {DEFAULT}.")
    if scope.is_temporary:
        raise InvalidInput("In a temporary chat memory is always off. Use another chat for another mode.")
    choice = None if wanted == DEFAULT else wanted
    session.store.chats.set_mode(scope, choice, now=session.engine.clock.now())


@group.command(
    epilog=examples(
        'recollect chats edit 01k9x2v7q3m5 "We fly to Lisbon on 3 May"',
        "recollect chats edit 01k9x2v7q3m5 - < said.txt",
    )
)
@command
def edit(
    call: Call,
    message: MessageId,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What it should say; - reads it.")],
) -> None:
    """
    Put other words in the place of a message.

    What was learned from the old words alone goes, and the new ones are judged. Memories you wrote or corrected
    yourself stay.
    """
    text = given_text(words)
    with call.open() as session:
        chat = session.store.messages.get(session.scope(), message).chat
        before = session.store.memories.of_messages(session.scope(), [message])
        observed = session.engine.edit_message(session.scope(), message, text, session.policy(chat=chat))
        left = finish(call, session)
        after = session.store.memories.of_messages(session.scope(), [message])
    known = {each.text for each in before}
    gone = [each for each in before if each.text not in {now.text for now in after}]
    call.answer(
        {
            **serializers.observed(observed),
            **serializers.results(map(serializers.memory, after)),
            "gone": _shapes(gone),
            "degraded": list(left.warnings),
        },
        f"Changed in chat {chat}: {render.excerpt(text)}",
        *map(_gone, gone),
        *(render.learned(each) for each in after if each.text not in known),
    )
    call.mention(left.warnings)


@group.command(
    epilog=examples("recollect chats delete 01k9x2v7q3m5", "recollect chats delete 01k9x2v7q3m5 --yes")
)
@command
def delete(call: Call, message: MessageId, yes: Yes = False) -> None:
    """
    Delete a message, and what was learned from it alone.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). Memories you wrote
    or corrected yourself stay.
    """
    with call.open() as session:
        scope, found = session.scope(), session.store.messages.get(session.scope(), message)
        policy = session.policy(chat=found.chat)

        def deed() -> Sequence[Memory]:
            return session.engine.delete_message(scope, message, policy)

        if not yes:
            gone = _preview(call, rehearsed(session, deed), render.message(found))
            call.confirm(f"Delete this message{gone}?", yes=yes)
        taken = deed()
        left = finish(call, session)
    call.answer(
        {
            **serializers.message(found),
            "deleted": True,
            "gone": _shapes(taken),
            "degraded": list(left.warnings),
        },
        f"Deleted from chat {found.chat}: {render.excerpt(found.content)}",
        *map(_gone, taken),
    )
    call.mention(left.warnings)


@group.command(epilog=examples("recollect chats branch 01k9x2v7q3m5 trip-by-train"))
@command
def branch(
    call: Call,
    message: MessageId,
    new: Annotated[str, typer.Argument(metavar="NEWCHAT", help="What to call the new chat.")],
) -> None:
    """
    Begin a new chat with everything up to a message.

    The old chat stays as it is. What was learned up to there rests on both, and goes only when both are gone.
    """
    with call.open() as session:
        if session.scope(new).is_temporary:
            raise InvalidInput(
                f"A temporary chat holds nothing. Choose a name that does not begin with {TEMPORARY}"
            )
        made = session.engine.branch(session.scope(), message, new)
        left = finish(call, session)
    shape: Shape = {**serializers.chat(made), "degraded": list(left.warnings)}
    call.answer(shape, f"Chat {made.id} begins with {render.count(made.messages, 'message')}.")
    call.mention(left.warnings)


@group.command(epilog=examples("recollect chats forget trip", "recollect chats forget trip --yes"))
@command
def forget(call: Call, chat: ChatId, yes: Yes = False) -> None:
    """
    Delete a chat, and what was learned from it alone.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). It cannot be brought
    back. Memories that another chat also speaks for stay, and so do those you wrote or corrected yourself. `recollect
    erase chat` also looks that no byte of it is left in the file.
    """
    with call.open() as session:
        scope, policy = session.scope(chat), session.policy(chat=chat)
        found = session.store.chats.get(scope)

        def deed() -> Sequence[Memory]:
            return session.engine.delete_chat(scope, policy)

        counted = render.count(found.messages, "message")
        if not yes:
            gone = _preview(call, rehearsed(session, deed))
            call.confirm(f"Delete chat {chat} with {counted}{gone}?", yes=yes)
        taken = deed()
        left = finish(call, session)
    call.answer(
        {**serializers.chat(found), "deleted": True, "gone": _shapes(taken), "degraded": list(left.warnings)},
        f"Deleted chat {chat} with {counted}.",
        *map(_gone, taken),
    )
    call.mention(left.warnings)


def _preview(call: Call, gone: Sequence[Memory], *before: RenderableType) -> str:
    """Show what would go; return it as a part of the question."""
    if call.for_people:
        for each in (*before, *([render.memories(gone, wide=False)] if gone else [])):
            call.aside.print(each)
    return f" and {render.count(len(gone), 'memory', 'memories')} learned from it alone" if gone else ""


def _gone(memory: Memory) -> str:
    return f"No longer remembered ({memory.kind}): {render.excerpt(memory.text)}"


def _shapes(memories: Sequence[Memory]) -> list[Json]:
    return [serializers.memory(each) for each in memories]
