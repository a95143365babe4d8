"""The `privacy erase` commands: permanent deletion with an erasure certificate."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import (
    NOT_INTERACTIVE,
    CommandContext,
    YesOption,
    command,
    format_examples,
    make_typer,
)
from recollect.domain.event import ErasureCertificate
from recollect.domain.memory import Memory
from recollect.errors import Refused
from recollect.serialization import serializers

group = make_typer()

LOGICAL_ONLY_WARNING = "Only the rows were deleted"


@group.callback(
    epilog=format_examples(
        "recollect privacy erase memory 01k9x2v7q3m5",
        "recollect privacy erase chat trip --yes",
        "recollect --user ana privacy erase everything",
    )
)
@command
def erase(_ctx: CommandContext) -> None:
    """
    Permanently erase a memory, a chat or all data of a user.

    `forget` takes a memory out of use; `erase` deletes its rows, index entries, vectors and the queries that recalled
    it, then scans the bytes of the file to verify that nothing is left. This cannot be undone. A certificate lists what
    was erased. Exit code 5 means that the rows are deleted but some bytes may still be on disk; the certificate says
    why.
    """


@group.command(
    epilog=format_examples(
        "recollect privacy erase memory 01k9x2v7q3m5", "recollect privacy erase memory 01k9x2v7q3m5 --yes"
    )
)
@command
def memory(
    ctx: CommandContext,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="Memory id, or a prefix of it.")],
    yes: YesOption = False,
) -> None:
    """
    Erase a memory and its history.

    A source message that contains nothing else is erased as well; one that contains more is kept and reported. The
    memory is not extracted again from messages that are kept, only from new ones.
    """
    with ctx.open_session() as session:
        [stored_memory] = session.services.privacy.preview_erase_memory(session.scope(), memory_id).memories
        _print_preview(ctx, [render.memories([stored_memory], wide=False)], yes=yes)
        ctx.confirm(
            f"Permanently erase this memory ({render.format_count(stored_memory.version, 'version')})?",
            yes=yes,
        )
        certificate = session.services.privacy.erase_memory(session.scope(), stored_memory.id)
        sources = dict.fromkeys(span.message_id for span in stored_memory.spans)
        remaining_messages = [
            each for each in sources if session.services.ingest.message_exists(session.scope(), each)
        ]
    for each in remaining_messages:
        ctx.info(f"The source message was kept. Delete it with `recollect chats delete --message {each}`.")
    _print_certificate(ctx, certificate)


@group.command(
    epilog=format_examples("recollect privacy erase chat trip", "recollect privacy erase chat trip --yes")
)
@command
def chat(
    ctx: CommandContext,
    chat: Annotated[str, typer.Argument(metavar="ID", help="Chat id.")],
    yes: YesOption = False,
) -> None:
    """
    Erase a chat and the memories learned only from it.

    Its messages, summaries, receipts and queued jobs are erased as well. Memories that another chat also supports are
    kept.
    """
    with ctx.open_session() as session:
        preview = session.services.privacy.preview_erase_chat(session.scope(chat))
        exclusive_memories = preview.memories
        _print_preview(
            ctx, [render.memories(exclusive_memories, wide=False)] if exclusive_memories else [], yes=yes
        )
        question = (
            f"Permanently erase chat {chat} with"
            f" {render.format_count(preview.rows['messages'], 'message')}"
            f"{_format_memories_part(exclusive_memories)}?"
        )
        ctx.confirm(question, yes=yes)
        certificate = session.services.privacy.erase_chat(session.scope(chat))
    _print_certificate(ctx, certificate)


@group.command(
    epilog=format_examples(
        "recollect --user ana privacy erase everything", "recollect privacy erase everything --yes"
    )
)
@command
def everything(ctx: CommandContext, yes: YesOption = False) -> None:
    """
    Erase all data of the user, the audit log included.

    On a terminal you confirm by typing the user's name; without one, --yes is required (otherwise exit code 4). Data of
    other users is not touched.
    """
    with ctx.open_session() as session:
        rows = session.services.privacy.preview_erase_user(session.user).rows
        counts = (
            render.format_count(rows["memories"], "memory", "memories"),
            render.format_count(rows["messages"], "message"),
            render.format_count(rows["chats"], "chat"),
            render.format_count(rows["summaries"], "summary", "summaries"),
        )
        _confirm_user_name(
            f"This permanently erases all data of user {session.user}: {', '.join(counts)}.",
            session.user,
            yes=yes,
        )
        certificate = session.services.privacy.erase_user(session.user)
    _print_certificate(ctx, certificate)


def _format_memories_part(memories: Sequence[Memory]) -> str:
    return f" and {render.format_count(len(memories), 'memory', 'memories')}" if memories else ""


def _print_preview(ctx: CommandContext, lines: Sequence[RenderableType], *, yes: bool) -> None:
    if ctx.is_text and not yes:
        for line in lines:
            ctx.stderr.print(line)


def _confirm_user_name(warning: str, name: str, *, yes: bool) -> None:
    if yes:
        return
    typer.echo(warning, err=True)
    if not sys.stdin.isatty():
        raise Refused(NOT_INTERACTIVE)
    if typer.prompt(f"Type {name} to confirm", default="", show_default=False, err=True) != name:
        raise Refused("The name does not match. Nothing was changed.")


def _print_certificate(ctx: CommandContext, certificate: ErasureCertificate) -> None:
    rows = ", ".join(f"{number:,} in {table}" for table, number in certificate.rows.items() if number)
    ctx.print_result(
        serializers.serialize_certificate(certificate),
        render.fields(
            {
                "erased": certificate.target,
                "rows": rows or "none",
                "scanned": f"{certificate.bytes_scanned:,} bytes of the file and its WAL",
                "removed": "from disk" if certificate.is_physical else "from the tables only",
                "detail": certificate.detail,
            }
        ),
    )
    ctx.exit_degraded([] if certificate.is_physical else [f"{LOGICAL_ONLY_WARNING}: {certificate.detail}"])
