"""What the pages say can be done can be done: code runs, commands exist, links lead somewhere."""

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
    read_page,
)

LOCAL_PATH_PATTERN = re.compile(r"(?<![\w.~:/-])/(?:work|root|tmp|home|Users|mnt|private|var/folders)\b")


@pytest.mark.parametrize("block", code_blocks("python", "py"), ids=str)
def test_python_in_the_documentation_runs(block: CodeBlock, tmp_path: Path) -> None:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("RECOLLECT_", "RAG_"))}
    home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", block.code],
        cwd=tmp_path,
        env={**kept, **home},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr


def test_commands_in_the_documentation_exist_with_their_options() -> None:
    wrong = {where: word for where, words in command_lines() if (word := find_unknown_word(words))}

    assert wrong == {}


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        (["search", "what?", "--limit", "3", "--json"], None),
        (["--db", "a.db", "chats", "show", "trip", "--help"], None),
        (["jobs", "retry", "12", "--user=ana"], None),
        (["serch", "what?"], "serch"),
        (["search", "--limits", "3"], "--limits"),
        (["chats", "paint"], "paint"),
    ],
)
def test_the_check_of_commands_notices_what_does_not_exist(words: list[str], unknown: str | None) -> None:
    assert find_unknown_word(words) == unknown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    lost = []
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)

    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_place_on_somebodys_machine(page: Path) -> None:
    assert LOCAL_PATH_PATTERN.findall(read_page(page)) == []


def test_a_place_on_somebodys_machine_would_be_noticed() -> None:
    assert [
        bool(LOCAL_PATH_PATTERN.search(text))
        for text in ("see /tmp/x", "`/home/ana`", "~/notes/tmp", "a/work/b")
    ] == [
        True,
        True,
        False,
        False,
    ]
