"""A text with gaps and a version: what prompts are made of."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_FRONT = re.compile(r"---\r?\n(.*?)\r?\n---(?:\r?\n|\Z)", re.DOTALL)
_VERSION = re.compile(r"^version:[ \t]*(\S+)", re.MULTILINE)
_GAP = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    text: str
    version: str  #: from the front matter; `unversioned` if it names none

    @classmethod
    def parse(cls, source: str) -> "Template":
        front = _FRONT.match(source)
        named = _VERSION.search(front.group(1)) if front else None
        body = source[front.end() :] if front else source
        return cls(text=body.strip(), version=named.group(1) if named else "unversioned")

    def fill(self, values: Mapping[str, str]) -> str:
        """Fill each `{{NAME}}` and `{name}` that has a value. What is filled in is never filled again."""
        return _GAP.sub(lambda gap: values.get(gap[1] or gap[2], gap[0]), self.text)


def chosen(
    name: str, locale: str, overrides: Mapping[str, str] | None, locales: Collection[str] = ("en", "pt")
) -> tuple[str, str | None]:
    """The name of the template in a language, and the user's own text for it, if there is one: `list.pt` or `list`."""
    full = f"{name}.{locale}" if locale in locales and locale != "en" else name
    own = overrides or {}
    return full, own.get(f"{name}.{locale}", own.get(name))
