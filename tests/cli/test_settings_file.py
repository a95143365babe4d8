"""Setting keys in a settings file changes only their lines."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.settings_file import set_values, write_values
from recollect.errors import ConfigError

NEW_VALUES = {"embedder": "/models/e5", "embedder_model": "a/b"}
NEW_LINES = 'embedder_model = "a/b"\nembedder = "/models/e5"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", NEW_LINES),
        ("# mine\n\n[recall]\nlimit = 5 # few\n", f"# mine\n\n{NEW_LINES}[recall]\nlimit = 5 # few\n"),
        (
            'embedder = "onnx"  # bundled\nuser = "ana"\nembedder_model="x"',
            'embedder = "/models/e5"  # bundled\nuser = "ana"\nembedder_model = "a/b"',
        ),
        (
            "user = 'ana'\r\nembedder = 'onnx'\r\n",
            'embedder_model = "a/b"\r\nuser = \'ana\'\r\nembedder = "/models/e5"\r\n',
        ),
    ],
    ids=["nothing", "comments and a table", "in place", "windows"],
)
def test_only_the_lines_of_the_keys_change(before: str, after: str) -> None:
    assert set_values(before, NEW_VALUES) == after


@pytest.mark.parametrize(
    "text",
    ['"embedder" = "onnx"', "embedder = '''\nonnx'''", "[[", 'user = """\nembedder = "x"\n"""'],
    ids=["quoted key", "long string", "no TOML", "inside another value"],
)
def test_a_file_that_cannot_be_changed_safely_is_unchanged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "recollect.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(ConfigError, match=r"(?s)was not changed.*embedder = \"/models/e5\""):
        write_values(path, NEW_VALUES)
    assert path.read_text("utf-8") == text


@given(
    st.dictionaries(st.from_regex(r"[a-d]{1,3}", fullmatch=True), st.text(max_size=20), max_size=4), st.text()
)
def test_other_values_in_the_file_are_preserved(others: dict[str, str], value: str) -> None:
    text = "".join(f"{key} = {_toml(each)}\n" for key, each in others.items())
    try:
        new_text = set_values(text, {"embedder": value})
    except ValueError:
        # Some characters are not allowed in TOML; then nothing is changed.
        return

    assert tomllib.loads(new_text) == {**others, "embedder": value}


def _toml(value: str) -> str:
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value) + '"'


def test_a_symlink_and_its_file_mode_are_preserved(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "recollect.toml"
    real.write_text("user = 'ana'\n", "utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write_values(link, {"embedder": "onnx"})

    assert link.is_symlink()
    assert (real.read_text("utf-8"), real.stat().st_mode & 0o777) == (
        "embedder = \"onnx\"\nuser = 'ana'\n",
        0o640,
    )


def test_missing_file_and_folder_are_created(tmp_path: Path) -> None:
    path = tmp_path / "config" / "recollect.toml"
    write_values(path, {"embedder": "onnx"})

    assert path.read_text("utf-8") == 'embedder = "onnx"\n'
    assert list(path.parent.iterdir()) == [path]
