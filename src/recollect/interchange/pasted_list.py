"""
Statements in plain text or Markdown: list items, or the sentences of paragraphs, each with its heading and date.

This is how assistants answer "list everything you know about me": `[2026-03-01] - likes tea`, `- likes tea` or
`1. likes tea`. Headings, code fences and lines without a word are no statements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import parse_date

MAX_STATEMENT_CHARS = 2000
_DATE = r"\[?(?P<{}>\d{{4}}-\d{{2}}-\d{{2}}(?:[T ][\d:.]{{5,15}}(?:Z|[+-]\d{{2}}:?\d{{2}})?)?|unknown)\]?"
_ITEM = re.compile(
    rf"\s{{0,12}}(?:{_DATE.format('date')}\s{{0,4}}[-–—:]\s"
    rf"|(?:[-*+•]|\d{{1,4}}[.)])\s{{1,4}}(?:{_DATE.format('item_date')}\s{{0,4}}[-–—:]?\s)?)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s(?P<text>.*)|\s{0,3}\*\*(?P<bold>[^*]{1,200})\*\*:?\s{0,3}$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\da-z])")
_CHECKBOX = re.compile(r"\[[ xX]\]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStatement:
    text: str
    heading: str = ""
    date: datetime | None = None
    line: int = 1
    is_list_item: bool = False


def is_list(text: str) -> bool:
    """Whether most lines with text are list items or headings."""
    lines = [line for line in text.splitlines() if line.strip()]
    items = [line for line in lines if _ITEM.match(line)]
    headings = sum(1 for line in lines if _HEADING.match(line))
    return bool(items) and 2 * (len(items) + headings) >= len(lines)


def read(text: str, name: str) -> Iterator[ImportItem]:  # noqa: ARG001 - every format has this form
    """Read list items only; sentences between them are the words of the assistant."""
    for statement in read_statements(text):
        position = f"line {statement.line}"
        if len(statement.text) > MAX_STATEMENT_CHARS:
            yield Omission(
                reason=OmissionReason.UNEXPECTED_SHAPE, position=position, detail="longer than a memory"
            )
        elif statement.is_list_item:
            tags = (statement.heading,) if statement.heading else ()
            yield ImportedMemory(text=statement.text, created_at=statement.date, tags=tags)
        else:
            yield Omission(reason=OmissionReason.NOT_A_STATEMENT, position=position)


def read_statements(text: str) -> Iterator[ListStatement]:
    heading, in_fence = "", False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_fence = not in_fence
        elif in_fence or not any(char.isalnum() for char in line):
            continue
        elif title := _HEADING.match(line):
            heading = " ".join((title["text"] or title["bold"] or "").split()).rstrip(":#")[:60].strip()
        elif item := _ITEM.match(line):
            content = _CHECKBOX.sub("", line[item.end() :].strip(), count=1)
            date = parse_date(item["date"] or item["item_date"])
            if content:
                yield ListStatement(text=content, heading=heading, date=date, line=number, is_list_item=True)
        else:
            for sentence in _SENTENCE_END.split(line.strip()):
                yield ListStatement(text=sentence, heading=heading, line=number)
