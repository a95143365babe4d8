"""
basic-memory's notes: `- [category] text #tag (context)` under "Observations" is a memory; relations are left out.

Written back, a note is one kind of memory; the context holds the date.
"""

import re
from collections.abc import Iterable, Iterator

from recollect.domain.memory import Kind, Memory, MemoryStatus
from recollect.interchange.front_matter import MarkdownDocument, format_document, parse_document
from recollect.interchange.items import ImportedMemory, ImportItem, Omission, OmissionReason
from recollect.interchange.json_fields import parse_date, parse_kind, unexpected_shape

_OBSERVATION = re.compile(r"\s{0,8}-\s+\[(?P<category>[^\]\[]{1,60})\]\s+(?P<text>\S.*)")
_TAG = re.compile(r"(?:^|\s)#([\w/-]+)")
_TRAILING_TAGS = re.compile(r"(?:\s+#[\w/-]{1,60}){1,20}\s*\Z")
_TAG_SEPARATOR = re.compile(r"[^\w/-]+")
_CHECKBOX_CATEGORIES = frozenset({"", "x", "-", "/", "?", "!"})


def matches(document: MarkdownDocument) -> bool:
    return "permalink" in document.fields or "\n## Observations" in f"\n{document.body}"


def read(text: str, name: str) -> Iterator[ImportItem]:
    document = parse_document(text)
    title, count = document.text("title") or name, 0
    for number, line in enumerate(document.body.splitlines(), start=1):
        match = _OBSERVATION.match(line)
        if not match or match["category"].strip().casefold() in _CHECKBOX_CATEGORIES:
            continue
        content, context = _split_context(match["text"].strip())
        tag_block = _TRAILING_TAGS.search(content)
        tags = tuple(_TAG.findall(content))
        content = content[: tag_block.start()].strip() if tag_block else content
        if not content:
            yield Omission(reason=OmissionReason.EMPTY_TEXT, position=f"{name}, line {number} of the body")
            continue
        category = match["category"].strip()
        kind = parse_kind(category)
        count += 1
        yield ImportedMemory(
            text=content,
            kind=kind,
            created_at=parse_date(context),
            tags=tuple(dict.fromkeys((*((category,) if kind is None else ()), *tags)))
            or (() if title.startswith(EXPORT_TITLE) else (title[:60],)),
        )
    if not count:
        yield unexpected_shape(name, "no observations")


#: Titles of notes that `write` makes; they are no tags.
EXPORT_TITLE = "Recollect "


def write(memories: Iterable[Memory]) -> Iterator[tuple[str, str]]:
    """Yield a note for each kind of memory, with its observations in the order of their texts."""
    by_kind: dict[Kind, list[Memory]] = {}
    for memory in memories:
        if memory.status is MemoryStatus.ACTIVE:
            by_kind.setdefault(memory.kind, []).append(memory)
    for kind in sorted(by_kind):
        lines = sorted(_format(memory) for memory in by_kind[kind])
        fields = {
            "title": f"{EXPORT_TITLE}{kind.value}",
            "type": "note",
            "permalink": f"recollect/{kind.value}",
        }
        body = "\n".join([f"# {EXPORT_TITLE}{kind.value}", "", "## Observations", *lines])
        yield f"{kind.value}.md", format_document(fields, body)


def _format(memory: Memory) -> str:
    tags = "".join(f" #{_TAG_SEPARATOR.sub('-', tag)}" for tag in memory.tags)
    return f"- [{memory.kind.value}] {' '.join(memory.text.split())}{tags} ({memory.created_at.isoformat()})"


def _split_context(text: str) -> tuple[str, str]:
    """Split off a context in parentheses at the end."""
    if not text.endswith(")") or " (" not in text:
        return text, ""
    content, _, context = text.rpartition(" (")
    return content.strip(), context[:-1]
