"""The page about the five designs names presets, settings, functions, endpoints and files that exist."""

import importlib
import re

import pytest
from tests.docs.pages import ROOT, read_page

from recollect import Memory
from recollect.domain.policy import PRESETS
from recollect.settings import list_specs

DESIGNS_PAGE = ROOT / "docs" / "designs.md"
PROMPTS_PAGE = ROOT / "docs" / "how-to" / "prompts.md"
HTTP_PAGE = ROOT / "docs" / "reference" / "http.md"
PROMPT_PACKAGES = ("extraction", "maintenance", "context")


def read_table(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its head."""
    _, _, section = read_page(DESIGNS_PAGE).partition(f"# {heading}\n")
    lines = re.split(r"\n##+ ", section)[0].splitlines()
    rows = [line for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows[2:]]


def quoted_names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def import_name(name: str) -> object:
    """Return what a dotted name stands for; raise if there is no such module or attribute."""
    module, *attributes = name.split(".")
    value: object = importlib.import_module(module)
    for attribute in attributes:
        if not hasattr(value, attribute):
            importlib.import_module(f"{value.__name__}.{attribute}")  # type: ignore[attr-defined]
        value = getattr(value, attribute)
    return value


def is_endpoint(name: str) -> bool:
    return f"### {name}" in read_page(HTTP_PAGE).splitlines()


def exists(name: str) -> bool:
    """Whether a name is a method of Memory, something to import, an endpoint, a file or a setting."""
    if name.startswith("Memory."):
        return hasattr(Memory, name.removeprefix("Memory."))
    if name.startswith("recollect."):
        return import_name(name) is not None
    if re.match(r"[A-Z]+ /", name):
        return is_endpoint(name)
    return (ROOT / name).is_file() or name in {row.name for row in list_specs()}


@pytest.mark.spec("Z4", "Z6", "Z5")
def test_every_file_of_the_designs_has_a_counterpart() -> None:
    counterparts = {cell: quoted_names(here) for cell, here in read_table("Files")}

    assert [name for names in counterparts.values() for name in names if not exists(name)] == []
    for wanted in ("memory core", "RAG", "retrieval", "storage", "chat route", "consent route"):
        assert any(cell.startswith(wanted) for cell in counterparts)
    for wanted in ("prompts/memory_extraction.md", "prompts/system.md", "scripts/reembed_memories.py"):
        assert any(wanted in quoted_names(cell) for cell in counterparts)


def test_every_function_of_the_designs_has_a_counterpart() -> None:
    names = [name for _, here in read_table("Functions") for name in quoted_names(here)]

    assert names
    assert [name for name in names if not exists(name)] == []


def test_every_endpoint_of_the_designs_is_served() -> None:
    endpoints = [name for cell, _ in read_table("Endpoints") for name in quoted_names(cell)]

    assert endpoints
    assert [name for name in endpoints if not is_endpoint(name)] == []


def test_the_page_lists_every_alias_of_a_setting() -> None:
    listed = {
        (alias, setting)
        for aliases, settings, _ in read_table("Settings")
        for alias in quoted_names(aliases)
        for setting in quoted_names(settings)
        if alias != "models.yaml"
    }
    understood = {
        (alias, row.name)
        for row in list_specs()
        for alias in row.environment
        if not alias.startswith("RECOLLECT_")
    }

    assert listed == understood


def test_the_page_explains_every_preset() -> None:
    recommended = {name for _, cell, _ in read_table("Which preset to use") for name in quoted_names(cell)}
    explained = set(re.findall(r"^### (\w+)(?:: .+)?$", read_page(DESIGNS_PAGE), re.MULTILINE))

    assert recommended == set(PRESETS)
    assert set(PRESETS) <= explained


@pytest.mark.parametrize("name", ["Memory.nothing", "GET /api/nothing", "docs/nothing.md", "no.such_setting"])
def test_a_name_that_does_not_exist_is_noticed(name: str) -> None:
    assert not exists(name)


@pytest.mark.spec("Z3", "Z4", "D9")
def test_every_prompt_is_listed_with_its_placeholders() -> None:
    page = read_page(PROMPTS_PAGE)
    folders = (ROOT / "src" / "recollect" / name / "prompts" for name in PROMPT_PACKAGES)
    shipped = [path for folder in folders for path in folder.glob("*.md") if not path.name.endswith(".pt.md")]
    assert shipped
    for path in shipped:
        [line] = [line for line in page.splitlines() if line.startswith(f"| `{path.name}` |")]
        placeholders = re.findall(
            r"\{\{\w+\}\}|\{(?:user_message|previous_summary|recent_messages|N|max_tokens|max_words)\}",
            read_page(path),
        )

        assert [each for each in placeholders if each not in line] == [], path.name
