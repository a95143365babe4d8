"""Python blocks run, commands and link targets exist, tables are well-formed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import (
    PAGES,
    ROOT,
    CodeBlock,
    anchors,
    code_blocks,
    command_lines,
    find_unknown_word,
    links,
    orphan_table_rows,
    read_page,
)

LOCAL_PATH_PATTERN = re.compile(r"(?<![\w.~:/-])/(?:work|root|tmp|home|Users|mnt|private|var/folders)\b")


@pytest.mark.parametrize("block", code_blocks("python", "py"), ids=str)
def test_python_in_the_documentation_runs(block: CodeBlock, tmp_path: Path) -> None:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("RECOLLECT_", "RAG_"))
    }
    home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(tmp_path))
    result = subprocess.run(
        [sys.executable, "-c", block.code],
        cwd=tmp_path,
        env={**environment, **home},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert result.returncode == 0, result.stderr


def test_commands_in_the_documentation_exist_with_their_options() -> None:
    unknown = {location: word for location, words in command_lines() if (word := find_unknown_word(words))}

    assert unknown == {}


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        (["search", "what?", "--limit", "3", "--json"], None),
        (["--db", "a.db", "chats", "messages", "trip", "--help"], None),
        (["maintenance", "jobs", "retry", "12", "--user=ana"], None),
        (["serch", "what?"], "serch"),
        (["search", "--limits", "3"], "--limits"),
        (["chats", "paint"], "paint"),
    ],
)
def test_unknown_commands_and_options_are_detected(words: list[str], unknown: str | None) -> None:
    assert find_unknown_word(words) == unknown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_have_targets(page: Path) -> None:
    broken = []
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_contains_a_local_path(page: Path) -> None:
    assert LOCAL_PATH_PATTERN.findall(read_page(page)) == []


def test_local_paths_are_detected() -> None:
    assert [
        bool(LOCAL_PATH_PATTERN.search(text))
        for text in ("see /tmp/x", "`/home/ana`", "~/notes/tmp", "a/work/b")
    ] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_row_belongs_to_a_table(page: Path) -> None:
    assert orphan_table_rows(read_page(page)) == []


def test_a_row_after_a_blank_line_is_detected() -> None:
    page = "| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n"

    assert orphan_table_rows(page) == ["| 3 | 4 |"]
