"""add: a text to remember, a message of a chat, or a whole file of messages."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples, given_text
from recollect.cli.drain import Left, bar, braking, finish
from recollect.cli.session import Session
from recollect.cli.transcript import Entry, Transcript
from recollect.domain.memory import Kind
from recollect.domain.message import Draft, Role
from recollect.domain.outcomes import Declined, New, Observed, Reinforces
from recollect.domain.policy import Policy
from recollect.domain.scope import DEFAULT_CHAT
from recollect.errors import InvalidInput
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

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
    mode: Annotated[
        str | None,
        typer.Option(metavar="M", help="How memory is used this once: on, collect_only, recall_only or off."),
    ] = None,
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
    Where memory does not listen (a temporary chat, the mode off or recall_only, a kind without consent) nothing is
    stored, and the answer says so.

    A file holds messages with `role` and `content`, and optionally `created_at`, `id` and `chat_id` (without one the
    chat is named after the file). It may be read again after Ctrl-C, or after more was appended: nothing is stored
    twice.
    """
    if file is not None and words:
        raise typer.BadParameter("give a text or --file, not both", param_hint="TEXT")
    if file is not None:
        _add_file(call, Transcript(path=file, chat=chat), mode, wait=wait)
    elif not words:
        raise typer.BadParameter("give a text, - to read one, or --file", param_hint="TEXT")
    elif role is not None:
        draft = Draft(role=Role.parse(role), content=given_text(words))
        _add_message(call, draft, chat, mode, wait=wait)
    else:
        _add_text(call, given_text(words), chat, kind, tag or [], mode, wait=wait)


def _policy(session: Session, chat: str | None, mode: str | None) -> Policy:
    # Without a name it goes into the default chat, whose mode holds.
    return session.policy({"memory.mode": mode}, chat=chat or DEFAULT_CHAT)


def _add_text(
    call: Call,
    text: str,
    chat: str | None,
    kind: Kind | None,
    tags: list[str],
    mode: str | None,
    *,
    wait: bool,
) -> None:
    with call.open() as session:
        policy = _policy(session, chat, mode)
        kept = session.engine.remember(session.scope(chat), text, policy, tags=tags, kind=kind)
        left = finish(call, session) if wait else Left()
    shape: Shape = {**serializers.results([serializers.kept(kept)]), "degraded": list(left.warnings)}
    call.answer(shape, _remembered(kept))
    if not isinstance(kept, Declined):
        call.note(f"`recollect show {kept.memory.id}` shows all of it.")
    call.mention(left.warnings)


def _remembered(kept: New | Reinforces | Declined) -> str:
    match kept:
        case Declined(reason=reason):
            return f"Not stored: {_cause(reason)}."
        case New(memory=memory):
            return f"Remembered ({memory.kind}): {render.excerpt(memory.text)}"
        case Reinforces(memory=memory):
            said = f"Known already, now said {memory.sightings} times"
            return f"{said} ({memory.kind}): {render.excerpt(memory.text)}"


def _cause(reason: str) -> str:
    return reason.removesuffix(": nothing was stored")


def _add_message(call: Call, draft: Draft, chat: str | None, mode: str | None, *, wait: bool) -> None:
    with call.open() as session:
        [observed] = session.engine.observe(session.scope(chat), [draft], _policy(session, chat, mode))
        left = finish(call, session) if wait else Left()
        learned = session.store.memories.of_messages(session.scope(), [observed.message.id])
    call.answer(
        {
            **serializers.results(map(serializers.memory, learned)),
            "messages": [serializers.observed(observed)],
            "degraded": list(left.warnings),
        },
        _stored(observed, wait=wait),
        *map(render.learned, learned),
    )
    if observed.masked:
        call.note(f"Masked before it was stored: {', '.join(observed.masked)}.")
    call.mention(left.warnings)


def _stored(observed: Observed, *, wait: bool) -> str:
    if not observed.stored:
        return f"Not stored: {_cause(observed.reason)}."
    judged = "judged" if wait else "to be judged"
    verdict = judged if observed.considered else "not judged"
    return (
        f"Stored in chat {observed.message.chat} as {observed.message.role}; {verdict} ({observed.reason})."
    )


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of the messages of a file."""

    new: int = 0
    known: int = 0
    unheard: int = 0  #: said where memory does not listen
    considered: int = 0
    skipped: list[str] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.new + self.known + self.unheard + len(self.skipped)

    def sentence(self) -> str:
        unheard = f", {self.unheard:,} not stored (memory does not listen there)" if self.unheard else ""
        skipped = f", {len(self.skipped):,} skipped" if self.skipped else ""
        return (
            f"{render.count(self.read, 'message')}: {self.new:,} new, {self.known:,} known{unheard}{skipped};"
            f" {self.considered:,} to be judged."
        )


def _add_file(call: Call, transcript: Transcript, mode: str | None, *, wait: bool) -> None:
    call.asked.resume = (
        f"What was read so far is stored. `recollect add --file {transcript.path}` goes on;"
        " nothing is stored twice."
    )
    # All of it is read once before anything is stored: a file with a broken line leaves no half behind.
    total = sum(1 for _ in transcript)
    with call.open() as session:
        before = session.store.memories.count(session.scope())
        tally = _store(call, session, transcript, total, mode)
        call.say(tally.sentence())
        left = finish(call, session, "Learning") if wait else Left()
        learned = session.store.memories.count(session.scope()) - before
    call.answer(
        {
            "file": str(transcript.path),
            "messages": tally.read,
            "new": tally.new,
            "known": tally.known,
            "unheard": tally.unheard,
            "considered": tally.considered,
            "skipped": list(tally.skipped),
            "learned": learned,
            "degraded": list(left.warnings),
        },
        f"{render.count(learned, 'memory', 'memories')} learned.",
    )
    call.mention([*(f"skipped {each}" for each in tally.skipped[:NAMED]), *left.warnings])


def _store(call: Call, session: Session, transcript: Transcript, total: int, mode: str | None) -> Tally:
    tally, entries = Tally(), iter(transcript)
    with braking(session.brake), bar(call.aside, "Storing", total=total) as shown:
        while not session.brake.pulled and (batch := list(islice(entries, BATCH))):
            policies = {chat: _policy(session, chat, mode) for chat in {entry.chat for entry in batch}}
            with session.store.transaction():
                for entry in batch:
                    _observe(session, entry, policies[entry.chat], tally)
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
    tally.unheard += not observed.stored
    tally.known += observed.stored and not observed.new
    tally.considered += observed.new and observed.considered
