"""The `consent` commands: show, give and revoke consent, and print the audit log."""

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
CATEGORY_DESCRIPTIONS: Mapping[str, str] = {
    "profile": "The profile you write with `recollect profile`; included in every prompt.",
    Kind.BIOGRAPHY: "Biography: name, age, home, family, work, health.",
    Kind.PREFERENCE: "Likes and dislikes.",
    Kind.EMOTION: "Emotions and moods; they decay unless stated again.",
    Kind.GOAL: "Goals.",
    Kind.EVENT: "Events in your life.",
    Kind.DECISION: "Decisions and constraints.",
    Kind.NOTE: "Notes you asked to store word for word.",
}
#: Memories listed before a confirmation question.
MAX_PREVIEW_MEMORIES = 10
BROKEN_CHAIN_WARNING = (
    "The audit log was modified outside of recollect: at least one entry does not match its hash"
)


@group.callback(
    invoke_without_command=True,
    epilog=format_examples(
        "recollect consent",
        "recollect consent give profile",
        "recollect consent revoke emotion --dry-run",
        "recollect consent ledger",
    ),
)
@command
def consent(ctx: CommandContext) -> None:
    """
    Show, give or revoke consent.

    The profile needs your consent before it is stored (opt-in). The kinds of memory are stored until you revoke consent
    (opt-out). Revoking erases the stored data, and nothing of that category is stored afterwards.
    """
    with ctx.open_session() as session:
        consents = session.services.privacy.consents(session.scope())
        row_counts = {
            each: sum(session.services.privacy.consent_coverage(session.scope(), each).values())
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
        render.table("category", "consent", "#stored", "covers", rows=rows),
    )


def _format_consent(granted: bool) -> str:
    return "yes" if granted else "no"


@group.command(epilog=format_examples("recollect consent give profile"))
@command
def give(ctx: CommandContext, category: CategoryArgument) -> None:
    """Give consent for a category."""
    with ctx.open_session() as session:
        session.services.privacy.set_consent(session.scope(), category, granted=True)
    ctx.print_result(
        {"category": category, "granted": True},
        f"Consent given for {category}: {CATEGORY_DESCRIPTIONS[category]}",
    )
    ctx.info(f"To revoke it and erase the data: recollect consent revoke {category}")


@group.command(
    epilog=format_examples(
        "recollect consent revoke profile --dry-run", "recollect consent revoke emotion --yes"
    )
)
@command
def revoke(
    ctx: CommandContext,
    category: CategoryArgument,
    yes: YesOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be erased; change nothing.")
    ] = False,
) -> None:
    """
    Revoke consent and erase the data it covers.

    Shows what will be erased and asks for confirmation; without a terminal, --yes is required (otherwise exit code 4).
    The data is removed immediately, search indexes included, and this cannot be undone. Messages are kept; use
    `recollect erase` to remove them.
    """
    with ctx.open_session() as session:
        rows = dict(session.services.privacy.consent_coverage(session.scope(), category))
        if ctx.is_text and (dry_run or not yes):
            _print_preview(ctx, session, category)
        if not dry_run:
            if any(rows.values()):
                ctx.confirm(f"Revoke consent for {category} and erase {_format_row_counts(rows)}?", yes=yes)
            rows = dict(session.services.privacy.set_consent(session.scope(), category, granted=False))
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
        profile = session.services.profile.get(session.scope())
        return [] if profile is None else [render.profile(profile)]
    memories = session.services.memories.list(
        session.scope(), kind=Kind(category), status=None, limit=MAX_PREVIEW_MEMORIES
    )
    return [render.memories(memories, wide=False)] if memories else []


def _describe_revocation(category: str, rows: Mapping[str, int], *, dry_run: bool) -> str:
    if dry_run:
        return f"Would erase {_format_row_counts(rows)}; nothing was changed."
    return f"Consent for {category} revoked; erased {_format_row_counts(rows)}."


def _format_row_counts(rows: Mapping[str, int]) -> str:
    names = {"profile": ("profile", "profiles"), "memories": ("memory", "memories")}
    counts = [render.format_count(number, *names[name]) for name, number in rows.items() if number]
    return " and ".join(counts) or "nothing"


def _as_json(rows: Mapping[str, int]) -> dict[str, JsonValue]:
    return dict(rows)


@group.command(epilog=format_examples("recollect consent ledger", "recollect consent ledger --json"))
@command
def ledger(
    ctx: CommandContext,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of entries.")] = 100,
) -> None:
    """
    Show the audit log of consents and erasures, and verify it.

    The log is a hash chain: each entry contains the hash of the previous one, so that tampering is detected. It never
    contains message texts. The exit code is 5 if the chain is broken.
    """
    with ctx.open_session() as session:
        trail = session.services.privacy.audit_log(session.scope(), limit=limit)
        entries, is_intact = trail.entries, trail.is_intact
    rows = [(render.format_time(each.at), each.action, _describe_detail(each.detail)) for each in entries]
    ctx.print_result(
        {**serializers.wrap_results(map(serializers.serialize_audit_entry, entries)), "intact": is_intact},
        *([render.table("!time", "!action", "detail", rows=rows)] if rows else []),
    )
    ctx.info("The hash chain is intact." if is_intact else "The hash chain is broken.")
    ctx.exit_degraded([] if is_intact else [BROKEN_CHAIN_WARNING])


def _describe_detail(detail: str) -> str:
    """Return the detail of an entry as text; details in JSON are formatted."""
    if not detail.startswith("{"):
        return detail
    values = json.loads(detail)
    erased_rows = values.get("erased", {})
    return (
        f"{values['category']}; erased {_format_row_counts(erased_rows)}"
        if any(erased_rows.values())
        else str(values["category"])
    )
