"""The reference documents every setting, error, command and method."""

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


def test_the_generated_pages_match_the_code() -> None:
    script = ROOT / "scripts" / "reference_pages.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)

    assert (result.stdout, result.returncode) == ("", 0), result.stderr


@pytest.mark.parametrize("row", list_specs(), ids=lambda row: row.name)
def test_every_setting_is_documented_with_its_environment_variables(row: SettingSpec) -> None:
    [line] = [
        line
        for line in read_page(REFERENCE_FOLDER / "settings.md").splitlines()
        if line.startswith(f"| `{row.name}` | {row.doc[:9]}")
    ]

    assert row.doc.replace("|", r"\|") in line
    assert all(f"`{name}`" in line for name in row.environment)


def test_every_error_is_documented_and_in_the_tree() -> None:
    page = read_page(REFERENCE_FOLDER / "errors.md")
    tree = page.partition("```text\n")[2].partition("```")[0]
    classes = {
        error_class
        for _, error_class in inspect.getmembers(errors, inspect.isclass)
        if issubclass(error_class, RecollectError) and error_class.__module__ == errors.__name__
    }

    assert set(error_classes()) == classes
    for error_class in classes:
        assert re.search(rf"\b{error_class.__name__}\b", tree)
        assert f"| `{error_class.__name__}` | {inspect.getdoc(error_class)} |" in page


@pytest.mark.parametrize("path", load_commands())
def test_every_command_is_documented_with_its_help_options_and_examples(path: str) -> None:
    command = load_commands()[path]
    _, _, rest = read_page(REFERENCE_FOLDER / "cli.md").partition(f"### {path}\n")
    section = rest.partition("\n### ")[0].partition("\n## ")[0]
    options = [option for option in command.params if isinstance(option, TyperOption)]
    global_options = {"--db", "--user", "--config", "--json"}
    names = [name for option in options for name in option.opts if name not in global_options]

    assert command.help
    assert inspect.cleandoc(command.help).splitlines()[0] in section
    assert all(name in section for name in names)
    assert f"\n{path}" in section.partition("```console")[2]


@pytest.mark.parametrize("method", MEMORY_METHODS)
def test_every_method_of_memory_is_documented(method: str) -> None:
    assert f"| `{method}(" in read_page(REFERENCE_FOLDER / "library.md")


def test_every_argument_of_the_constructor_is_documented() -> None:
    names = ", ".join(name for name in inspect.signature(Memory).parameters if name != "db")

    assert f"`Memory(db, *, {names})`" in read_page(REFERENCE_FOLDER / "library.md")


def test_every_key_of_a_result_is_documented(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings={"embedder": "hashing", "worker": False}) as memory:
        note = memory.add("soup with salt")
        ingested = memory.add({"role": "user", "content": "soup with salt"})
        search_result = memory.search("soup")
        objects = [*_rows(note), *_rows(ingested, "messages"), *_rows(search_result), memory.stats()]
    page = read_page(REFERENCE_FOLDER / "library.md")

    assert [key for json_object in objects for key in json_object if f"`{key}`" not in page] == []


def _rows(result: JsonObject, key: str = "results") -> list[JsonObject]:
    rows = result[key]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_public_name_is_mentioned(name: str) -> None:
    assert any(f"`{name}" in read_page(page) for page in PAGES)


def test_the_methods_of_memory_have_docstrings() -> None:
    undocumented = {"get", "stats", "close"}

    assert [name for name in MEMORY_METHODS if not getattr(Memory, name).__doc__] == sorted(undocumented)
    assert AsyncMemory.__doc__
