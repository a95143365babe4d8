"""list, show, edit, forget and history: what is remembered."""

from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import Call, Yes, command, commands, examples, given_text
from recollect.cli.drain import finish
from recollect.cli.session import Session
from recollect.cli.sources import quotes
from recollect.domain.memory import Kind, Memory, Standing
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

app = commands()

MemoryId: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="The memory, or the beginning of its id.")
]


@app.command(
    "list",
    epilog=examples(
        "recollect list",
        "recollect list --kind pref --limit 10",
        "recollect list --standing forgotten --json",
    ),
)
@command
def list_(
    call: Call,
    kind: Annotated[
        Kind | None, typer.Option(metavar="K", help=f"Only {', '.join(Kind)}.", show_choices=False)
    ] = None,
    tag: Annotated[str | None, typer.Option(metavar="T", help="Only with this tag.")] = None,
    standing: Annotated[
        Standing, typer.Option(metavar="S", help=f"{', '.join(Standing)}.", show_choices=False)
    ] = Standing.ACTIVE,
    every: Annotated[bool, typer.Option("--all", help="Whatever their standing.")] = False,
    chat: Annotated[str | None, typer.Option(metavar="C", help="Only those first said in this chat.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Memories at most.")] = 100,
) -> None:
    """
    List memories, the most recently seen first.

    Without options these are the active ones. Forgotten, superseded and archived memories are kept, out of use;
    --standing or --all shows them. Long texts are cut in the table, not with --json.
    """
    with call.open() as session:
        listed = session.store.memories.list(
            session.scope(chat), limit=limit, standing=None if every else standing, kind=kind, tag=tag
        )
    call.answer(
        serializers.results(map(serializers.memory, listed)),
        *([render.memories(listed, wide=call.wide)] if listed else []),
    )
    if not listed:
        call.note('Nothing here. `recollect add "..."` remembers a text.')


@app.command(epilog=examples("recollect show 01k9x2v7q3m5", "recollect show 01k9x2v7q3m5 --json"))
@command
def show(
    call: Call,
    wanted: Annotated[
        str, typer.Argument(metavar="ID", help="A memory, the beginning of its id, or a message.")
    ],
) -> None:
    """
    Show a memory or a message in full.

    For a memory that is its text, its weight, its standing, and the words of the messages that it rests on.
    """
    with call.open() as session:
        if session.engine.exists(session.scope(), wanted):
            message = session.store.messages.get(session.scope(), wanted)
            call.answer(serializers.message(message), render.message(message))
            return
        memory = _memory(session, wanted)
        call.answer(serializers.memory(memory), render.memory(memory, quotes(session, memory)))


@app.command(
    epilog=examples(
        'recollect edit 01k9x2v7q3m5 "I am vegan since May"', "recollect edit 01k9x2v7q3m5 - < corrected.txt"
    )
)
@command
def edit(
    call: Call,
    wanted: MemoryId,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What it should say; - reads it.")],
) -> None:
    """
    Correct what a memory says.

    The new text is found at once; the old one stays in the memory's history.
    """
    text = given_text(words)
    with call.open() as session:
        saved = session.engine.correct(session.scope(), wanted, text, session.policy())
        left = finish(call, session)
    shape: Shape = {**serializers.memory(saved), "degraded": list(left.warnings)}
    call.answer(shape, f"Corrected: {render.excerpt(saved.text)}")
    call.note(f"`recollect history {saved.id}` shows what it said before.")
    call.mention(left.warnings)


@app.command(
    epilog=examples(
        "recollect forget 01k9x2v7q3m5", "recollect forget 01k9x2v7q3m5 01k9x2v7r0aa --yes --json"
    )
)
@command
def forget(
    call: Call,
    wanted: Annotated[
        list[str], typer.Argument(metavar="ID", help="Memories, or the beginnings of their ids.")
    ],
    yes: Yes = False,
) -> None:
    """
    Take memories out of use.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). A forgotten
    memory is not found or used any more, and does not come back unless you say it anew; `recollect history` still shows
    it, and `recollect undo` brings it back. `recollect erase` takes it out of the file for good.
    """
    with call.open() as session:
        chosen = {memory.id: memory for memory in (_memory(session, each) for each in wanted)}
        if not yes and call.for_people:
            call.aside.print(render.memories(list(chosen.values()), wide=False))
        call.confirm(f"Forget {render.count(len(chosen), 'memory', 'memories')}?", yes=yes)
        with session.store.transaction():
            gone = [session.engine.forget(session.scope(), each) for each in chosen]
    call.answer(
        serializers.results(map(serializers.memory, gone)),
        *(f"Forgotten: {render.excerpt(each.text)}" for each in gone),
    )
    for each in gone:
        call.note(f"`recollect history {each.id}` still shows it.")


def _memory(session: Session, wanted: str) -> Memory:
    return session.store.memories.get(session.scope(), wanted)


@app.command(epilog=examples("recollect history 01k9x2v7q3m5", "recollect history 01k9x2v7q3m5 --json"))
@command
def history(call: Call, wanted: MemoryId) -> None:
    """
    Show every version of a memory.

    Oldest first: what it said, what happened to it, when, and why. Forgotten memories have a history too.
    """
    with call.open() as session:
        versions = session.store.memories.history(session.scope(), wanted)
    call.answer(serializers.results(map(serializers.version, versions)), render.versions(versions))
