"""feedback: whether what was recalled bore on the question."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.domain.feedback import Opinion
from recollect.errors import InvalidInput
from recollect.serialization import serializers

app = commands()


class Verdict(StrEnum):
    GOOD = "good"
    BAD = "bad"


@app.command(
    epilog=examples(
        "recollect feedback last 01k9x2v7q3m5 good",
        "recollect feedback",
        "recollect feedback --export labels.jsonl",
    )
)
@command
def feedback(
    call: Call,
    receipt: Annotated[
        str | None, typer.Argument(metavar="[RECEIPT|last]", help="Which recall; `recollect why` shows one.")
    ] = None,
    item: Annotated[
        str | None, typer.Argument(metavar="[ITEM]", help="A passage of it, or the beginning of its id.")
    ] = None,
    verdict: Annotated[Verdict | None, typer.Argument(metavar="[good|bad]")] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write labels for `recollect tune` there; - prints them."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Lines at most, when listing.")] = 20,
) -> None:
    """
    Say whether what was recalled bore on the question.

    A passage that was left out can be good as well. Without arguments: what was said so far, the newest first. It is
    kept with your memories, goes with what it is about, and `recollect tune --from-feedback` learns from it.
    """
    if export is not None:
        _export(call, export)
    elif receipt is None:
        _list(call, limit)
    elif item is None or verdict is None:
        raise typer.BadParameter("give a receipt, a passage of it, and good or bad", param_hint="ITEM")
    else:
        with call.open() as session:
            said = session.engine.say_of(session.scope(), receipt, item, relevant=verdict is Verdict.GOOD)
        call.answer(serializers.opinion(said), f"Noted: {said.item_id} is {verdict} for {_asked(said)}.")


def _asked(said: Opinion) -> str:
    return f"“{render.excerpt(said.query, 80)}”" if said.query else f"receipt {said.receipt_id}"


def _list(call: Call, limit: int) -> None:
    with call.open() as session:
        listed = session.store.feedback.list(session.scope(), limit=limit)
    rows = [
        (
            "good" if each.relevant else "bad",
            render.excerpt(each.query or "", 80),
            each.item_id,
            each.receipt_id,
        )
        for each in listed
    ]
    call.answer(
        serializers.results(map(serializers.opinion, listed)),
        *([render.table("verdict", "question", "!passage", "!receipt", rows=rows)] if rows else []),
    )
    if not rows:
        call.note("Nothing was said yet. `recollect why` shows the last recall and the ids of its passages.")


def _export(call: Call, path: Path) -> None:
    with call.open() as session:
        labels = [serializers.label(each) for each in session.engine.labels(session.scope())]
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in labels)
    if str(path) == "-":
        sys.stdout.write(lines)
        return
    try:
        path.write_text(lines, "utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}. Name another file.") from error
    call.answer(
        {"labels": len(labels), "file": str(path)},
        f"{render.count(len(labels), 'labelled question')} written to {path}.",
    )
