"""The `privacy consent` commands: list, give and revoke consent."""

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

group = make_typer()

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


@group.callback(
    epilog=format_examples(
        "recollect privacy consent",
        "recollect privacy consent give profile",
        "recollect privacy consent revoke emotion --dry-run",
    )
)
@command
def consent(_ctx: CommandContext) -> None:
    """
    Show, give or revoke consent.

    The profile needs your consent before it is stored (opt-in). The kinds of memory are stored until you revoke consent
    (opt-out). Revoking erases the stored data, and nothing of that category is stored afterwards. Without a subcommand,
    the categories are listed.
    """


@group.command("list", epilog=format_examples("recollect privacy consent list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List the categories with your consent and their row counts."""
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


@group.command(epilog=format_examples("recollect privacy consent give profile"))
@command
def give(ctx: CommandContext, category: CategoryArgument) -> None:
    """Give consent for a category."""
    with ctx.open_session(creates=True) as session:
        session.services.privacy.set_consent(session.scope(), category, granted=True)
    ctx.print_result(
        {"category": category, "granted": True},
        f"Consent given for {category}: {CATEGORY_DESCRIPTIONS[category]}",
    )
    ctx.info(f"To revoke it and erase the data: recollect privacy consent revoke {category}")


@group.command(
    epilog=format_examples(
        "recollect privacy consent revoke profile --dry-run", "recollect privacy consent revoke emotion --yes"
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
    `recollect privacy erase` to remove them.
    """
    with ctx.open_session(creates=True) as session:
        rows = dict(session.services.privacy.consent_coverage(session.scope(), category))
        if ctx.is_text and (dry_run or not yes):
            _print_preview(ctx, session, category)
        if not dry_run:
            if any(rows.values()):
                ctx.confirm(f"Revoke consent for {category} and erase {format_row_counts(rows)}?", yes=yes)
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
        return f"Would erase {format_row_counts(rows)}; nothing was changed."
    return f"Consent for {category} revoked; erased {format_row_counts(rows)}."


def format_row_counts(rows: Mapping[str, int]) -> str:
    names = {"profile": ("profile", "profiles"), "memories": ("memory", "memories")}
    counts = [render.format_count(number, *names[name]) for name, number in rows.items() if number]
    return " and ".join(counts) or "nothing"


def _as_json(rows: Mapping[str, int]) -> dict[str, JsonValue]:
    return dict(rows)
