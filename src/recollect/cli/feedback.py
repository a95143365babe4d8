"""The `feedback` command: relevance judgements of recalled passages."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.domain.feedback import RelevanceFeedback
from recollect.errors import InvalidInput
from recollect.serialization import serializers

app = make_typer()


class FeedbackRating(StrEnum):
    GOOD = "good"
    BAD = "bad"


@app.command(
    epilog=format_examples(
        "recollect feedback last 01k9x2v7q3m5 good",
        "recollect feedback",
        "recollect feedback --export labels.jsonl",
    )
)
@command
def feedback(
    ctx: CommandContext,
    receipt: Annotated[
        str | None, typer.Argument(metavar="[RECEIPT|last]", help="Receipt id, as shown by `recollect why`.")
    ] = None,
    item: Annotated[
        str | None,
        typer.Argument(metavar="[ITEM]", help="Id of a passage in the receipt, or a prefix of it."),
    ] = None,
    rating: Annotated[FeedbackRating | None, typer.Argument(metavar="[good|bad]")] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write labels for `recollect settings tune` to FILE; - for standard output."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of entries to list.")] = 20,
) -> None:
    """
    Rate recalled passages as relevant or not.

    Passages that were left out can be rated as well. Without arguments, the ratings so far are listed, newest first.
    Ratings are stored with your memories and deleted with the memory they refer to; `recollect settings tune
    --from-feedback` uses them as labels.
    """
    if export is not None:
        _export(ctx, export)
    elif receipt is None:
        _list(ctx, limit)
    elif item is None or rating is None:
        raise typer.BadParameter("give a receipt, the id of a passage, and good or bad", param_hint="ITEM")
    else:
        with ctx.open_session() as session:
            feedback_entry = session.services.tuning.add_feedback(
                session.scope(), receipt, item, relevant=rating is FeedbackRating.GOOD
            )
        ctx.print_result(
            serializers.serialize_feedback(feedback_entry),
            f"Rated {feedback_entry.item_id} as {rating} for {_describe_query(feedback_entry)}.",
        )


def _describe_query(feedback_entry: RelevanceFeedback) -> str:
    return (
        f"“{render.excerpt(feedback_entry.query, 80)}”"
        if feedback_entry.query
        else f"receipt {feedback_entry.receipt_id}"
    )


def _list(ctx: CommandContext, limit: int) -> None:
    with ctx.open_session() as session:
        entries = session.services.tuning.list_feedback(session.scope(), limit=limit)
    rows = [
        (
            "good" if each.relevant else "bad",
            render.excerpt(each.query or "", 80),
            each.item_id,
            each.receipt_id,
        )
        for each in entries
    ]
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_feedback, entries)),
        *([render.table("rating", "query", "!passage", "!receipt", rows=rows)] if rows else []),
    )
    if not rows:
        ctx.info("No ratings yet. `recollect why` shows the last recall with the ids of its passages.")


def _export(ctx: CommandContext, path: Path) -> None:
    with ctx.open_session() as session:
        labels = [
            serializers.serialize_label(each) for each in session.services.tuning.labels(session.scope())
        ]
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in labels)
    if str(path) == "-":
        sys.stdout.write(lines)
        return
    try:
        path.write_text(lines, "utf-8")
    except OSError as error:
        raise InvalidInput(f"Cannot write {path}: {error.strerror}. Choose another file.") from error
    ctx.print_result(
        {"labels": len(labels), "file": str(path)},
        f"Wrote {render.format_count(len(labels), 'labelled query', 'labelled queries')} to {path}.",
    )
