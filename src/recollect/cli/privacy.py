"""The `privacy` commands: consent, erasure and the audit log."""

import json
from typing import Annotated

import typer

from recollect.cli import consent, erase, render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.consent import format_row_counts
from recollect.serialization import serializers

app = make_typer()
group = make_typer()
app.add_typer(group, name="privacy")
group.add_typer(consent.group, name="consent")
group.add_typer(erase.group, name="erase")

BROKEN_CHAIN_WARNING = (
    "The audit log was modified outside of recollect: at least one entry does not match its hash"
)


@group.callback(
    epilog=format_examples(
        "recollect privacy consent",
        "recollect privacy consent revoke emotion --dry-run",
        "recollect privacy erase memory 01k9x2v7q3m5",
        "recollect privacy audit-log",
    )
)
@command
def privacy(_ctx: CommandContext) -> None:
    """
    Give or revoke consent, erase data, and show the audit log.

    `consent` decides which kinds of data may be stored, `erase` deletes data so that no bytes remain, and `audit-log`
    shows what was decided and erased.
    """


@group.command(
    "audit-log", epilog=format_examples("recollect privacy audit-log", "recollect privacy audit-log --json")
)
@command
def audit_log(
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
        f"{values['category']}; erased {format_row_counts(erased_rows)}"
        if any(erased_rows.values())
        else str(values["category"])
    )
