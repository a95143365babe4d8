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
#: Tokens that end a command on a shell line.
SHELL_OPERATORS = {"|", "||", "&&", ";", ">", ">>", "<", "&"}
PROGRAM_NAMES = {"recollect", "scripts/run"}

_CODE_BLOCK_PATTERN = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK_PATTERN = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_ROW_PATTERN = re.compile(r"\s*\|")
_SEPARATOR_PATTERN = re.compile(r"[\s|:-]+")
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
        CodeBlock(page=page, number=number, language=language, code=code)
        for page in PAGES
        for number, (language, code) in enumerate(_CODE_BLOCK_PATTERN.findall(read_page(page)), start=1)
        if language in languages
    ]


def links(page: Path) -> list[str]:
    return _LINK_PATTERN.findall(_CODE_BLOCK_PATTERN.sub("", read_page(page)))


def anchors(page: Path) -> set[str]:
    """Return the link anchors of the headings."""
    titles = _HEADING_PATTERN.findall(_CODE_BLOCK_PATTERN.sub("", read_page(page)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def orphan_table_rows(text: str) -> list[str]:
    """Return the table rows that are not in a table with a header, as after a blank line."""
    paragraphs = re.split(r"\n[ \t]*\n", _CODE_BLOCK_PATTERN.sub("", text))
    tables = [[line for line in part.splitlines() if _ROW_PATTERN.match(line)] for part in paragraphs]
    return [row for rows in tables if rows and not _is_table(rows) for row in rows]


def _is_table(rows: list[str]) -> bool:
    return len(rows) > 1 and _SEPARATOR_PATTERN.fullmatch(rows[1]) is not None


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Yield every call of recollect in a shell block: its location and its arguments."""
    for block in code_blocks(*SHELL_LANGUAGES):
        for line in block.code.replace("\\\n", " ").splitlines():
            words = _split_line(line.removeprefix("$ "))
            for index, word in enumerate(words):
                if word in PROGRAM_NAMES and (index == 0 or words[index - 1] in SHELL_OPERATORS):
                    yield f"{block}: {line}", _cut_at_operator(words[index + 1 :])


def _split_line(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        return list(lexer)
    except ValueError:
        # A line of command output may contain an unbalanced quote.
        return []


def _cut_at_operator(words: list[str]) -> list[str]:
    ends = [index for index, word in enumerate(words) if word in SHELL_OPERATORS]
    return words[: ends[0]] if ends else words


@cache
def load_commands() -> dict[str, Command]:
    return dict(list_commands())


def find_unknown_word(words: list[str]) -> str | None:
    """Return the first word of a call that is neither a command nor an option, if any."""
    commands = load_commands()
    command: Command = get_group(app)
    path, rest, expects_command = "recollect", list(words), True
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and word != "-":
            option = _find_option(command, word.partition("=")[0])
            if option is None:
                return word
            if not option.is_flag and "=" not in word and rest:
                rest.pop(0)
        elif expects_command and isinstance(command, TyperGroup):
            path = f"{path} {word}"
            if path not in commands:
                return word
            command = commands[path]
        else:
            expects_command = False
    return None


def _find_option(command: Command, name: str) -> TyperOption | None:
    options = [option for option in command.params if isinstance(option, TyperOption)]
    if name in {"--help", "-h"}:
        return next(option for option in options if option.is_flag)
    return next((option for option in options if name in {*option.opts, *option.secondary_opts}), None)
