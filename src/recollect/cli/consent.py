"""consent: what the user agreed to, and the ledger that proves it."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

from recollect.cli import render
from recollect.cli.command import CommandContext, YesOption, command, format_examples, make_typer
from recollect.cli.session import CliSession
from recollect.domain.memory import Kind
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.services.privacy import CONSENT_CATEGORIES

app = make_typer()
group = make_typer()
app.add_typer(group, name="consent")

CategoryArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="CATEGORY", help=f"One of {', '.join(CONSENT_CATEGORIES)}.")
]
#: What each category covers, in plain words.
CATEGORY_DESCRIPTIONS: Mapping[str, str] = {
    "profile": "What you write about yourself in `recollect profile`; shown to the model in every prompt.",
    Kind.BIO: "Who you are: name, age, home, family, work, health.",
    Kind.PREF: "What you like and dislike.",
    Kind.EMO: "How you feel; fades unless it is said again.",
    Kind.OBJ: "What you want to reach.",
    Kind.EVT: "What happened to you.",
    Kind.DEC: "What you decided, and what has to be kept to.",
    Kind.NOTE: "What you asked to be remembered as it is.",
}
#: Memories that a question names one by one.
MAX_PREVIEW_MEMORIES = 10
BROKEN_CHAIN_WARNING = (
    "The ledger was changed outside of recollect: at least one line is not as it was written"
)


@group.callback(
    invoke_without_command=True,
    epilog=format_examples(
        "recollect consent",
        "recollect consent give profile",
        "recollect consent revoke emo --dry-run",
        "recollect consent ledger",
    ),
)
@command
def consent(ctx: CommandContext) -> None:
    """
    Show what you agreed to, agree, or take it back.

    The profile is kept only after you say yes. The kinds of memory are kept until you say no; taking consent back
    erases what was kept, and nothing of that kind is stored from then on.
    """
    with ctx.open_session() as session:
        consents = session.store.consents.all(session.scope())
        row_counts = {
            each: sum(session.engine.consent_coverage(session.scope(), each).values())
            for each in CONSENT_CATEGORIES
        }
    rows = [
        (each, _format_consent(consents[each]), str(row_counts[each]), CATEGORY_DESCRIPTIONS[each])
        for each in CONSENT_CATEGORIES
    ]
    ctx.print_result(
        serializers.wrap_results(
            {
                "category": each,
                "granted": consents[each],
                "kept": row_counts[each],
                "about": CATEGORY_DESCRIPTIONS[each],
            }
            for each in CONSENT_CATEGORIES
        ),
        render.table("category", "consent", "#kept", "what it covers", rows=rows),
    )


def _format_consent(granted: bool) -> str:
    return "yes" if granted else "no"


@group.command(epilog=format_examples("recollect consent give profile"))
@command
def give(ctx: CommandContext, category: CategoryArgument) -> None:
    """Agree that something is kept and used."""
    with ctx.open_session() as session:
        session.engine.set_consent(session.scope(), category, granted=True)
    ctx.print_result(
        {"category": category, "granted": True},
        f"Consent given for {category}: {CATEGORY_DESCRIPTIONS[category]}",
    )
    ctx.info(f"`recollect consent revoke {category}` takes it back and erases what was kept.")


@group.command(
    epilog=format_examples("recollect consent revoke profile --dry-run", "recollect consent revoke emo --yes")
)
@command
def revoke(
    ctx: CommandContext,
    category: CategoryArgument,
    yes: YesOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
) -> None:
    """
    Take consent back, and erase what it covered.

    Shows what would go and asks; where nobody can be asked it takes --yes (otherwise exit code 4). It goes at once,
    also out of search, and cannot be undone. Messages stay; `recollect erase` takes those out.
    """
    with ctx.open_session() as session:
        rows = dict(session.engine.consent_coverage(session.scope(), category))
        if ctx.is_text and (dry_run or not yes):
            _print_preview(ctx, session, category)
        if not dry_run:
            if any(rows.values()):
                ctx.confirm(
                    f"Take consent for {category} back and erase {_format_row_counts(rows)}?", yes=yes
                )
            rows = dict(session.engine.set_consent(session.scope(), category, granted=False))
    result: JsonObject = {
        "category": category,
        "granted": dry_run,
        "erased": _as_json(rows),
        "dry_run": dry_run,
    }
    ctx.print_result(result, _describe_revocation(category, rows, dry_run=dry_run))


def _print_preview(ctx: CommandContext, session: CliSession, category: str) -> None:
    for line in _preview_lines(session, category):
        ctx.stderr.print(line)


def _preview_lines(session: CliSession, category: str) -> Sequence[RenderableType]:
    if category == "profile":
        profile = session.store.profiles.get(session.scope())
        return [] if profile is None else [render.profile(profile)]
    memories = session.store.memories.list(
        session.scope(), kind=Kind(category), standing=None, limit=MAX_PREVIEW_MEMORIES
    )
    return [render.memories(memories, wide=False)] if memories else []


def _describe_revocation(category: str, rows: Mapping[str, int], *, dry_run: bool) -> str:
    if dry_run:
        return f"Would erase {_format_row_counts(rows)}; nothing was changed."
    return f"Consent for {category} taken back; erased {_format_row_counts(rows)}."


def _format_row_counts(rows: Mapping[str, int]) -> str:
    names = {"profile": ("profile", "profiles"), "memories": ("memory", "memories")}
    counts = [render.format_count(number, *names[name]) for name, number in rows.items() if number]
    return " and ".join(counts) or "nothing"


def _as_json(rows: Mapping[str, int]) -> dict[str, JsonValue]:
    return dict(rows)


@group.command(epilog=format_examples("recollect consent ledger", "recollect consent ledger --json"))
@command
def ledger(
    ctx: CommandContext, limit: Annotated[int, typer.Option(metavar="N", min=1, help="Lines at most.")] = 100
) -> None:
    """
    Show what was agreed to, taken back and erased, and whether the ledger is intact.

    Each line is chained to the one before, so that a change shows. It never holds what was said. Exit code 5 if the
    chain is broken.
    """
    with ctx.open_session() as session:
        entries = session.store.audit_log.list(session.scope(), limit=limit)
        is_intact = session.store.audit_log.is_intact(session.scope())
    rows = [(render.format_time(each.at), each.action, _describe_detail(each.detail)) for each in entries]
    ctx.print_result(
        {**serializers.wrap_results(map(serializers.serialize_audit_entry, entries)), "intact": is_intact},
        *([render.table("!when", "!what", "detail", rows=rows)] if rows else []),
    )
    ctx.info("The chain is intact." if is_intact else "The chain is broken.")
    ctx.exit_degraded([] if is_intact else [BROKEN_CHAIN_WARNING])


def _describe_detail(detail: str) -> str:
    """A detail that was written for machines, in words."""
    if not detail.startswith("{"):
        return detail
    values = json.loads(detail)
    erased_rows = values.get("erased", {})
    return (
        f"{values['category']}; erased {_format_row_counts(erased_rows)}"
        if any(erased_rows.values())
        else str(values["category"])
    )
