"""search, context, why and why-not: from a question to what bears on it, and the reasons."""

from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.domain.outcomes import Absence
from recollect.domain.policy import Policy
from recollect.domain.receipt import Fate, Receipt
from recollect.serialization import parsers, serializers

app = commands()

Query: TypeAlias = Annotated[str, typer.Argument(metavar="QUERY", help="The question, in plain words.")]
Chat: TypeAlias = Annotated[
    str | None, typer.Option("--chat", metavar="C", help="Look into this chat first, then elsewhere.")
]
Wanted: TypeAlias = Annotated[
    str | None,
    typer.Option("--mode", metavar="M", help="This once: on, collect_only, recall_only or off."),
]


@app.command(
    epilog=examples(
        'recollect search "what can I cook tonight?"',
        'recollect search "calculateTotal()" --limit 3 --explain',
        'recollect search "where do I live?" --as-of 2026-03-01',
        'recollect search "deploy" --json | jq .results[0]',
    )
)
@command
def search(
    call: Call,
    query: Query,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Results at most.")] = None,
    chat: Chat = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="What was known and true then, like 2026-03-01.")
    ] = None,
    mode: Wanted = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score as bars.")] = False,
) -> None:
    """
    Find what bears on a question.

    Searches memories and messages by meaning, by words and by code identifiers, and ranks them together. Any
    text is a valid question: nothing in it has a special meaning. A search leaves a receipt, which `recollect why`
    explains. If a part of the search could not be used, say the embedder, the results are shown all the same and
    the exit code is 5.
    """
    with call.open() as session:
        policy = session.policy({"recall.limit": limit, "memory.mode": mode}, chat=chat)
        receipt = session.engine.recall(session.scope(chat), query, policy, as_of=parsers.moment(as_of))
    items = [item for item in receipt.items if item.fate is not Fate.LEFT_OUT]
    call.answer(
        serializers.found(receipt), *([render.found(items, wide=call.wide, explain=explain)] if items else [])
    )
    if not items:
        call.note(_nothing(policy))
    if policy.memory.mode != "off":
        call.note(f"Receipt {receipt.id}; `recollect why` explains it.")
    call.end_degraded(receipt.degraded)


@app.command(
    epilog=examples(
        'recollect context "what can I cook tonight?"',
        'recollect context "fix the tax bug" --chat work --budget 400 --format xml > block.txt',
        'recollect context "hello" --json | jq .receipt.timings',
    )
)
@command
def context(
    call: Call,
    query: Query,
    chat: Chat = None,
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens the block may have, headings included.")
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="facts, smart, companion, dev, agent, xml or messages."),
    ] = None,
    mode: Wanted = None,
) -> None:
    """
    Print the memory block for the next prompt.

    The block alone goes to standard output, so that it can be piped into a prompt; one line about it goes to
    standard error. With --json the block comes with its whole receipt. Exit code 5 means that the block was made
    without a part that failed.
    """
    with call.open() as session:
        wishes = {"assemble.budget": budget, "assemble.format": shape, "memory.mode": mode}
        policy = session.policy(wishes, chat=chat)
        receipt = session.engine.context(session.scope(chat), query, policy)
    if call.for_people:
        call.block(receipt.text)
    else:
        call.answer({"text": receipt.text, "tokens": receipt.tokens, "receipt": serializers.receipt(receipt)})
    call.note(_account(receipt, policy))
    call.end_degraded(receipt.degraded)


def _nothing(policy: Policy) -> str:
    if policy.memory.recalls:
        return "Nothing found. `recollect list` shows what is remembered."
    return f"Nothing was looked for: memory is {policy.memory.mode} here."


def _account(receipt: Receipt, policy: Policy) -> str:
    if policy.memory.mode == "off":
        return "Memory is off here: nothing was looked for, and no receipt is kept."
    spent = receipt.timings.get("total_ms", 0.0)
    return (
        f"Receipt {receipt.id}: {len(receipt.injected)} of {len(receipt.items)} passages,"
        f" {receipt.tokens} of {receipt.budget} tokens, {spent:.0f} ms; `recollect why` explains it."
    )


@app.command(
    epilog=examples("recollect why", "recollect why last --json", "recollect why 01k9x2v7q3m5n8p0r4s6t1")
)
@command
def why(
    call: Call,
    receipt: Annotated[
        str,
        typer.Argument(
            metavar="RECEIPT|last", help="The receipt's id; without one the last.", show_default=False
        ),
    ] = "last",
) -> None:
    """
    Explain a recall: what was used, what was left out, and why.

    Every search and every context block leaves a receipt: each passage that was considered, the parts of its score,
    the reason if it was left out, and how long everything took.
    """
    with call.open() as session:
        kept = session.store.receipts.get(session.scope(), receipt)
    call.answer(serializers.receipt(kept), render.receipt(kept, wide=call.wide))


@app.command("why-not", epilog=examples('recollect why-not "what can I cook tonight?" 01k9x2v7q3m5'))
@command
def why_not(
    call: Call,
    query: Query,
    wanted: Annotated[
        str, typer.Argument(metavar="ID", help="A memory or message, or the beginning of its id.")
    ],
    chat: Chat = None,
) -> None:
    """
    Explain why a memory does not come up for a question.

    Asks the question again, without leaving a receipt, and says how far the memory got: its rank and the parts of
    its score, or what keeps it from being considered at all.
    """
    with call.open() as session:
        absence = session.engine.why_not(session.scope(chat), query, wanted, session.policy(chat=chat))
    call.answer(serializers.absence(absence), *_absence(absence))


def _absence(value: Absence) -> tuple[RenderableType, ...]:
    told = {"text": render.excerpt(value.text), "reason": value.reason, "rank": value.rank, "id": value.id}
    if value.item is None:
        return (render.fields(told),)
    return render.fields({**told, "score": f"{value.item.score:.3f}"}), Text(), render.parts(value.item.parts)
