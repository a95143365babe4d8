"""The `demo` command: ingest a year of sample conversations and recall from them, offline."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.drain import drain_queue, progress_bar
from recollect.cli.options import GlobalOptions
from recollect.cli.output import replace_unprintable
from recollect.cli.session import CliSession, open_session
from recollect.cli.up import ServerAddress, serve_until_stopped
from recollect.domain.message import MessageDraft, Role
from recollect.domain.outcomes import IngestResult
from recollect.domain.reason import ReasonCode
from recollect.domain.recall import ContextBlockRequest, RecallRequest
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.serialization import serializers
from recollect.serialization.reasons import render_reason, serialize_reasons
from recollect.serialization.serializers import JsonObject

app = make_typer()

#: User id of the sample data; keeps it apart from real data if --db names a file in use.
DEMO_USER = "demo"


class DemoMessage(TypedDict):
    chat: str
    days_ago: int
    role: str
    content: str


class DemoChange(TypedDict):
    question: str
    days_ago: int  #: the query is repeated as of this many days ago


class DemoForgetting(TypedDict):
    question: str
    holds: str


class DemoScript(TypedDict):
    messages: list[DemoMessage]
    question: str  #: shown with its prompt and receipt
    changed: DemoChange
    irrelevant: str  #: a query that needs no memory
    forgotten: DemoForgetting
    profile: dict[str, str]


def load_script() -> DemoScript:
    text = resources.files("recollect.cli").joinpath("demo.json").read_text("utf-8")
    demo_script: DemoScript = json.loads(text)
    return demo_script


@app.command(
    epilog=format_examples("recollect demo", "recollect demo --no-page", "recollect demo --db demo.db --json")
)
@command
def demo(
    ctx: CommandContext,
    page: Annotated[
        bool,
        typer.Option("--page/--no-page", help="Start the web app on the sample data at the end, or exit."),
    ] = True,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the web app in a browser, or only print its link."),
    ] = True,
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Port of the web app; 0 picks a free one.")
    ] = 0,
) -> None:
    """
    Try recollect on sample data, offline.

    Stores about a hundred messages in English and Portuguese as a chat would, extracts memories from them, and runs
    a query: the result is the context block that a language model would get, with a short receipt. Then it shows
    what was known in January, forgets and restores a memory, gives and revokes consent for a profile, and asks
    something that needs no memory. The web app starts on the data until Ctrl-C; with --json the command exits
    instead. The data goes to a temporary file unless --db is given; its user is `demo`.
    """
    ctx.options.resume_hint = "Run `recollect demo` to start again."
    with (
        _demo_options(ctx.options) as options,
        open_session(ctx.load_settings(options), creates=True) as session,
    ):
        _run_script(ctx, session, load_script())
        if page and ctx.is_text:
            ctx.print_text(Text("\nExplore the data in the web app.", style="bold"))
            serve_until_stopped(ctx, session, ServerAddress(port=port), browser=browser)
    ctx.info(_format_next_step(ctx.options.db))


@contextmanager
def _demo_options(options: GlobalOptions) -> Iterator[GlobalOptions]:
    """Yield options with the demo user and, unless --db is given, a temporary file."""
    user = options.user or DEMO_USER
    if options.db is not None:
        yield replace(options, user=user)
        return
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        yield replace(options, user=user, db=str(Path(folder) / "memory.db"))


def _run_script(ctx: CommandContext, session: CliSession, demo_script: DemoScript) -> None:
    ingest_results = _ingest_messages(ctx, session, demo_script["messages"])
    remaining = drain_queue(ctx, session, "Extracting")
    counts = _count_messages(session, ingest_results)
    ctx.print_text(_format_triage(counts), _format_skip_reasons(ingest_results))
    answer = _show_question(ctx, session, demo_script["question"])
    changed = _show_change(ctx, session, demo_script["changed"])
    forget_result = _show_forgetting(ctx, session, demo_script["forgotten"])
    consent_result = _show_consent(ctx, session, demo_script["profile"])
    irrelevant = _show_irrelevant(ctx, session, demo_script["irrelevant"])
    ctx.print_result(
        {
            **counts,
            "db": ctx.options.db,
            "question": answer,
            "changed": changed,
            "forgotten": forget_result,
            "consent": consent_result,
            "irrelevant": irrelevant,
            "degraded": serialize_reasons(remaining.degradations),
        }
    )
    ctx.warn_all(remaining.warnings)


def _ingest_messages(
    ctx: CommandContext, session: CliSession, messages: Sequence[DemoMessage]
) -> list[IngestResult]:
    now, policy = session.application.clock.now(), session.policy()
    drafts = [
        MessageDraft(
            role=Role.parse(message["role"]),
            content=message["content"],
            created_at=now - timedelta(days=message["days_ago"]) + timedelta(seconds=30 * number),
            client_id=f"demo-{number}",
        )
        for number, message in enumerate(messages)
    ]
    with progress_bar(ctx.stderr, "Storing", total=len(messages)) as progress:
        results = session.services.ingest.add_batch(
            session.user,
            [
                (session.scope(message["chat"]), draft, policy)
                for message, draft in zip(messages, drafts, strict=True)
            ],
        )
        progress.update(done=len(results), total=len(messages))
    return [result for result in results if isinstance(result, IngestResult)]


def _count_messages(session: CliSession, ingest_results: Sequence[IngestResult]) -> dict[str, int]:
    return {
        "messages": len(ingest_results),
        "trivial": sum(not each.is_queued for each in ingest_results),
        "judged": sum(each.is_queued for each in ingest_results),
        "memories": session.services.memories.count(session.scope()),
    }


def _format_triage(counts: Mapping[str, int]) -> Text:
    return Text(
        f"{counts['messages']} messages -> {counts['trivial']} skipped -> {counts['judged']} searched for facts"
        f" -> {counts['memories']} memories. Nothing left this machine.",
        style="bold",
    )


def _format_skip_reasons(ingest_results: Sequence[IngestResult]) -> Text:
    reasons = Counter(each.reason for each in ingest_results if not each.is_queued)
    reason_counts = ", ".join(
        f"{number} × {render_reason(reason)}" for reason, number in reasons.most_common()
    )
    return Text(f"Skipped before extraction: {reason_counts}.", style="dim")


def _show_question(ctx: CommandContext, session: CliSession, question: str) -> JsonObject:
    """Show what a model would get for a query, and a short receipt."""
    receipt = _recall_context(session, question)
    left_out = [item for item in receipt.items if item.disposition is Disposition.LEFT_OUT]
    counts = Counter(_left_out_class(item) for item in left_out)
    more = sum(int(str(note.params["count"])) for note in receipt.skipped_sources if "count" in note.params)
    ctx.print_text(
        Text(f"\nQ: {question}\n", style="bold cyan"),
        Text(replace_unprintable(receipt.text)),
        Text(
            f"\nReceipt: {len(receipt.injected_items)} of {len(receipt.items) + more} candidates,"
            f" {receipt.tokens} of {receipt.budget} tokens. Left out:"
            f" {', '.join(f'{number} {name}' for name, number in counts.most_common())}"
            f"{f', {more} ranked lower' if more else ''}.",
            style="dim",
        ),
    )
    return {"question": question, "text": receipt.text, "receipt": serializers.serialize_receipt(receipt)}


def _left_out_class(item: ReceiptItem) -> str:
    match item.reason and item.reason.code:
        case ReasonCode.STATES_NOTHING:
            return "that state nothing"
        case ReasonCode.SAYS_THE_SAME | ReasonCode.SAME_AS_MEMORY | ReasonCode.SAME_TEXT:
            return "that repeat another"
        case ReasonCode.BELOW_RELEVANCE:
            return "not relevant"
        case _:
            return "for other reasons"


def _show_change(ctx: CommandContext, session: CliSession, change: DemoChange) -> JsonObject:
    """Show what is true today and what was known at an earlier time."""
    question, scope, policy = change["question"], session.scope(), session.policy()
    as_of = session.application.clock.now() - timedelta(days=change["days_ago"])
    recall = session.services.recall
    now = recall.search(RecallRequest(scope=scope, query=question, policy=policy))
    then = recall.search(RecallRequest(scope=scope, query=question, policy=policy, as_of=as_of))
    ctx.print_text(
        Text(f"\n{question}", style="bold cyan"),
        Text(f"   Today: {replace_unprintable(now.items[0].text)}"),
        Text(f"   As known in {as_of:%B %Y}: {replace_unprintable(then.items[0].text)}"),
    )
    return {
        "question": question,
        "as_of": serializers.serialize_timestamp(as_of),
        "now": serializers.serialize_receipt(now),
        "then": serializers.serialize_receipt(then),
    }


def _show_irrelevant(ctx: CommandContext, session: CliSession, question: str) -> JsonObject:
    """Show that a query which needs no memory gets none."""
    receipt = _recall_context(session, question)
    shown = f"nothing is added to the prompt ({receipt.tokens} tokens)." if not receipt.text else receipt.text
    ctx.print_text(Text(f"\n{question}", style="bold cyan"), Text(f"   {replace_unprintable(shown)}"))
    return {"question": question, "text": receipt.text, "receipt": serializers.serialize_receipt(receipt)}


def _recall_context(session: CliSession, question: str) -> Receipt:
    request = ContextBlockRequest(scope=session.scope(), query=question, policy=session.policy())
    return session.services.recall.context(request).receipt


def _show_forgetting(ctx: CommandContext, session: CliSession, example: DemoForgetting) -> JsonObject:
    """Forget a memory, show that it is no longer recalled, and restore it."""
    services, scope = session.services, session.scope()

    def recall_ids() -> list[str]:
        request = RecallRequest(scope=scope, query=example["question"], policy=session.policy())
        receipt = services.recall.search(request)
        return [item.id for item in receipt.items if example["holds"] in item.text and item.kind is not None]

    [memory_id, *_] = recall_ids()
    memory = services.memories.forget(scope, memory_id)
    is_missing = not recall_ids()
    services.memories.undo(scope)
    is_restored = memory_id in recall_ids()
    ctx.print_text(
        Text(f"\nForget: {replace_unprintable(memory.text)}", style="bold cyan"),
        Text(
            f"   Same query again: {'not recalled' if is_missing else 'still recalled'},"
            " and neither is its source message."
        ),
        Text(f"   After undo: {'recalled again' if is_restored else 'still missing'}."),
    )
    return {"id": memory_id, "text": memory.text, "missing": is_missing, "back": is_restored}


def _show_consent(ctx: CommandContext, session: CliSession, profile: Mapping[str, object]) -> JsonObject:
    """Show that a profile is used only with consent, and erased when consent is revoked."""
    services, scope, policy = session.services, session.scope(), session.policy()
    services.privacy.set_consent(scope, "profile", granted=True)
    services.profile.set_profile(scope, profile, policy)
    request = ContextBlockRequest(scope=scope, query="what shall I read?", policy=policy)
    receipt_before = services.recall.context(request).receipt
    erased_rows = services.privacy.set_consent(scope, "profile", granted=False)
    receipt_after = services.recall.context(request).receipt
    consent_notes = [note for note in receipt_after.skipped_sources if note.code is ReasonCode.NO_CONSENT]
    ctx.print_text(
        Text("\nConsent: a profile is stored and used, then consent is revoked.", style="bold cyan"),
        Text(
            f"   Before: {_format_profile_count(receipt_before)} in the prompt. After:"
            f" {_format_profile_count(receipt_after)}; the receipt says:"
        ),
        Text(
            f"   {'; '.join(map(render_reason, consent_notes))}."
            f" {render.format_count(sum(erased_rows.values()), 'row')} erased."
        ),
    )
    return {"erased": dict(erased_rows), "skipped": serialize_reasons(receipt_after.skipped_sources)}


def _format_profile_count(receipt: Receipt) -> str:
    return render.format_count(receipt.sources.get("profile", 0), "profile")


def _format_next_step(db: str | None) -> str:
    if db is None:
        return (
            '\nThe sample data was deleted. Add your own: recollect add "I\'m vegetarian and hate cilantro"'
        )
    return f"\nExplore the sample data: recollect --db {db} --user {DEMO_USER} up"
