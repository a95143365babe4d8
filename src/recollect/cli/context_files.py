"""The `profile context-files` commands: texts included in every prompt of the chats they are attached to."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import (
    CommandContext,
    YesOption,
    command,
    format_examples,
    make_typer,
    read_text_file,
)
from recollect.domain.summary import ContextFile
from recollect.serialization import serializers

group = make_typer()

NameArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the context file, or a prefix of its id.")
]
ChatOption: TypeAlias = Annotated[str, typer.Option("--chat", metavar="C", help="Chat id.")]


@group.callback(
    epilog=format_examples(
        "recollect profile context-files",
        "recollect profile context-files add style guide.md --chat work",
        "recollect profile context-files attach style --chat play",
        "recollect profile context-files delete style --yes",
    )
)
@command
def context_files(_ctx: CommandContext) -> None:
    """
    List, add, attach or delete context files.

    A context file is included in every prompt of the chats it is attached to. Facts it contains are not stored again
    as memories. Without a subcommand, the files are listed.
    """


@group.command("list", epilog=format_examples("recollect profile context-files list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List context files with the chats they are attached to."""
    with ctx.open_session() as session:
        files = session.services.profile.context_files(session.scope())
    rows = [
        (
            each.name,
            f"{len(each.content):,}",
            ", ".join(each.chats) or "(none)",
            render.format_time(each.created_at),
            short_id,
        )
        for each, short_id in zip(files, render.short_ids([each.id for each in files]), strict=True)
    ]
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_context_file, files)),
        *([render.table("name", "#characters", "chats", "!added", "!id", rows=rows)] if rows else []),
    )
    if not rows:
        ctx.info("No context files yet. Add one with `recollect profile context-files add NAME FILE`.")


@group.command(
    epilog=format_examples(
        "recollect profile context-files add style guide.md --chat work",
        "pandoc notes.docx -t plain | recollect profile context-files add notes -",
    )
)
@command
def add(
    ctx: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the context file.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Text file; - reads standard input.")],
    chat: Annotated[str | None, typer.Option(metavar="C", help="Attach it to this chat.")] = None,
) -> None:
    """
    Add a context file.

    A copy is stored in the memory file, with secrets redacted. Later changes to the original have no effect.
    """
    content = read_text_file(file)
    with ctx.open_session(creates=True) as session:
        context_file = session.services.profile.add_context_file(
            session.scope(chat), name, content, session.policy(chat=chat)
        )
    ctx.print_result(serializers.serialize_context_file(context_file), _describe_file(context_file))
    if chat is None:
        ctx.info(f"Attach it to a chat with `recollect profile context-files attach {name} --chat C`.")


def _describe_file(context_file: ContextFile) -> str:
    attached_part = f", attached to {', '.join(context_file.chats)}" if context_file.chats else ""
    characters = render.format_count(len(context_file.content), "character")
    return f"Added {context_file.name} ({characters}){attached_part}."


@group.command(
    epilog=format_examples(
        "recollect profile context-files show style", "recollect profile context-files show style --json"
    )
)
@command
def show(ctx: CommandContext, name: NameArgument) -> None:
    """Print the stored text of a context file."""
    with ctx.open_session() as session:
        context_file = session.services.profile.context_file(session.scope(), name)
    if ctx.is_text:
        ctx.print_raw(context_file.content)
    else:
        ctx.print_result(serializers.serialize_context_file(context_file, include_content=True))


@group.command(epilog=format_examples("recollect profile context-files attach style --chat work"))
@command
def attach(ctx: CommandContext, name: NameArgument, chat: ChatOption) -> None:
    """Attach a context file to a chat."""
    with ctx.open_session() as session:
        context_file = session.services.profile.attach_context_file(session.scope(chat), name)
    ctx.print_result(
        serializers.serialize_context_file(context_file),
        f"{context_file.name} is attached to {', '.join(context_file.chats)}.",
    )


@group.command(epilog=format_examples("recollect profile context-files detach style --chat work"))
@command
def detach(ctx: CommandContext, name: NameArgument, chat: ChatOption) -> None:
    """Detach a context file from a chat without deleting it."""
    with ctx.open_session() as session:
        context_file = session.services.profile.detach_context_file(session.scope(chat), name)
    ctx.print_result(
        serializers.serialize_context_file(context_file),
        f"{context_file.name} is detached from {chat}.",
    )


@group.command(
    epilog=format_examples(
        "recollect profile context-files delete style", "recollect profile context-files delete style --yes"
    )
)
@command
def delete(ctx: CommandContext, name: NameArgument, yes: YesOption = False) -> None:
    """
    Delete a context file and detach it from all chats.

    Asks for confirmation; without a terminal, --yes is required (otherwise exit code 4). The original file on disk is
    not touched.
    """
    with ctx.open_session() as session:
        context_file = session.services.profile.context_file(session.scope(), name)
        attached_part = f", attached to {', '.join(context_file.chats)}" if context_file.chats else ""
        ctx.confirm(f"Delete context file {context_file.name}{attached_part}?", yes=yes)
        session.services.profile.delete_context_file(session.scope(), context_file.id)
    ctx.print_result(
        {**serializers.serialize_context_file(context_file), "deleted": True},
        f"Deleted context file {context_file.name}.",
    )
