"""
Edits of configuration files that keep every other byte: each is a few insertions, and can be undone exactly.

`apply_edits` returns the new text and what was inserted where. `undo_edits` removes these insertions again. If the file
has been changed meanwhile, so that they are not where they were, the entry is removed by its content instead.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from recollect.errors import InvalidInput, Refused
from recollect.hosts.jsonc import JsonData, JsonNode, parse_jsonc

DEFAULT_INDENT = "  "
_INDENT_PATTERN = re.compile(r'^([ \t]+)["\]}\[{]', re.MULTILINE)
#: Spaces and comments up to the end of a line.
_LINE_REST_PATTERN = re.compile(r"[ \t]*(?://[^\n\r]*|/\*(?:[^*\n]|\*(?!/))*\*/[ \t]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEdit:
    """
    Adds a value below `path`, whose missing objects are created.

    With a key it becomes a member of the object there, without one the last item of the list.
    """

    path: tuple[str, ...]
    value: JsonData
    key: str | None = None
    keep_existing: bool = False  #: leave a member that exists already as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlEdit:
    """Adds a table at the end of a TOML file."""

    table: tuple[str, ...]
    values: tuple[tuple[str, str | tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """Creates a whole file, such as a plugin."""

    text: str


ConfigEdit: TypeAlias = JsonEdit | TomlEdit | NewFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """Text that was inserted, at an offset of the text before this insertion."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedEdit:
    edit: ConfigEdit
    insertions: tuple[Insertion, ...]


def apply_edits(text: str, edits: Sequence[ConfigEdit]) -> tuple[str, tuple[AppliedEdit, ...]]:
    """Return the edited text and what was inserted; edits that change nothing are left out."""
    applied: list[AppliedEdit] = []
    for edit in edits:
        insertions = tuple(_insertions(text, edit))
        for insertion in insertions:
            text = text[: insertion.offset] + insertion.text + text[insertion.offset :]
        if insertions:
            applied.append(AppliedEdit(edit=edit, insertions=insertions))
    return text, tuple(applied)


def undo_edits(text: str, applied: Sequence[AppliedEdit]) -> str:
    """Return the text without the edits, the same bytes as before unless it was changed in between."""
    for each in reversed(applied):
        undone = _remove_insertions(text, each.insertions)
        text = undone if undone is not None else _remove_entry(text, each.edit)
    return text


def has_edit(text: str, edit: ConfigEdit) -> bool:
    """Return whether the text contains what the edit adds."""
    match edit:
        case NewFile():
            return text == edit.text
        case TomlEdit():
            return _toml_values(text, edit.table) == {
                key: list(value) if isinstance(value, tuple) else value for key, value in edit.values
            }
        case JsonEdit():
            node = _find(parse_jsonc(text), edit.path) if text.strip() else None
            if node is None:
                return False
            if edit.key is not None:
                member = node.members.get(edit.key)
                return member is not None and (edit.keep_existing or member.data == edit.value)
            return any(item.data == edit.value for item in node.items)


def _insertions(text: str, edit: ConfigEdit) -> Iterator[Insertion]:
    match edit:
        case NewFile():
            if text:
                raise Refused("The file exists already and was not written by recollect. Remove it first.")
            yield Insertion(offset=0, text=edit.text)
        case TomlEdit():
            yield _toml_insertion(text, edit)
        case JsonEdit():
            yield from _json_insertions(text, edit)


def _json_insertions(text: str, edit: JsonEdit) -> Iterator[Insertion]:
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.strip("\ufeff \t\r\n"):
        document = _nest(edit.path, edit)
        yield Insertion(offset=len(text), text=_format(document, DEFAULT_INDENT, "", newline) + newline)
        return
    node, depth = parse_jsonc(text), 0
    for name in edit.path:
        if node.kind == "object" and name in node.members:
            node, depth = node.members[name], depth + 1
        else:
            break
    rest = edit.path[depth:]
    if node.kind != ("array" if edit.key is None and not rest else "object"):
        place = ".".join(edit.path[:depth]) or "the document"
        raise Refused(f"{place} has another form than expected. Add the entry by hand.")
    if edit.key is not None and not rest and edit.key in node.members:
        if edit.keep_existing or node.members[edit.key].data == edit.value:
            return
        raise Refused(
            f"There is another entry {'.'.join((*edit.path, edit.key))} already. Remove it first, or keep it."
        )
    indent = _indent_of(text)
    inner = newline + indent * (depth + 1)
    value = _nest(rest[1:], edit) if rest else edit.value
    key = rest[0] if rest else edit.key
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    entry = label + _format(value, indent, indent * (depth + 1), newline)
    yield from _entry_insertions(text, node, inner, entry, newline + indent * depth)


def _entry_insertions(text: str, node: JsonNode, inner: str, entry: str, outer: str) -> Iterator[Insertion]:
    """Insert an entry at the end of an object or array, after a comment on the last entry's line."""
    children = tuple(node.members.values()) or node.items
    if not children:
        content = text[node.start + 1 : node.end - 1]
        is_one_line = "\n" not in content
        yield Insertion(offset=node.start + 1, text=inner + entry + (outer if is_one_line else ""))
        return
    last = max(children, key=lambda child: child.end)
    between = text[last.end : node.end - 1]
    comma = re.match(r"\s*,", between)
    end = last.end + (comma.end() if comma else 0)
    comment = _LINE_REST_PATTERN.match(text, end, node.end - 1)
    after_comment = comment.end() if comment else end
    is_one_line = "\n" not in text[node.start : node.end]
    separator = " " if is_one_line else inner
    if comma is None and after_comment != end:
        yield Insertion(offset=end, text=",")
        yield Insertion(offset=after_comment + 1, text=separator + entry)
    else:
        yield Insertion(offset=after_comment, text=("" if comma else ",") + separator + entry)


def _nest(path: tuple[str, ...], edit: JsonEdit) -> JsonData:
    value: JsonData = [edit.value] if edit.key is None else {edit.key: edit.value}
    for name in reversed(path):
        value = {name: value}
    return value


def _format(value: JsonData, indent: str, prefix: str, newline: str) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.replace("\n", newline + prefix)


def _indent_of(text: str) -> str:
    match = _INDENT_PATTERN.search(text)
    return match.group(1) if match else DEFAULT_INDENT


def _find(node: JsonNode, path: Sequence[str]) -> JsonNode | None:
    for name in path:
        if name not in node.members:
            return None
        node = node.members[name]
    return node


def _toml_values(text: str, table: Sequence[str]) -> object:
    try:
        value: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The file is not valid TOML: {error}. Correct it first.") from error
    for name in table:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _toml_insertion(text: str, edit: TomlEdit) -> Insertion:
    if _toml_values(text, edit.table) is not None:
        raise Refused(f"There is another table {'.'.join(edit.table)} already. Remove it first, or keep it.")
    newline = "\r\n" if "\r\n" in text else "\n"
    start = "" if not text else newline if text.endswith("\n") else newline * 2
    # A JSON string is a valid basic string of TOML.
    lines = [f"[{'.'.join(edit.table)}]", *(f"{key} = {json.dumps(value)}" for key, value in edit.values)]
    insertion = Insertion(offset=len(text), text=start + newline.join(lines) + newline)
    _toml_values(text + insertion.text, edit.table)
    return insertion


def _remove_insertions(text: str, insertions: Sequence[Insertion]) -> str | None:
    """Return the text without the insertions, or None if one is not at its place."""
    for each in reversed(insertions):
        end = each.offset + len(each.text)
        if text[each.offset : end] != each.text:
            return None
        text = text[: each.offset] + text[end:]
    return text


def _remove_entry(text: str, edit: ConfigEdit) -> str:
    """Return the text without the entry, wherever it is now; unchanged if it is gone."""
    match edit:
        case NewFile():
            raise Refused("The file was changed since recollect wrote it. Remove it by hand.")
        case TomlEdit():
            return _remove_table(text, edit)
        case JsonEdit(keep_existing=True):
            # It may have become useful to others.
            return text
        case JsonEdit():
            return _remove_json_entry(text, edit) if text.strip() else text


def _remove_json_entry(text: str, edit: JsonEdit) -> str:
    node = _find(parse_jsonc(text), edit.path)
    if node is None:
        return text
    if edit.key is not None:
        if edit.key not in node.members:
            return text
        starts = [node.key_starts[name] for name in node.members]
        ends = [child.end for child in node.members.values()]
        place = list(node.members).index(edit.key)
    else:
        places = [place for place, item in enumerate(node.items) if item.data == edit.value]
        if not places:
            return text
        place = places[-1]
        starts, ends = [item.start for item in node.items], [item.end for item in node.items]
    if place > 0:
        start, end = ends[place - 1], ends[place]
    elif len(starts) > 1:
        start, end = starts[0], starts[1]
    else:
        start, end = node.start + 1, node.end - 1
    text = text[:start] + text[end:]
    # Objects and lists that are empty without the entry were made for it.
    if len(starts) == 1 and edit.path:
        parent = JsonEdit(path=edit.path[:-1], key=edit.path[-1], value=None)
        return _remove_json_entry(text, parent)
    return text


def _remove_table(text: str, edit: TomlEdit) -> str:
    header = re.escape(f"[{'.'.join(edit.table)}]")
    return re.sub(
        rf"(?:(?<=\n)\r?\n)?^{header}[ \t]*\r?\n(?:(?!\[)[^\n]*(?:\n|\Z))*", "", text, flags=re.MULTILINE
    )


def edit_to_json(edit: ConfigEdit) -> dict[str, JsonData]:
    """Return an edit for the record of a connection."""
    match edit:
        case JsonEdit():
            return {"path": [*edit.path], "key": edit.key, "value": edit.value, "keep": edit.keep_existing}
        case TomlEdit():
            values: dict[str, JsonData] = {k: [*v] if isinstance(v, tuple) else v for k, v in edit.values}
            return {"table": [*edit.table], "values": values}
        case NewFile():
            return {"text": edit.text}


def edit_from_json(data: dict[str, JsonData]) -> ConfigEdit:
    match data:
        case {"path": list(path), "key": str() | None as key, "value": value, "keep": bool(keep)}:
            return JsonEdit(path=tuple(map(str, path)), key=key, value=value, keep_existing=keep)
        case {"table": list(table), "values": dict(values)}:
            return TomlEdit(
                table=tuple(map(str, table)),
                values=tuple(
                    (name, tuple(map(str, value)) if isinstance(value, list) else str(value))
                    for name, value in values.items()
                ),
            )
        case {"text": str(text)}:
            return NewFile(text=text)
        case _:
            raise InvalidInput("The record of a connection is damaged. Remove the entry by hand.")
