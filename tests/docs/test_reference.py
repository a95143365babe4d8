"""Everything that can be set, raised, typed or called has a place in the documentation."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.reference_pages import error_classes
from tests.docs.pages import PAGES, ROOT, load_commands, read_page
from typer.core import TyperOption

import recollect
from recollect import AsyncMemory, Memory, errors
from recollect.errors import RecollectError
from recollect.serialization.serializers import JsonObject
from recollect.settings import SettingSpec, list_specs

REFERENCE_FOLDER = ROOT / "docs" / "reference"
MEMORY_METHODS = [
    name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")
]


def test_the_generated_pages_say_what_the_code_says() -> None:
    script = ROOT / "scripts" / "reference_pages.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("", 0), done.stderr


@pytest.mark.parametrize("row", list_specs(), ids=lambda row: row.name)
def test_every_setting_is_documented_with_its_environment_variables(row: SettingSpec) -> None:
    [line] = [
        line
        for line in read_page(REFERENCE_FOLDER / "settings.md").splitlines()
        if line.startswith(f"| `{row.name}` | {row.doc[:9]}")
    ]

    assert row.doc.replace("|", r"\|") in line
    assert all(f"`{name}`" in line for name in row.environment)


def test_every_error_is_documented_and_drawn_in_the_tree() -> None:
    page = read_page(REFERENCE_FOLDER / "errors.md")
    tree = page.partition("```text\n")[2].partition("```")[0]
    defined = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, RecollectError) and kind.__module__ == errors.__name__
    }

    assert set(error_classes()) == defined
    for kind in defined:
        assert re.search(rf"\b{kind.__name__}\b", tree)
        assert f"| `{kind.__name__}` | {inspect.getdoc(kind)} |" in page


@pytest.mark.parametrize("path", load_commands())
def test_every_command_is_documented_with_its_help_options_and_examples(path: str) -> None:
    command = load_commands()[path]
    _, _, after = read_page(REFERENCE_FOLDER / "cli.md").partition(f"### {path}\n")
    section = after.partition("\n### ")[0].partition("\n## ")[0]
    options = [each for each in command.params if isinstance(each, TyperOption)]
    shared = {"--db", "--user", "--config", "--json"}
    own = [name for each in options for name in each.opts if name not in shared]

    assert command.help
    assert inspect.cleandoc(command.help).splitlines()[0] in section
    assert all(name in section for name in own)
    assert f"\n{path}" in section.partition("```console")[2]


@pytest.mark.parametrize("verb", MEMORY_METHODS)
def test_every_verb_of_the_library_is_documented(verb: str) -> None:
    assert f"| `{verb}(" in read_page(REFERENCE_FOLDER / "library.md")


def test_every_argument_of_a_memory_is_documented() -> None:
    names = ", ".join(name for name in inspect.signature(Memory).parameters if name != "db")

    assert f"`Memory(db, *, {names})`" in read_page(REFERENCE_FOLDER / "library.md")


def test_every_key_of_a_shape_is_documented(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings={"embedder": "hashing", "worker": False}) as memory:
        added = memory.add("soup with salt")
        heard = memory.add({"role": "user", "content": "soup with salt"})
        found = memory.search("soup")
        shapes = [*_rows(added), *_rows(heard, "messages"), *_rows(found), memory.stats()]
    page = read_page(REFERENCE_FOLDER / "library.md")

    assert [key for shape in shapes for key in shape if f"`{key}`" not in page] == []


def _rows(answer: JsonObject, key: str = "results") -> list[JsonObject]:
    rows = answer[key]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_public_name_is_mentioned(name: str) -> None:
    assert any(f"`{name}" in read_page(page) for page in PAGES)


def test_the_public_verbs_say_what_they_do() -> None:
    undocumented = {"get", "stats", "close"}

    assert [verb for verb in MEMORY_METHODS if not getattr(Memory, verb).__doc__] == sorted(undocumented)
    assert AsyncMemory.__doc__
