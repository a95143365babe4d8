"""Front matter of Markdown files: the subset of YAML that memory tools write, one `key: value` or list a line."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

FrontMatterValue: TypeAlias = str | tuple[str, ...]

_FENCE = "---"
_KEY = re.compile(r"([A-Za-z_][\w .-]{0,60}):(?:\s+(.*))?$")
_PLAIN = re.compile(r"[\w/.+@(]|[\w/.+@(][\w ./+@(),;'-]*[\w/.+@(),;'-]")
#: Plain words that YAML does not read as text.
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "~"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownDocument:
    fields: Mapping[str, FrontMatterValue] = field(default_factory=dict)
    body: str = ""

    def text(self, key: str) -> str:
        value = self.fields.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def values(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key, ())
        return tuple(filter(None, (value,))) if isinstance(value, str) else value


def parse_document(text: str) -> MarkdownDocument:
    """Split a Markdown file into its front matter and body. Lines that are neither keys nor list items are ignored."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].strip() != _FENCE:
        return MarkdownDocument(body=text)
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.strip() == _FENCE), None)
    if end is None:
        return MarkdownDocument(body=text)
    fields: dict[str, FrontMatterValue] = {}
    key = ""
    for line in lines[1:end]:
        if match := _KEY.match(line):
            key = match[1].strip()
            fields[key] = _parse_value((match[2] or "").strip())
        elif key and line.strip().startswith("- "):
            earlier = fields[key]
            items = earlier if isinstance(earlier, tuple) else tuple(filter(None, (earlier,)))
            fields[key] = (*items, _unquote(line.strip()[2:].strip()))
    return MarkdownDocument(fields=fields, body="\n".join(lines[end + 1 :]).strip("\n"))


def format_document(fields: Mapping[str, str | float | Sequence[str]], body: str) -> str:
    """Write front matter and body; `parse_document` reads the same values."""
    lines = [_FENCE, *(f"{key}: {_format_value(value)}" for key, value in fields.items()), _FENCE]
    return "\n".join([*lines, body]) + "\n"


def _format_value(value: str | float | Sequence[str]) -> str:
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else f"[{', '.join(map(_quote_always, value))}]"


def _quote(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return _quote_always(text)


def _quote_always(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _parse_value(text: str) -> FrontMatterValue:
    if not text.startswith("["):
        return _unquote(text)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return tuple(filter(None, (_unquote(part.strip()) for part in text.strip("[]").split(","))))
    return tuple(value if isinstance(value, str) else json.dumps(value) for value in values)


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text[1:-1].replace("''", "'") if len(text) >= 2 and text[0] == text[-1] == "'" else text
