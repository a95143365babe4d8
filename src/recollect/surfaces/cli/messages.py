"""add: a text to remember, a message of a chat, or a whole file of messages."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.model.memory import Kind
from recollect.model.message import Draft, Role
from recollect.model.outcome import New
from recollect.model.policy import Policy
from recollect.surfaces import shapes
from recollect.surfaces.cli import render
from recollect.surfaces.cli.command import Call, command, commands, examples, given_text
from recollect.surfaces.cli.session import Session
from recollect.surfaces.cli.transcript import Entry, Transcript
from recollect.surfaces.cli.work import Left, bar, braking, finish
from recollect.surfaces.shapes import Shape

app = commands()

#: Messages of a file that are stored in one transaction.
BATCH = 100
#: Messages of a file that could not be stored and are named one by one.
NAMED = 5


@app.command(
    epilog=examples(
        'recollect add "I\'m vegetarian and hate cilantro"',
        "echo 'We deploy on Fridays' | recollect add - --tag work",
        'recollect add --role user --chat trip "We fly to Porto on 3 May"',
        "recollect add --file history.jsonl",
    )
)
@command
def add(
    call: Call,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input."),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            metavar="R", help="Store it as a message of user, assistant, system or tool, and learn from it."
        ),
    ] = None,
    chat: Annotated[str | None, typer.Option(metavar="C", help="The chat it belongs to.")] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(
            metavar="K", help=f"What it is: {', '.join(Kind)}. Found out if not given.", show_choices=False
        ),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="T", help="A tag; may be repeated.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Messages to store: one JSON object a line, or a JSON list."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Do the background work now, or leave it to a worker.")
    ] = True,
) -> None:
    """
    Remember a text, a message, or a file of messages.

    A TEXT is remembered as it is. With --role it is stored as a message of a chat instead, and facts are extracted
    from it. When the command returns, what was given is on disk and, unless --no-wait, findable by meaning.

    A file holds messages with `role` and `content`, and optionally `created_at`, `id` and `chat_id` (without one the
    chat is named after the file). It may be read again after Ctrl-C, or after more was appended: nothing is stored
    twice.
    """
    if file is not None and words:
        raise typer.BadParameter("give a text or --file, not both", param_hint="TEXT")
    if file is not None:
        _add_file(call, Transcript(path=file, chat=chat), wait=wait)
    elif not words:
        raise typer.BadParameter("give a text, - to read one, or --file", param_hint="TEXT")
    elif role is not None:
        _add_message(call, Draft(role=Role.parse(role), content=given_text(words)), chat, wait=wait)
    else:
        _add_text(call, given_text(words), chat, kind, tag or [], wait=wait)


def _add_text(
    call: Call, text: str, chat: str | None, kind: Kind | None, tags: list[str], *, wait: bool
) -> None:
    with call.open() as session:
        scope, policy = session.scope(chat), session.policy()
        kept = session.engine.remember(scope, text, policy, tags=tags, kind=kind)
        left = finish(call, session) if wait else Left()
    memory = kept.memory
    said = "Remembered" if isinstance(kept, New) else f"Known already, now said {memory.sightings} times"
    shape: Shape = {**shapes.results([shapes.kept(kept)]), "degraded": list(left.warnings)}
    call.answer(shape, f"{said} ({memory.kind}): {render.excerpt(memory.text)}")
    call.note(f"`recollect show {memory.id}` shows all of it.")
    call.mention(left.warnings)


def _add_message(call: Call, draft: Draft, chat: str | None, *, wait: bool) -> None:
    with call.open() as session:
        [observed] = session.engine.observe(session.scope(chat), [draft], session.policy())
        left = finish(call, session) if wait else Left()
        learned = session.store.memories.of_messages(session.scope(), [observed.message.id])
    judged = "judged" if wait else "to be judged"
    verdict = judged if observed.considered else "not judged"
    call.answer(
        {
            **shapes.results(map(shapes.memory, learned)),
            "messages": [shapes.observed(observed)],
            "degraded": list(left.warnings),
        },
        f"Stored in chat {observed.message.chat} as {observed.message.role}; {verdict} ({observed.reason}).",
        *(f"Learned ({each.kind}): {render.excerpt(each.text)}" for each in learned),
    )
    call.mention(left.warnings)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of the messages of a file."""

    new: int = 0
    known: int = 0
    considered: int = 0
    skipped: list[str] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.new + self.known + len(self.skipped)

    def sentence(self) -> str:
        skipped = f", {len(self.skipped):,} skipped" if self.skipped else ""
        return (
            f"{render.count(self.read, 'message')}: {self.new:,} new, {self.known:,} known{skipped};"
            f" {self.considered:,} to be judged."
        )


def _add_file(call: Call, transcript: Transcript, *, wait: bool) -> None:
    call.asked.resume = (
        f"What was read so far is stored. `recollect add --file {transcript.path}` goes on;"
        " nothing is stored twice."
    )
    # All of it is read once before anything is stored: a file with a broken line leaves no half behind.
    total = sum(1 for _ in transcript)
    with call.open() as session:
        before = session.store.memories.count(session.scope())
        tally = _store(call, session, transcript, total)
        call.say(tally.sentence())
        left = finish(call, session, "Learning") if wait else Left()
        learned = session.store.memories.count(session.scope()) - before
    call.answer(
        {
            "file": str(transcript.path),
            "messages": tally.read,
            "new": tally.new,
            "known": tally.known,
            "considered": tally.considered,
            "skipped": list(tally.skipped),
            "learned": learned,
            "degraded": list(left.warnings),
        },
        f"{render.count(learned, 'memory', 'memories')} learned.",
    )
    call.mention([*(f"skipped {each}" for each in tally.skipped[:NAMED]), *left.warnings])


def _store(call: Call, session: Session, transcript: Transcript, total: int) -> Tally:
    tally, entries = Tally(), iter(transcript)
    with braking(session.brake), bar(call.aside, "Storing", total=total) as shown:
        while not session.brake.pulled and (batch := list(islice(entries, BATCH))):
            policy = session.policy()
            with session.store.transaction():
                for entry in batch:
                    _observe(session, entry, policy, tally)
            shown.move(done=tally.read, total=total)
    return tally


def _observe(session: Session, entry: Entry, policy: Policy, tally: Tally) -> None:
    try:
        [observed] = session.engine.observe(session.scope(entry.chat), [entry.draft], policy)
    except InvalidInput as error:
        # Real exports hold empty messages; they are named, and the others stored.
        tally.skipped.append(f"{entry.place}: {error}")
        return
    tally.new += observed.new
    tally.known += not observed.new
    tally.considered += observed.new and observed.considered
