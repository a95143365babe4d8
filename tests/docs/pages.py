"""The documentation as the tests read it: pages, code blocks, links and command lines."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.reference_pages import Command, commands
from typer.core import TyperGroup, TyperOption
from typer.main import get_group

from recollect.cli.app import app

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SHELLS = {"console", "bash", "sh", "shell"}
#: What ends a command on a line of shell.
OPERATORS = {"|", "||", "&&", ";", ">", ">>", "<", "&"}
CALLS = {"recollect", "scripts/run"}

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    page: Path
    place: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)} block {self.place}"


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def blocks(*languages: str) -> list[Block]:
    return [
        Block(page=page, place=place, language=language, code=code)
        for page in PAGES
        for place, (language, code) in enumerate(_BLOCK.findall(text_of(page)), start=1)
        if language in languages
    ]


def links(page: Path) -> list[str]:
    return _LINK.findall(_BLOCK.sub("", text_of(page)))


def anchors(page: Path) -> set[str]:
    """The names that headings can be linked by."""
    titles = _HEADING.findall(_BLOCK.sub("", text_of(page)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Every call of recollect in a shell block: where it stands, and its words."""
    for block in blocks(*SHELLS):
        for line in block.code.replace("\\\n", " ").splitlines():
            words = _words(line.removeprefix("$ "))
            for place, word in enumerate(words):
                if word in CALLS and (place == 0 or words[place - 1] in OPERATORS):
                    yield f"{block}: {line}", _call(words[place + 1 :])


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        return list(lexer)
    except ValueError:
        # Output of a command that is shown below it may hold a quote of its own.
        return []


def _call(words: list[str]) -> list[str]:
    ends = [place for place, word in enumerate(words) if word in OPERATORS]
    return words[: ends[0]] if ends else words


@cache
def known_commands() -> dict[str, Command]:
    return dict(commands())


def unknown_word(words: list[str]) -> str | None:
    """The first word of a call that is no command or option of it."""
    known = known_commands()
    here: Command = get_group(app)
    path, rest, inside = "recollect", list(words), True
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and word != "-":
            option = _option(here, word.partition("=")[0])
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


def _option(command: Command, name: str) -> TyperOption | None:
    options = [each for each in command.params if isinstance(each, TyperOption)]
    found = [each for each in options if name in {*each.opts, *each.secondary_opts}]
    if not found and name in {"--help", "-h"}:
        return next(each for each in options if each.is_flag)
    return found[0] if found else None
