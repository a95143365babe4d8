"""The `search` and `context` commands."""

from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.domain.policy import Policy
from recollect.domain.recall import ContextBlockRequest, RecallRequest, SearchResults
from recollect.domain.receipt import Disposition, Receipt
from recollect.errors import EmptyText
from recollect.serialization import parsers, serializers
from recollect.serialization.reasons import render_reason

app = make_typer()

QueryArgument: TypeAlias = Annotated[str, typer.Argument(metavar="QUERY", help="Query, in plain language.")]
ChatOption: TypeAlias = Annotated[
    str | None, typer.Option("--chat", metavar="C", help="Current chat; it is searched first.")
]
ModeOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--mode", metavar="M", help="Memory mode for this call: on, collect_only, recall_only or off."
    ),
]


@app.command(
    epilog=format_examples(
        'recollect search "what can I cook tonight?"',
        'recollect search "calculateTotal()" --limit 3 --explain',
        'recollect search "where do I live?" --as-of 2026-03-01',
        'recollect search "deploy" --json | jq .results[0]',
    )
)
@command
def search(
    ctx: CommandContext,
    query: QueryArgument,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of results.")] = None,
    chat: ChatOption = None,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Search what was known and valid at this date, e.g. 2026-03-01."),
    ] = None,
    mode: ModeOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the components of each score as bars.")
    ] = False,
) -> None:
    """
    Search memories and messages.

    Hybrid search: dense vectors, BM25 and code identifiers, ranked together. Any text is a valid query; there is no
    query syntax. Every search leaves a receipt, which `recollect why` shows. If a component such as the embedder is
    unavailable, the remaining ones provide the results and the exit code is 5.
    """
    with ctx.open_session() as session:
        policy = session.policy({"recall.limit": limit, "memory.mode": mode}, chat=chat)
        request = RecallRequest(
            scope=session.scope(chat), query=query, policy=policy, as_of=parsers.parse_timestamp(as_of)
        )
        receipt = session.services.recall.search(request)
    items = [item for item in receipt.items if item.disposition is not Disposition.LEFT_OUT]
    ctx.print_result(
        serializers.serialize_search_results(SearchResults(receipt=receipt)),
        *([render.search_results(items, wide=ctx.is_wide, explain=explain)] if items else []),
    )
    if not items:
        ctx.info(_describe_no_results(policy))
    if policy.memory.mode != "off":
        ctx.info(f"Receipt {receipt.id}; `recollect why` explains it.")
    ctx.exit_degraded([*map(render_reason, receipt.degradations)])


@app.command(
    epilog=format_examples(
        'recollect context "what can I cook tonight?"',
        'recollect context "fix the tax bug" --chat work --budget 400 --format xml > block.txt',
        'recollect context "hello" --json | jq .receipt.timings',
    )
)
@command
def context(
    ctx: CommandContext,
    query: QueryArgument,
    chat: ChatOption = None,
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum tokens of the block, headings included.")
    ] = None,
    block_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="F",
            help="Format: notes, facts, smart, companion, dev, agent, xml or messages.",
        ),
    ] = None,
    mode: ModeOption = None,
) -> None:
    """
    Print the memory block for the next prompt.

    Only the block is written to standard output, so that it can be piped into a prompt; a summary line goes to standard
    error. With --json the full receipt is included. Exit code 5 means that a component such as the embedder was
    unavailable.
    """
    if not query.strip():
        raise EmptyText
    with ctx.open_session() as session:
        overrides = {"context.budget": budget, "context.format": block_format, "memory.mode": mode}
        policy = session.policy(overrides, chat=chat)
        request = ContextBlockRequest(scope=session.scope(chat), query=query, policy=policy)
        receipt = session.services.recall.context(request).receipt
    if ctx.is_text:
        ctx.print_raw(receipt.text)
    else:
        ctx.print_result(
            {
                "text": receipt.text,
                "tokens": receipt.tokens,
                "receipt": serializers.serialize_receipt(receipt),
            }
        )
    ctx.info(_describe_receipt(receipt, policy))
    ctx.exit_degraded([*map(render_reason, receipt.degradations)])


def _describe_no_results(policy: Policy) -> str:
    if policy.memory.recalls:
        return "No results. `recollect memories list` shows the stored memories."
    return f"Not searched: the memory mode is {policy.memory.mode}."


def _describe_receipt(receipt: Receipt, policy: Policy) -> str:
    if policy.memory.mode == "off":
        return "Not searched, and no receipt stored: the memory mode is off."
    total_ms = receipt.timings.get("total_ms", 0.0)
    return (
        f"Receipt {receipt.id}: {len(receipt.injected_items)} of {len(receipt.items)} passages,"
        f" {receipt.tokens} of {receipt.budget} tokens, {total_ms:.0f} ms; `recollect why` explains it."
    )
