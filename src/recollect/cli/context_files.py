"""context-files: texts that are at hand in the chats they are attached to."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples, file_text
from recollect.domain.summary import ContextFile
from recollect.serialization import serializers

app = commands()
group = commands()
app.add_typer(group, name="context-files")

Name: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="The file's name, or the beginning of its id.")
]
Chat: TypeAlias = Annotated[str, typer.Option("--chat", metavar="C", help="The chat.")]


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect context-files",
        "recollect context-files add style guide.md --chat work",
        "recollect context-files attach style --chat play",
        "recollect context-files delete style --yes",
    ),
)
@command
def context_files(call: Call) -> None:
    """
    List texts that are at hand in chats, or change them.

    A context file stands in every prompt of the chats it is attached to, and what it says is not remembered a second
    time.
    """
    with call.open() as session:
        listed = session.store.contexts.list(session.scope())
    rows = [
        (
            each.name,
            f"{len(each.content):,}",
            ", ".join(each.chats) or "(none)",
            render.when(each.created_at),
            each.id,
        )
        for each in listed
    ]
    call.answer(
        serializers.results(map(serializers.context_file, listed)),
        *([render.table("name", "#characters", "chats", "!added", "!id", rows=rows)] if rows else []),
    )
    if not rows:
        call.note("No context files yet. `recollect context-files add NAME FILE` adds one.")


@group.command(
    epilog=examples(
        "recollect context-files add style guide.md --chat work",
        "pandoc notes.docx -t plain | recollect context-files add notes -",
    )
)
@command
def add(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A text file; - reads standard input.")],
    chat: Annotated[str | None, typer.Option(metavar="C", help="Attach it to this chat at once.")] = None,
) -> None:
    """
    Keep a text at hand.

    A copy is kept in the memory file, with secrets masked; later changes of the file are not seen.
    """
    content = file_text(file)
    with call.open() as session:
        kept = session.engine.keep_file(session.scope(chat), name, content, session.policy(chat=chat))
    call.answer(serializers.context_file(kept), _told(kept))
    if chat is None:
        call.note(f"`recollect context-files attach {name} --chat C` makes it available in a chat.")


def _told(kept: ContextFile) -> str:
    where = f", attached to {', '.join(kept.chats)}" if kept.chats else ""
    return f"Kept {kept.name} ({render.count(len(kept.content), 'character')}){where}."


@group.command(
    epilog=examples("recollect context-files show style", "recollect context-files show style --json")
)
@command
def show(call: Call, name: Name) -> None:
    """Print a context file as it is kept."""
    with call.open() as session:
        found = session.store.contexts.get(session.scope(), name)
    if call.for_people:
        call.block(found.content)
    else:
        call.answer(serializers.context_file(found, whole=True))


@group.command(epilog=examples("recollect context-files attach style --chat work"))
@command
def attach(call: Call, name: Name, chat: Chat) -> None:
    """Make a context file available in a chat."""
    with call.open() as session:
        session.store.contexts.attach(session.scope(chat), name)
        found = session.store.contexts.get(session.scope(), name)
    call.answer(serializers.context_file(found), f"{found.name} is at hand in {', '.join(found.chats)}.")


@group.command(epilog=examples("recollect context-files detach style --chat work"))
@command
def detach(call: Call, name: Name, chat: Chat) -> None:
    """Take a context file out of a chat; it is kept."""
    with call.open() as session:
        session.store.contexts.detach(session.scope(chat), name)
        found = session.store.contexts.get(session.scope(), name)
    call.answer(serializers.context_file(found), f"{found.name} is no longer at hand in {chat}.")


@group.command(
    epilog=examples("recollect context-files delete style", "recollect context-files delete style --yes")
)
@command
def delete(call: Call, name: Name, yes: Yes = False) -> None:
    """
    Delete a context file, in every chat.

    Asks before; where nobody can be asked it takes --yes (otherwise exit code 4). The file it was read from is not
    touched.
    """
    with call.open() as session:
        found = session.store.contexts.get(session.scope(), name)
        where = f", which is at hand in {', '.join(found.chats)}" if found.chats else ""
        call.confirm(f"Delete context file {found.name}{where}?", yes=yes)
        session.store.contexts.delete(session.scope(), found.id)
    call.answer({**serializers.context_file(found), "deleted": True}, f"Deleted context file {found.name}.")
