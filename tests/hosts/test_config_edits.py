import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput, Refused
from recollect.hosts.config_edits import (
    ConfigEdit,
    JsonEdit,
    NewFile,
    TomlEdit,
    apply_edits,
    edit_from_json,
    edit_to_json,
    has_edit,
    undo_edits,
)
from recollect.hosts.jsonc import parse_jsonc

HOOK: dict[str, Any] = {"hooks": [{"type": "command", "command": "recollect-hook codex"}]}
SERVER: dict[str, Any] = {"command": "recollect", "args": ["mcp"]}
EDITS: tuple[ConfigEdit, ...] = (
    JsonEdit(path=(), key="version", value=1, keep_existing=True),
    JsonEdit(path=("hooks", "Stop"), value=HOOK),
    JsonEdit(path=("hooks", "UserPromptSubmit"), value=HOOK),
    JsonEdit(path=("mcpServers",), key="recollect", value=SERVER),
)
TABLE = TomlEdit(table=("mcp_servers", "recollect"), values=(("command", "recollect"), ("args", ("mcp",))))

names = st.sampled_from(["hooks", "Stop", "UserPromptSubmit", "mcpServers", "other", "é", 'quo"te'])
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
)
spaces = st.sampled_from(["", " ", "\n", "\r\n", "\t", " // note\n", "/* { */", "\n  "])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A settings file in which the places of our entries have the expected form, with comments and odd spaces."""
    hooks = st.dictionaries(names, st.lists(values, max_size=3), max_size=3)
    document = {
        **draw(st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2)),
        **draw(
            st.fixed_dictionaries(
                {}, optional={"hooks": hooks, "mcpServers": st.dictionaries(names, values, max_size=2)}
            )
        ),
    }

    def write(value: object) -> str:
        before, after = draw(spaces), draw(spaces)
        if isinstance(value, dict):
            parts = [
                f"{draw(spaces)}{json.dumps(k, ensure_ascii=False)}{draw(spaces)}:{write(v)}"
                for k, v in value.items()
            ]
            return f"{before}{{{_join(draw, parts)}{draw(spaces)}}}{after}"
        if isinstance(value, list):
            return f"{before}[{_join(draw, [write(item) for item in value])}{draw(spaces)}]{after}"
        return f"{before}{json.dumps(value)}{after}"

    return write(document)


def _join(draw: st.DrawFn, parts: list[str]) -> str:
    return ",".join(parts) + (draw(st.sampled_from(["", ","])) if parts else "")


@given(documents())
def test_edit_then_undo_gives_the_same_bytes(text: str) -> None:
    before = parse_jsonc(text).data

    edited, applied = apply_edits(text, EDITS)

    after: Any = parse_jsonc(edited).data
    assert all(has_edit(edited, edit) for edit in EDITS)
    assert after["mcpServers"]["recollect"] == SERVER
    assert isinstance(before, dict)
    assert {
        key: value for key, value in after.items() if key in before and key not in {"hooks", "mcpServers"}
    } == {key: value for key, value in before.items() if key not in {"hooks", "mcpServers"}}
    assert undo_edits(edited, applied) == text


@given(documents())
def test_an_entry_is_removed_from_a_file_that_was_rewritten_meanwhile(text: str) -> None:
    before = parse_jsonc(text).data
    assert isinstance(before, dict)
    _, applied = apply_edits(text, EDITS)
    rewritten = json.dumps(parse_jsonc(apply_edits(text, EDITS)[0]).data, indent=4)

    after: Any = parse_jsonc(undo_edits(rewritten, applied)).data

    assert not any(has_edit(json.dumps(after), edit) for edit in EDITS[1:])
    for key, value in before.items():
        if key not in {"hooks", "mcpServers"}:
            assert after[key] == value


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_file_gets_a_whole_document(text: str) -> None:
    edited, applied = apply_edits(text, EDITS[1:])

    assert parse_jsonc(edited).data == {
        "hooks": {"Stop": [HOOK], "UserPromptSubmit": [HOOK]},
        "mcpServers": {"recollect": SERVER},
    }
    assert undo_edits(edited, applied) == text


def test_comments_keep_their_places() -> None:
    text = '{\n    // ours\n    "hooks": {\n        "Stop": [] // none yet\n    } // end\n}\n'

    edited, _ = apply_edits(text, [JsonEdit(path=(), key="added", value={"a": [1]})])

    assert edited == (
        '{\n    // ours\n    "hooks": {\n        "Stop": [] // none yet\n    }, // end\n'
        '    "added": {\n        "a": [\n            1\n        ]\n    }\n}\n'
    )


def test_line_ends_of_windows_are_kept() -> None:
    edited, _ = apply_edits('{\r\n  "a": 1\r\n}\r\n', EDITS)

    assert edited.count("\n") == edited.count("\r\n")


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ('{"hooks": []}', EDITS[1]),
        ('{"hooks": {"Stop": {}}}', EDITS[1]),
        ('["a"]', EDITS[3]),
        ('{"mcpServers": {"recollect": {"command": "another"}}}', EDITS[3]),
        ("[mcp_servers.recollect]\ncommand = 'another'\n", TABLE),
        ("another plugin", NewFile(text="ours")),
    ],
)
def test_files_with_another_entry_or_form_are_left_alone(text: str, edit: ConfigEdit) -> None:
    with pytest.raises(Refused):
        apply_edits(text, [edit])


@pytest.mark.parametrize(
    "text", ["{", '{"a" 1}', '{"a": }', "{} {}", '{"a": "\n"}', "[" * 1000, "{a: 1}", "{'a': 1}"]
)
def test_a_damaged_file_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"Line [12] is not valid JSON"):
        apply_edits(text, EDITS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model = 'gpt-5.4'",
        "# note\n[profiles.a]\nmodel = 'b'\n",
        "a = 1\r\n",
        "[mcp_servers.docs]\nurl = 'x'\n",
    ],
)
def test_a_toml_table_is_added_and_removed(text: str) -> None:
    edited, applied = apply_edits(text, [TABLE])
    extended = "# a new first line\n" + edited + "[other]\na = 1\n"

    assert tomllib.loads(edited)["mcp_servers"]["recollect"] == SERVER
    assert has_edit(edited, TABLE)
    assert undo_edits(edited, applied) == text
    assert "recollect" not in undo_edits(extended, applied)
    assert tomllib.loads(undo_edits(extended, applied))["other"] == {"a": 1}


@pytest.mark.parametrize("edit", [*EDITS, TABLE, NewFile(text="a")])
def test_an_edit_survives_its_record(edit: ConfigEdit) -> None:
    assert edit_from_json(json.loads(json.dumps(edit_to_json(edit)))) == edit
