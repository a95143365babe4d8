"""The reference documents every setting, error, command and method."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property

import pytest
from scripts.reference_pages import error_classes
from tests.docs.pages import PAGES, ROOT, load_commands, read_page
from typer.core import TyperOption

import recollect
from recollect import AsyncMemory, Memory, errors
from recollect.domain.diagnostics import Diagnostic, DoctorReport, StoreStats
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.memory import MemoryVersion
from recollect.domain.message import Message
from recollect.domain.outcomes import AddResult, IngestResult, WhyNot
from recollect.domain.recall import ContextResult, SearchResults
from recollect.domain.receipt import Receipt, ReceiptItem
from recollect.errors import RecollectError
from recollect.library.chats import ChatsNamespace
from recollect.library.imports import ImportsNamespace
from recollect.library.maintenance import MaintenanceNamespace
from recollect.library.memories import MemoriesNamespace
from recollect.library.privacy import PrivacyNamespace
from recollect.library.profile import ProfileNamespace
from recollect.library.receipts import ReceiptsNamespace
from recollect.library.review import ReviewNamespace
from recollect.library.settings import SettingsNamespace
from recollect.settings import SettingSpec, list_specs

REFERENCE_FOLDER = ROOT / "docs" / "reference"
NAMESPACES = {
    "memories": MemoriesNamespace,
    "review": ReviewNamespace,
    "chats": ChatsNamespace,
    "receipts": ReceiptsNamespace,
    "profile": ProfileNamespace,
    "privacy": PrivacyNamespace,
    "imports": ImportsNamespace,
    "maintenance": MaintenanceNamespace,
    "settings": SettingsNamespace,
}
#: Results whose fields users read most.
DOCUMENTED_RESULTS = (
    AddResult,
    IngestResult,
    Message,
    StoredMemory,
    MemoryVersion,
    SearchResults,
    ContextResult,
    Receipt,
    ReceiptItem,
    WhyNot,
    StoreStats,
    DoctorReport,
    Diagnostic,
)


def public_methods(owner: type) -> dict[str, Callable[..., object]]:
    return {
        name: method
        for name, method in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_")
    }


METHODS = {
    **public_methods(Memory),
    **{
        f"{namespace}.{name}": method
        for namespace, owner in NAMESPACES.items()
        for name, method in public_methods(owner).items()
    },
}


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
    options = [option for option in command.params if isinstance(option, TyperOption) and not option.hidden]
    global_options = {"--db", "--user", "--config", "--json"}
    names = [name for option in options for name in option.opts if name not in global_options]

    assert command.help
    assert inspect.cleandoc(command.help).splitlines()[0] in section
    assert all(name in section for name in names)
    assert f"\n{path}" in section.partition("```console")[2]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_memory_is_documented(method: str) -> None:
    assert f"| `{method}(" in read_page(REFERENCE_FOLDER / "library.md")


def test_every_argument_of_the_constructor_is_documented() -> None:
    names = ", ".join(name for name in inspect.signature(Memory).parameters if name != "db")

    assert f"`Memory(db, *, {names})`" in read_page(REFERENCE_FOLDER / "library.md")


@pytest.mark.parametrize("result", DOCUMENTED_RESULTS)
def test_every_field_of_a_result_is_documented(result: type) -> None:
    page = read_page(REFERENCE_FOLDER / "library.md")

    assert [each.name for each in fields(result) if f"`{each.name}`" not in page] == []


def test_every_namespace_is_documented() -> None:
    page = read_page(REFERENCE_FOLDER / "library.md")
    properties = {name for name, value in vars(Memory).items() if isinstance(value, cached_property)}

    assert properties == NAMESPACES.keys()
    assert [name for name in NAMESPACES if f"## memory.{name}\n" not in page] == []


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_public_name_is_mentioned(name: str) -> None:
    assert any(f"`{name}" in read_page(page) for page in PAGES)


def test_the_methods_of_memory_have_docstrings() -> None:
    assert [name for name, method in METHODS.items() if not method.__doc__] == []
    assert AsyncMemory.__doc__
