"""export and import: memories out of the file, and into another one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.errors import InvalidInput, NotFound
from recollect.model.compact import from_compact, to_compact
from recollect.model.event import Action, Step
from recollect.model.memory import Memory, Origin, Standing
from recollect.model.message import Draft
from recollect.model.outcome import Buried, Contested, Declined, Kept, Known, New, Reinforces, Supersedes
from recollect.model.policy import Policy
from recollect.ports.embedder import Vector
from recollect.surfaces import shapes
from recollect.surfaces.cli import render
from recollect.surfaces.cli.command import Call, command, commands, examples, file_text
from recollect.surfaces.cli.session import Session
from recollect.surfaces.cli.work import finish
from recollect.surfaces.shapes import Shape

app = commands()

#: More memories than anybody has.
ALL = 2**31


class Format(StrEnum):
    COMPACT = "compact"  #: one JSON list of very short entries; can be read back
    JSONL = "jsonl"  #: one JSON object a line, as `--json` shows memories


@app.command(
    epilog=examples(
        "recollect export memories.json",
        "recollect export --format jsonl | jq .memory",
        "recollect --user ana export --all ana.json",
    )
)
@command
def export(
    call: Call,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to; without it to standard output.")
    ] = None,
    shape: Annotated[
        Format, typer.Option("--format", metavar="F", help="compact or jsonl.", show_choices=False)
    ] = Format.COMPACT,
    every: Annotated[
        bool, typer.Option("--all", help="Also what is not in use: archived, forgotten.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Overwrite FILE without asking.")] = False,
) -> None:
    """
    Write memories to a file.

    The compact format is one JSON list of very short entries (`t` kind, `c` content, `w` weight, `d` day, and what
    differs from the ordinary); nothing of a memory is lost in it, and `recollect import` reads it. The other one has an
    object a line, for other programs.
    """
    with call.open() as session:
        standing = None if every else Standing.ACTIVE
        listed = session.store.memories.list(session.scope(), limit=ALL, standing=standing)
    text = _written(listed, shape)
    counted = render.count(len(listed), "memory", "memories")
    if file is not None:
        _save(call, file, text, yes=yes)
        call.answer(
            {"file": str(file), "format": shape, "memories": len(listed)}, f"{counted} written to {file}."
        )
    elif call.for_people:
        call.block(text)
        call.note(f"{counted}.")
    else:
        entries = (
            json.loads(to_compact(listed)) if shape is Format.COMPACT else list(map(shapes.memory, listed))
        )
        call.answer({"format": shape, "memories": entries})


def _written(memories: Sequence[Memory], shape: Format) -> str:
    if shape is Format.COMPACT:
        return to_compact(memories)
    return "".join(json.dumps(shapes.memory(each), ensure_ascii=False) + "\n" for each in memories)


def _save(call: Call, file: Path, text: str, *, yes: bool) -> None:
    if file.exists():
        call.confirm(f"{file} exists. Overwrite it?", yes=yes)
    try:
        # Only its owner may read what is remembered.
        file.touch(mode=0o600)
        file.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}. Name another file.") from error


@dataclass(slots=True, kw_only=True)
class Arrival:
    """What became of the memories of a file."""

    kept: list[Memory] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    known: int = 0
    left_out: dict[str, str] = field(default_factory=dict)  #: text and why

    def sentence(self) -> str:
        known = f", {self.known:,} known already" if self.known else ""
        left = f", {len(self.left_out):,} left out" if self.left_out else ""
        return f"{render.count(len(self.kept), 'memory', 'memories')} imported{known}{left}."


@app.command(
    "import", epilog=examples("recollect import memories.json", "recollect --user ana import - < ana.json")
)
@command
def import_(
    call: Call, file: Annotated[Path, typer.Argument(metavar="FILE", help="A compact export; - reads one.")]
) -> None:
    """
    Read memories from a compact export.

    Each takes its place among what is known: what is there already is not stored twice, what was forgotten does not
    come back, and what you did not consent to is left out. Only memories in use are read. `recollect undo` takes the
    whole import back.
    """
    text = file_text(file)
    with call.open() as session:
        read = from_compact(text, user=session.user, now=session.engine.clock.now())
        arrival = _take_in(session, read, session.policy())
        left = finish(call, session)
    call.answer(_shape(arrival, left.warnings), arrival.sentence())
    for said, why in arrival.left_out.items():
        call.note(f"Left out: {render.excerpt(said)} ({why})")
    call.mention(left.warnings)


def _shape(arrival: Arrival, warnings: Sequence[str]) -> Shape:
    return {
        **shapes.results(map(shapes.memory, arrival.kept)),
        "known": arrival.known,
        "left_out": [{"memory": text, "reason": why} for text, why in arrival.left_out.items()],
        "degraded": list(warnings),
    }


def _take_in(session: Session, memories: Sequence[Memory], policy: Policy) -> Arrival:
    engine, arrival = session.engine, Arrival()
    ready = [_cleaned(session, memory, policy) for memory in memories]
    vectors = engine.vectors([memory.text for memory in ready])
    with session.store.transaction():
        for memory in ready:
            _place(session, memory, arrival, vectors, policy)
        if arrival.steps:
            # One event for all of them, so that one undo takes the whole import back.
            engine.record(session.user, Action.LEARN, *arrival.steps)
    return arrival


def _cleaned(session: Session, memory: Memory, policy: Policy) -> Memory:
    """As if it were said here: secrets masked, and without sources that are not in this file."""
    draft = Draft(role=memory.speaker, content=memory.text)
    text = session.engine.intake(session.scope(), draft, policy).message.content
    return replace(
        memory, text=text, origin=Origin.IMPORT, spans=(), chat=None, version=1, superseded_by=None
    )


def _place(
    session: Session, memory: Memory, arrival: Arrival, vectors: Mapping[str, Vector], policy: Policy
) -> None:
    scope, engine = session.scope(), session.engine
    if why := _unwanted(session, memory):
        arrival.left_out[memory.text] = why
    elif session.store.memories.by_hash(scope, memory.fact_hash) is not None:
        arrival.known += 1
    else:
        named = replace(memory, id=_free_id(session, memory.id))
        model = engine.embedder.model_id if engine.embedder else None
        kept = engine.keep(named, policy.keep, vector=vectors.get(memory.text), model=model)
        _account(arrival, kept, named)


def _unwanted(session: Session, memory: Memory) -> str | None:
    store, scope = session.store, session.scope()
    if memory.standing is not Standing.ACTIVE:
        return f"it is {memory.standing}"
    if not store.consents.all(scope).get(memory.kind, True):
        return f"no consent for {memory.kind}"
    if store.tombstones.buried_at(session.user, memory.fact_hash) is not None:
        return "it was forgotten here"
    return None


def _free_id(session: Session, wanted: str) -> str:
    """The id it had, unless something here has that."""
    try:
        session.store.memories.get(session.scope(), wanted)
    except NotFound:
        return wanted
    return session.engine.ids.new()


def _account(arrival: Arrival, kept: Kept, said: Memory) -> None:
    match kept:
        case New(memory=memory):
            arrival.kept.append(memory)
            arrival.steps.append(Step(memory_id=memory.id, before=None))
        case Supersedes(old=old) if old.id == said.id:
            # How it was before what is known here: history.
            arrival.kept.append(old)
            arrival.steps.append(Step(memory_id=old.id, before=None))
        case Supersedes(memory=memory, old=old):
            arrival.kept += [memory] if memory else []
            arrival.steps += [Step(memory_id=said.id, before=None)] if memory else []
            arrival.steps.append(Step(memory_id=old.id, before=old.version - 1))
        case Contested(memory=memory, against=against):
            arrival.steps.append(Step(memory_id=memory.id, before=None))
            arrival.left_out[said.text] = f"it contradicts {against.text!r}; `recollect inbox` has it"
        case Reinforces() | Known():
            arrival.known += 1
        case Buried(reason=reason) | Declined(reason=reason):
            arrival.left_out[said.text] = reason
