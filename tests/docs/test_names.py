"""The page of names that people know from elsewhere leads to things that exist."""

import importlib
import re
from collections.abc import Iterator

import pytest
from tests.docs.pages import ROOT, text_of

from recollect import Memory
from recollect.domain.policy import PRESETS

PAGE = ROOT / "docs" / "reference" / "names.md"
PROMPTS = ROOT / "docs" / "how-to" / "prompts.md"
ROOMS = ("judge", "garden", "assemble")


def rows(section: str) -> Iterator[tuple[str, list[str]]]:
    """What a thing is called there, and what it is called here."""
    _, _, after = text_of(PAGE).partition(f"## {section}\n")
    for line in after.partition("\n## ")[0].splitlines():
        if line.startswith("| ") and not line.startswith("| there") and "`" in line:
            there, here = [cell.strip() for cell in line.strip("|").split(" | ")]
            yield there, re.findall(r"`([^`]+)`", here)


def found(name: str) -> object:
    """A dotted name, looked up from its module on."""
    module, *attributes = name.split(".")
    value: object = importlib.import_module(module)
    for attribute in attributes:
        if not hasattr(value, attribute):
            importlib.import_module(f"{value.__name__}.{attribute}")  # type: ignore[attr-defined]
        value = getattr(value, attribute)
    return value


@pytest.mark.spec("Z4", "Z6", "Z5")
def test_every_file_of_the_designs_has_its_counterpart() -> None:
    listed = dict(rows("Files"))

    assert [path for paths in listed.values() for path in paths if not (ROOT / path).exists()] == []
    for wanted in ("memory core", "RAG", "retrieval", "storage", "chat route", "consent route"):
        assert any(there.startswith(wanted) for there in listed)
    for wanted in ("prompts/memory_extraction.md", "prompts/system.md", "scripts/reembed_memories.py"):
        assert f"`{wanted}`" in listed


def test_every_verb_of_the_designs_has_its_counterpart() -> None:
    named = [name for _, names in rows("Verbs") for name in names]

    assert named
    for name in named:
        assert found(name if name.startswith("recollect.") else f"recollect.{name}")
    assert {name.partition(".")[2] for name in named if name.startswith("Memory.")} <= set(dir(Memory))


def test_every_preset_is_named_after_its_design() -> None:
    assert {name for _, names in rows("Presets") for name in names} == set(PRESETS) - {"default"}


@pytest.mark.spec("Z3", "Z4", "D9")
def test_every_prompt_is_listed_with_its_gaps() -> None:
    page = text_of(PROMPTS)
    folders = (ROOT / "src" / "recollect" / "steps" / room / "prompts" for room in ROOMS)
    shipped = [path for folder in folders for path in folder.glob("*.md") if not path.name.endswith(".pt.md")]
    for path in shipped:
        [line] = [line for line in page.splitlines() if line.startswith(f"| `{path.name}` |")]
        gaps = re.findall(
            r"\{\{\w+\}\}|\{(?:user_message|previous_summary|recent_messages|N|max_tokens|max_words)\}",
            text_of(path),
        )

        assert [gap for gap in gaps if gap not in line] == [], path.name
