"""The user's profile: parse the form, and format it as lines of the prompt."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from recollect.domain.summary import Profile
from recollect.errors import InvalidInput

Value = TypeVar("Value", str, str | tuple[str, ...])

#: Form fields by the part of the profile they belong to; other fields are stored in `extra`.
PREFERENCE_FIELDS = ("codingStyle", "preferredLanguages", "frameworkExperience")
CONTEXT_FIELDS = ("projectGoals", "domain", "constraints")
LIST_FIELDS = frozenset({"preferredLanguages", "frameworkExperience"})
FIELD_LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {},
    "pt": {
        "codingStyle": "Estilo de código",
        "preferredLanguages": "Linguagens preferidas",
        "frameworkExperience": "Experiência com frameworks",
        "projectGoals": "Objetivos do projeto",
        "domain": "Domínio",
        "constraints": "Restrições",
        "freeformNotes": "Notas",
    },
}
MAX_FIELD_CHARS = 20_000


def update_profile(
    user: str, form: Mapping[str, object], *, now: datetime, previous: Profile | None = None
) -> Profile:
    """Update a profile from a form: absent fields stay unchanged, empty ones are removed."""
    preferences = dict(previous.preferences) if previous else {}
    context = dict(previous.context) if previous else {}
    extra = dict(previous.extra) if previous else {}
    notes = previous.notes if previous else ""
    for name, value in form.items():
        if name == "freeformNotes":
            notes = _parse_text(name, value)
        elif name in PREFERENCE_FIELDS:
            _set_or_remove(
                preferences,
                name,
                _parse_list(name, value) if name in LIST_FIELDS else _parse_text(name, value),
            )
        elif name in CONTEXT_FIELDS:
            _set_or_remove(context, name, _parse_text(name, value))
        else:
            _set_or_remove(extra, name, _parse_text(name, value))
    return Profile(
        user=user, updated_at=now, preferences=preferences, context=context, notes=notes, extra=extra
    )


def format_profile(profile: Profile, locale: str) -> str:
    """Return the profile as lines for a prompt; empty if it has no fields."""
    fields = {**profile.preferences, **profile.context, **profile.extra, "freeformNotes": profile.notes}
    lines = [
        f"{_field_label(name, locale)}: {', '.join(value) if isinstance(value, tuple) else ' '.join(value.split())}"
        for name, value in fields.items()
        if value
    ]
    return "\n".join(lines)


def _field_label(name: str, locale: str) -> str:
    if name == "freeformNotes":
        return FIELD_LABELS[locale].get(name, "Notes")
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return FIELD_LABELS[locale].get(name, spaced[:1].upper() + spaced[1:])


def _set_or_remove(fields: dict[str, Value], name: str, value: Value) -> None:
    if value:
        fields[name] = value
    else:
        fields.pop(name, None)


def _parse_text(name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MAX_FIELD_CHARS:
        raise InvalidInput(f"The profile field {name} must be text of at most {MAX_FIELD_CHARS} characters.")
    return value.strip()


def _parse_list(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        parts: list[object] = list(value.split(","))
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif value is None:
        parts = []
    else:
        raise InvalidInput(
            f"The profile field {name} must be a list of texts, or one text separated by commas."
        )
    return tuple(text for part in parts if (text := _parse_text(name, part)))
