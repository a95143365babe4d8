"""erase: out of the file for good, with a certificate."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples
from recollect.cli.session import Session
from recollect.domain.event import Certificate
from recollect.domain.memory import Memory
from recollect.errors import Refused
from recollect.ports.store import ALL
from recollect.serialization import serializers

app = commands()
group = commands()
app.add_typer(group, name="erase")

LOGICAL = "Only the rows are gone"


@group.callback(
    epilog=examples(
        "recollect erase memory 01k9x2v7q3m5",
        "recollect erase chat trip --yes",
        "recollect --user ana erase everything",
    )
)
@command
def erase(_call: Call) -> None:
    """
    Take a memory, a chat or everything out of the file for good.

    `forget` takes a memory out of use; `erase` deletes the rows, their index, vectors and receipts, and then looks
    through the bytes of the file to see that nothing is left. It cannot be undone. The certificate says what went. Exit
    code 5 means that the rows are gone but their bytes may still be on disk, and says why.
    """


@group.command(
    epilog=examples("recollect erase memory 01k9x2v7q3m5", "recollect erase memory 01k9x2v7q3m5 --yes")
)
@command
def memory(
    call: Call,
    wanted: Annotated[str, typer.Argument(metavar="ID", help="The memory, or the beginning of its id.")],
    yes: Yes = False,
) -> None:
    """
    Erase one memory with its history.

    A message that says nothing else goes with it; one that says more stays, and is named. The memory is not learned
    again from what stays; saying it anew teaches it anew.
    """
    with call.open() as session:
        found = session.store.memories.get(session.scope(), wanted)
        _show(call, [render.memories([found], wide=False)], yes=yes)
        call.confirm(f"Erase this memory and its {render.count(found.version, 'version')} for good?", yes=yes)
        done = session.engine.erase_memory(session.scope(), found.id)
        sources = dict.fromkeys(span.message_id for span in found.spans)
        still = [each for each in sources if session.engine.exists(session.scope(), each)]
    for each in still:
        call.note(f"The message it was learned from stays; `recollect chats delete {each}` deletes that.")
    _certify(call, done)


@group.command(epilog=examples("recollect erase chat trip", "recollect erase chat trip --yes"))
@command
def chat(
    call: Call,
    chat: Annotated[str, typer.Argument(metavar="ID", help="The chat.")],
    yes: Yes = False,
) -> None:
    """
    Erase a chat, and what was learned in it alone.

    Its messages, summaries, receipts and queued work go with it. Memories that also rest on another chat stay.
    """
    with call.open() as session:
        found = session.store.chats.get(session.scope(chat))
        alone = _only_in(session, chat)
        _show(call, [render.memories(alone, wide=False)] if alone else [], yes=yes)
        question = f"Erase chat {chat} with {render.count(found.messages, 'message')}{_and(alone)} for good?"
        call.confirm(question, yes=yes)
        done = session.engine.erase_chat(session.scope(chat))
    _certify(call, done)


@group.command(epilog=examples("recollect --user ana erase everything", "recollect erase everything --yes"))
@command
def everything(call: Call, yes: Yes = False) -> None:
    """
    Erase all that is known about the user, the ledger included.

    On a terminal the name of the user is to be typed; where nobody can be asked it takes --yes (otherwise exit code 4).
    Other users of the file are not touched.
    """
    with call.open() as session:
        held = session.store.upkeep.stats(session.scope())
        counted = (
            render.count(held.memories, "memory", "memories"),
            render.count(held.messages, "message"),
            render.count(held.chats, "chat"),
            render.count(held.summaries, "summary", "summaries"),
        )
        _sure(f"This erases everything about {session.user}: {', '.join(counted)}.", session.user, yes=yes)
        done = session.engine.erase_user(session.user)
    _certify(call, done)


def _only_in(session: Session, chat: str) -> Sequence[Memory]:
    said = {message.id for message in session.store.messages.list(session.scope(chat), limit=ALL)}
    resting = session.store.memories.of_messages(session.scope(), sorted(said))
    return [each for each in resting if all(span.message_id in said for span in each.spans)]


def _and(gone: Sequence[Memory]) -> str:
    return f" and {render.count(len(gone), 'memory', 'memories')}" if gone else ""


def _show(call: Call, lines: Sequence[RenderableType], *, yes: bool) -> None:
    if call.for_people and not yes:
        for line in lines:
            call.aside.print(line)


def _sure(warning: str, name: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{warning} Nobody is here to answer; repeat the command with --yes.")
    typer.echo(warning, err=True)
    if typer.prompt(f"Type {name} to go on", default="", show_default=False, err=True) != name:
        raise Refused("That is another name. Nothing was changed.")


def _certify(call: Call, done: Certificate) -> None:
    rows = ", ".join(f"{number:,} in {table}" for table, number in done.rows.items() if number)
    call.answer(
        serializers.certificate(done),
        render.fields(
            {
                "erased": done.what,
                "rows": rows or "none",
                "looked at": f"{done.bytes_scanned:,} bytes of the file and its log",
                "gone": "from the disk" if done.physical else "from the tables only",
                "detail": done.detail,
            }
        ),
    )
    call.end_degraded([] if done.physical else [f"{LOGICAL}: {done.detail}"])
