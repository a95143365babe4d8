"""export and import: memories out of the file, and into another one."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples, file_text
from recollect.cli.drain import finish
from recollect.domain.import_result import Arrival
from recollect.domain.memory import Memory, Standing
from recollect.errors import InvalidInput
from recollect.interchange.compact import from_compact, to_compact
from recollect.ports.store import ALL
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

app = commands()


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
            json.loads(to_compact(listed))
            if shape is Format.COMPACT
            else list(map(serializers.memory, listed))
        )
        call.answer({"format": shape, "memories": entries})


def _written(memories: Sequence[Memory], shape: Format) -> str:
    if shape is Format.COMPACT:
        return to_compact(memories)
    return "".join(json.dumps(serializers.memory(each), ensure_ascii=False) + "\n" for each in memories)


def _save(call: Call, file: Path, text: str, *, yes: bool) -> None:
    if file.exists():
        call.confirm(f"{file} exists. Overwrite it?", yes=yes)
    try:
        # Only its owner may read what is remembered.
        file.touch(mode=0o600)
        file.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}. Name another file.") from error


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
        arrival = session.engine.take_in(session.scope(), read, session.policy())
        left = finish(call, session)
    call.answer(_shape(arrival, left.warnings), _sentence(arrival))
    for each in arrival.left_out:
        call.note(f"Left out: {render.excerpt(each.text)} ({each.reason})")
    call.mention(left.warnings)


def _sentence(arrival: Arrival) -> str:
    known = f", {arrival.known:,} known already" if arrival.known else ""
    left = f", {len(arrival.left_out):,} left out" if arrival.left_out else ""
    return f"{render.count(len(arrival.kept), 'memory', 'memories')} imported{known}{left}."


def _shape(arrival: Arrival, warnings: Sequence[str]) -> Shape:
    return {
        **serializers.results(map(serializers.memory, arrival.kept)),
        "known": arrival.known,
        "left_out": [{"memory": each.text, "reason": each.reason} for each in arrival.left_out],
        "degraded": list(warnings),
    }
