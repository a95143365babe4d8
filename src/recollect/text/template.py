"""Prompt templates: text with placeholders and a version."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_FRONT_MATTER_PATTERN = re.compile(r"---\r?\n(.*?)\r?\n---(?:\r?\n|\Z)", re.DOTALL)
_VERSION_PATTERN = re.compile(r"^version:[ \t]*(\S+)", re.MULTILINE)
_PLACEHOLDER_PATTERN = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    text: str
    version: str  #: from the front matter, or `unversioned`

    @classmethod
    def parse(cls, source: str) -> "Template":
        front_matter = _FRONT_MATTER_PATTERN.match(source)
        version_match = _VERSION_PATTERN.search(front_matter.group(1)) if front_matter else None
        body = source[front_matter.end() :] if front_matter else source
        return cls(text=body.strip(), version=version_match.group(1) if version_match else "unversioned")

    def fill(self, values: Mapping[str, str]) -> str:
        """Replace each `{{NAME}}` and `{name}` that has a value, in one pass: inserted values are not expanded."""
        return _PLACEHOLDER_PATTERN.sub(lambda gap: values.get(gap[1] or gap[2], gap[0]), self.text)


def select_template(
    name: str, locale: str, overrides: Mapping[str, str] | None, locales: Collection[str] = ("en", "pt")
) -> tuple[str, str | None]:
    """Return a template's name in a language (`list.pt` or `list`), and the user's override of it, if any."""
    full_name = f"{name}.{locale}" if locale in locales and locale != "en" else name
    custom_texts = overrides or {}
    return full_name, custom_texts.get(f"{name}.{locale}", custom_texts.get(name))
