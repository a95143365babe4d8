"""The documentation as the tests read it: pages, code blocks, links and command lines."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.reference_pages import Command, list_commands
from typer.core import TyperGroup, TyperOption
from typer.main import get_group

from recollect.cli.app import app

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SHELL_LANGUAGES = {"console", "bash", "sh", "shell"}
#: What ends a command on a line of shell.
SHELL_OPERATORS = {"|", "||", "&&", ";", ">", ">>", "<", "&"}
PROGRAM_NAMES = {"recollect", "scripts/run"}

_CODE_BLOCK_PATTERN = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK_PATTERN = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING_PATTERN = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    page: Path
    number: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)} block {self.number}"


def read_page(page: Path) -> str:
    return page.read_text("utf-8")


def code_blocks(*languages: str) -> list[CodeBlock]:
    return [
        CodeBlock(page=page, number=place, language=language, code=code)
        for page in PAGES
        for place, (language, code) in enumerate(_CODE_BLOCK_PATTERN.findall(read_page(page)), start=1)
        if language in languages
    ]


def links(page: Path) -> list[str]:
    return _LINK_PATTERN.findall(_CODE_BLOCK_PATTERN.sub("", read_page(page)))


def anchors(page: Path) -> set[str]:
    """The names that headings can be linked by."""
    titles = _HEADING_PATTERN.findall(_CODE_BLOCK_PATTERN.sub("", read_page(page)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Every call of recollect in a shell block: where it stands, and its words."""
    for block in code_blocks(*SHELL_LANGUAGES):
        for line in block.code.replace("\\\n", " ").splitlines():
            words = _split_line(line.removeprefix("$ "))
            for place, word in enumerate(words):
                if word in PROGRAM_NAMES and (place == 0 or words[place - 1] in SHELL_OPERATORS):
                    yield f"{block}: {line}", _cut_at_operator(words[place + 1 :])


def _split_line(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        return list(lexer)
    except ValueError:
        # Output of a command that is shown below it may hold a quote of its own.
        return []


def _cut_at_operator(words: list[str]) -> list[str]:
    ends = [place for place, word in enumerate(words) if word in SHELL_OPERATORS]
    return words[: ends[0]] if ends else words


@cache
def load_commands() -> dict[str, Command]:
    return dict(list_commands())


def find_unknown_word(words: list[str]) -> str | None:
    """The first word of a call that is no command or option of it."""
    known = load_commands()
    here: Command = get_group(app)
    path, rest, inside = "recollect", list(words), True
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and word != "-":
            option = _find_option(here, word.partition("=")[0])
            if option is None:
                return word
            if not option.is_flag and "=" not in word and rest:
                rest.pop(0)
        elif inside and isinstance(here, TyperGroup):
            path = f"{path} {word}"
            if path not in known:
                return word
            here = known[path]
        else:
            inside = False
    return None


def _find_option(command: Command, name: str) -> TyperOption | None:
    options = [each for each in command.params if isinstance(each, TyperOption)]
    found = [each for each in options if name in {*each.opts, *each.secondary_opts}]
    if not found and name in {"--help", "-h"}:
        return next(each for each in options if each.is_flag)
    return found[0] if found else None
