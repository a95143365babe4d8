"""The `profile` commands: the profile that users write about themselves."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import context_files, render
from recollect.cli.command import (
    CommandContext,
    command,
    format_examples,
    make_typer,
    read_text_argument,
    read_text_file,
)
from recollect.cli.session import CliSession
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired, InvalidInput
from recollect.serialization import serializers

app = make_typer()
group = make_typer()
app.add_typer(group, name="profile")
group.add_typer(context_files.group, name="context-files")

FIELD_NAMES_HELP = (
    "codingStyle, preferredLanguages, frameworkExperience, projectGoals, domain, constraints, freeformNotes,"
    " or a custom name"
)
FieldArgument: TypeAlias = Annotated[str, typer.Argument(metavar="FIELD", help=f"{FIELD_NAMES_HELP}.")]
#: Objects that group the fields in `recollect profile --json`.
PROFILE_PARTS = ("preferences", "context", "extra")
READ_ONLY_KEYS = ("id", "updatedAt", "consent")
CONSENT_HINT = "The profile needs your consent. Give it with `recollect privacy consent give profile`."


@group.callback(
    epilog=format_examples(
        "recollect profile",
        "recollect profile set preferredLanguages Python, Rust",
        "recollect profile clear domain",
        "recollect profile context-files",
    )
)
@command
def profile(_ctx: CommandContext) -> None:
    """
    Show or edit your profile and its context files.

    Only you write the profile; nothing is added automatically. It is stored and included in prompts only with your
    consent (`recollect privacy consent give profile`). Without a subcommand, it is shown.
    """


@group.command(epilog=format_examples("recollect profile show", "recollect profile show --json"))
@command
def show(ctx: CommandContext) -> None:
    """Show your profile."""
    with ctx.open_session() as session:
        has_consent = session.services.privacy.consents(session.scope())["profile"]
        stored_profile = session.services.profile.get(session.scope())
    filled_profile = stored_profile if stored_profile is not None and _has_fields(stored_profile) else None
    ctx.print_result(
        {**serializers.serialize_profile(stored_profile), "consent": has_consent},
        *([render.profile(filled_profile)] if filled_profile else []),
    )
    if not has_consent:
        ctx.info(CONSENT_HINT)
    elif filled_profile is None:
        ctx.info("The profile is empty. Add to it with `recollect profile set FIELD VALUE`.")


def _has_fields(value: Profile) -> bool:
    return bool(value.preferences or value.context or value.extra or value.notes)


@group.command(
    "set",
    epilog=format_examples(
        "recollect profile set codingStyle functional, typed, no classes where a function will do",
        "recollect profile set freeformNotes - < about-me.txt",
        "recollect profile set --file me.json",
    ),
)
@command
def set_(
    ctx: CommandContext,
    field: Annotated[str | None, typer.Argument(metavar="FIELD", help=f"{FIELD_NAMES_HELP}.")] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE", help="New value; - reads standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="F", help="JSON object of fields; - reads standard input.")
    ] = None,
) -> None:
    """
    Set fields of the profile.

    Other fields are unchanged. Separate list values with commas. A file contains one JSON object with the fields at the
    top level or under `preferences`, `context` and `extra`, as printed by `recollect profile --json`.
    """
    if (file is None) == (field is None):
        raise typer.BadParameter("give either FIELD and VALUE, or --file", param_hint="FIELD")
    if file is None and not words:
        raise typer.BadParameter("give a value for the field", param_hint="VALUE")
    fields = _read_fields(file) if file else {str(field): read_text_argument(words or [])}
    with ctx.open_session(creates=True) as session:
        updated_profile = _update_profile(session, fields)
    ctx.print_result(serializers.serialize_profile(updated_profile), render.profile(updated_profile))
    ctx.info(
        "The profile is included in every prompt. To stop that: recollect privacy consent revoke profile"
    )


@group.command(epilog=format_examples("recollect profile clear domain"))
@command
def clear(ctx: CommandContext, field: FieldArgument) -> None:
    """Remove a field from the profile."""
    with ctx.open_session() as session:
        updated_profile = _update_profile(session, {field: ""})
    ctx.print_result(serializers.serialize_profile(updated_profile), f"Removed {field}.")


def _update_profile(session: CliSession, fields: Mapping[str, object]) -> Profile:
    try:
        return session.services.profile.set_profile(session.scope(), fields, session.policy())
    except ConsentRequired as error:
        raise ConsentRequired(CONSENT_HINT) from error


def _read_fields(file: Path) -> dict[str, object]:
    try:
        document = json.loads(read_text_file(file))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is not valid JSON: {error}. Nothing was changed.") from error
    if not isinstance(document, dict):
        raise InvalidInput(f'{file} is not a profile. Write an object such as {{"domain": "payments"}}.')
    nested_fields = {
        name: value
        for part in PROFILE_PARTS
        if isinstance(document.get(part), dict)
        for name, value in document[part].items()
    }
    return {
        **{name: value for name, value in document.items() if name not in {*PROFILE_PARTS, *READ_ONLY_KEYS}},
        **nested_fields,
    }
