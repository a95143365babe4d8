"""profile: what the user writes about themselves."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples, file_text, given_text
from recollect.cli.session import Session
from recollect.domain.summary import Profile
from recollect.errors import ConsentRequired, InvalidInput
from recollect.serialization import serializers

app = commands()
group = commands()
app.add_typer(group, name="profile")

FIELDS = (
    "codingStyle, preferredLanguages, frameworkExperience, projectGoals, domain, constraints, freeformNotes,"
    " or a name of your own"
)
Field: TypeAlias = Annotated[str, typer.Argument(metavar="FIELD", help=f"{FIELDS}.")]
#: What `recollect profile --json` prints around the fields.
PARTS = ("preferences", "context", "extra")
OURS = ("id", "updatedAt", "consent")
ASK = "The profile is kept only with consent. `recollect consent give profile` gives it."


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect profile",
        "recollect profile set preferredLanguages Python, Rust",
        "recollect profile set --file me.json",
        "recollect profile clear domain",
    ),
)
@command
def profile(call: Call) -> None:
    """
    Show what you told about yourself, or change it.

    A profile is yours to write: nothing is put into it by itself. It is kept and shown to the model only with your
    consent (`recollect consent give profile`).
    """
    with call.open() as session:
        granted = session.store.consents.all(session.scope())["profile"]
        found = session.store.profiles.get(session.scope())
    told = found if found is not None and _filled(found) else None
    call.answer({**serializers.profile(found), "consent": granted}, *([render.profile(told)] if told else []))
    if not granted:
        call.note(ASK)
    elif told is None:
        call.note("The profile is empty. `recollect profile set FIELD VALUE` fills it in.")


def _filled(value: Profile) -> bool:
    return bool(value.preferences or value.context or value.extra or value.notes)


@group.command(
    "set",
    epilog=examples(
        "recollect profile set codingStyle functional, typed, no classes where a function will do",
        "recollect profile set freeformNotes - < about-me.txt",
        "recollect profile set --file me.json",
    ),
)
@command
def set_(
    call: Call,
    field: Annotated[str | None, typer.Argument(metavar="FIELD", help=f"{FIELDS}.")] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE", help="What it should say; - reads it.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="F", help="A JSON object of fields; - reads it.")
    ] = None,
) -> None:
    """
    Fill in fields of the profile.

    The other fields stay as they are. Lists are written with commas. A file holds one JSON object, with the fields side
    by side or under `preferences`, `context` and `extra`, as `recollect profile --json` prints them.
    """
    if (file is None) == (field is None):
        raise typer.BadParameter("give a FIELD and a VALUE, or --file", param_hint="FIELD")
    if file is None and not words:
        raise typer.BadParameter("say what the field should hold", param_hint="VALUE")
    form = _form(file) if file else {str(field): given_text(words or [])}
    with call.open() as session:
        kept = _tell(session, form)
    call.answer(serializers.profile(kept), render.profile(kept))
    call.note("This is shown to the model in every prompt; `recollect consent revoke profile` ends that.")


@group.command(epilog=examples("recollect profile clear domain"))
@command
def clear(call: Call, field: Field) -> None:
    """Take a field out of the profile."""
    with call.open() as session:
        kept = _tell(session, {field: ""})
    call.answer(serializers.profile(kept), f"{field} is empty.")


def _tell(session: Session, form: Mapping[str, object]) -> Profile:
    try:
        return session.engine.tell_profile(session.scope(), form, session.policy())
    except ConsentRequired as error:
        raise ConsentRequired(ASK) from error


def _form(file: Path) -> dict[str, object]:
    try:
        form = json.loads(file_text(file))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is no valid JSON: {error}. Correct it; nothing was changed.") from error
    if not isinstance(form, dict):
        raise InvalidInput(f'{file} is no profile. Write an object such as {{"domain": "payments"}}.')
    inside = {
        name: value
        for part in PARTS
        if isinstance(form.get(part), dict)
        for name, value in form[part].items()
    }
    return {**{name: value for name, value in form.items() if name not in {*PARTS, *OURS}}, **inside}
