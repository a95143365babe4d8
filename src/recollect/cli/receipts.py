"""The `why`, `why-not` and `receipts` commands: explanations of recalls."""

from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.recall import ChatOption, QueryArgument
from recollect.domain.outcomes import WhyNot
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason

app = make_typer()


@app.command(
    epilog=format_examples(
        "recollect why", "recollect why last --json", "recollect why 01k9x2v7q3m5n8p0r4s6t1"
    )
)
@command
def why(
    ctx: CommandContext,
    receipt: Annotated[
        str,
        typer.Argument(metavar="RECEIPT|last", help="Receipt id; default: the last one.", show_default=False),
    ] = "last",
) -> None:
    """
    Explain a recall: what was used, what was left out, and why.

    Every search and context block leaves a receipt with each candidate passage, the components of its score, the reason
    if it was left out, and the timings.
    """
    with ctx.open_session() as session:
        stored_receipt = session.services.receipts.get(session.scope(), receipt)
    ctx.print_result(
        serializers.serialize_receipt(stored_receipt), render.receipt(stored_receipt, wide=ctx.is_wide)
    )


@app.command(epilog=format_examples("recollect receipts", "recollect receipts --limit 5 --json"))
@command
def receipts(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of receipts.")] = 20,
) -> None:
    """
    List the receipts of recalls.

    Newest first. `recollect why RECEIPT` explains one of them.
    """
    with ctx.open_session() as session:
        stored_receipts = session.services.receipts.list(session.scope(), limit=limit, with_texts=True)
    ctx.print_result(
        serializers.wrap_results(map(serializers.serialize_receipt, stored_receipts)),
        *([render.receipts(stored_receipts)] if stored_receipts else []),
    )
    if not stored_receipts:
        ctx.info("No receipts yet. Every `recollect search` and `recollect context` leaves one.")


@app.command("why-not", epilog=format_examples('recollect why-not "what can I cook tonight?" 01k9x2v7q3m5'))
@command
def why_not(
    ctx: CommandContext,
    query: QueryArgument,
    record_id: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a memory or message, or a prefix of it.")
    ],
    chat: ChatOption = None,
) -> None:
    """
    Explain why a memory is not recalled for a query.

    Runs the query again without storing a receipt, and shows the rank of the memory and the components of its score, or
    the reason why it is not a candidate.
    """
    with ctx.open_session() as session:
        explanation = session.services.recall.explain_absence(
            session.scope(chat), query, record_id, session.policy(chat=chat)
        )
    ctx.print_result(serializers.serialize_why_not(explanation), *_render_why_not(explanation))


def _render_why_not(value: WhyNot) -> tuple[RenderableType, ...]:
    field_values = {
        "text": render.excerpt(value.text),
        "reason": "; ".join(render_reason(each) for each in (value.reason, value.cause) if each),
        "rank": value.rank,
        "id": value.id,
    }
    if value.candidate is None:
        return (render.fields(field_values),)
    return (
        render.fields({**field_values, "score": f"{value.candidate.score:.3f}"}),
        Text(),
        render.ScoreBars(value.candidate.parts),
    )
