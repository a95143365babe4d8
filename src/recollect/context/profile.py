"""What a user tells about themselves, read from a form and written as a few lines for a prompt."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from recollect.domain.summary import Profile
from recollect.errors import InvalidInput

Value = TypeVar("Value", str, str | tuple[str, ...])

#: The fields of the form, by the part of the profile they belong to; anything else is kept as `extra`.
PREFERENCES = ("codingStyle", "preferredLanguages", "frameworkExperience")
CONTEXT = ("projectGoals", "domain", "constraints")
LISTS = frozenset({"preferredLanguages", "frameworkExperience"})
LABELS: Mapping[str, Mapping[str, str]] = {
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
LONGEST = 20_000


def filled(user: str, form: Mapping[str, object], *, now: datetime, before: Profile | None = None) -> Profile:
    """A profile from a form; fields that are not in it stay what they were, empty ones are taken out."""
    preferences = dict(before.preferences) if before else {}
    context = dict(before.context) if before else {}
    extra = dict(before.extra) if before else {}
    notes = before.notes if before else ""
    for name, value in form.items():
        if name == "freeformNotes":
            notes = _text(name, value)
        elif name in PREFERENCES:
            _put(preferences, name, _list(name, value) if name in LISTS else _text(name, value))
        elif name in CONTEXT:
            _put(context, name, _text(name, value))
        else:
            _put(extra, name, _text(name, value))
    return Profile(
        user=user, updated_at=now, preferences=preferences, context=context, notes=notes, extra=extra
    )


def told(profile: Profile, locale: str) -> str:
    """The profile as lines for a prompt; empty when there is nothing in it."""
    fields = {**profile.preferences, **profile.context, **profile.extra, "freeformNotes": profile.notes}
    lines = [
        f"{_label(name, locale)}: {', '.join(value) if isinstance(value, tuple) else ' '.join(value.split())}"
        for name, value in fields.items()
        if value
    ]
    return "\n".join(lines)


def _label(name: str, locale: str) -> str:
    if name == "freeformNotes":
        return LABELS[locale].get(name, "Notes")
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return LABELS[locale].get(name, spaced[:1].upper() + spaced[1:])


def _put(fields: dict[str, Value], name: str, value: Value) -> None:
    if value:
        fields[name] = value
    else:
        fields.pop(name, None)


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise InvalidInput(f"The profile's field {name} takes text of at most {LONGEST} characters.")
    return value.strip()


def _list(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        parts: list[object] = list(value.split(","))
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif value is None:
        parts = []
    else:
        raise InvalidInput(f"The profile's field {name} takes a list of words, or one text with commas.")
    return tuple(text for part in parts if (text := _text(name, part)))
