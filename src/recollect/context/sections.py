"""Sections of the memory block: a heading with entries."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.context.labels import BlockLabels
from recollect.context.plain_text import indent_continuation, strip_hidden, to_single_line
from recollect.context.subjects import add_subject
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.message import ChunkKind, Role

MESSAGE_SOURCES = (Source.MESSAGE, Source.CHUNK)
CODE_FENCES = ("```", "~~~")
_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSection:
    heading: str
    entries: tuple[str, ...]
    separator: str = "\n"

    @property
    def text(self) -> str:
        body = self.separator.join(self.entries)
        return f"{self.heading}\n{body}" if self.heading else body


def bullet_section(heading: str, marker: str, lines: Iterable[str]) -> BlockSection:
    return BlockSection(heading=heading, entries=tuple(f"{marker}{line}" for line in lines if line))


def format_entry(candidate: Candidate) -> str:
    """Return the text of a bullet: one line, except that code keeps its line breaks."""
    code = candidate.chunk_kind is ChunkKind.CODE or (
        candidate.source in MESSAGE_SOURCES and any(fence in candidate.text for fence in CODE_FENCES)
    )
    return indent_continuation(candidate.text) if code else to_single_line(candidate.text)


def format_with_speaker(candidate: Candidate, labels: BlockLabels, *, with_date: bool) -> str:
    """Return a message with its speaker and optionally its date; other passages without."""
    text = format_entry(candidate)
    if candidate.role is None or candidate.source not in MESSAGE_SOURCES or not text:
        return text
    when = f" ({candidate.created_at.date().isoformat()})" if with_date else ""
    return f"{labels.roles[candidate.role]}{when}: {text}"


def format_note(candidate: Candidate, labels: BlockLabels, locale: str) -> str:
    """Return a passage as a sentence with a subject, when it was said, and which of its facts are no longer true."""
    if candidate.source is not Source.MEMORY:
        line = format_with_speaker(candidate, labels, with_date=True)
    else:
        text = to_single_line(candidate.text)
        speaker = labels.roles[candidate.role or Role.USER]
        # A fact that names its date needs no other.
        said = "" if _DATE.search(text) else candidate.last_stated_at.date().isoformat()
        if candidate.role is Role.ASSISTANT:
            line = text and f"{speaker}{said and f' ({said})'}: {text}"
        else:
            line = text and add_subject(text, locale=locale, speaker=speaker, said=said)
    ends = describe_ends(candidate, labels)
    return f"{line} ({ends})" if line and ends else line


def describe_ends(candidate: Candidate, labels: BlockLabels) -> str:
    """Return which facts of a message are no longer true, and since when: "until 2026-05-19: lives in Lisbon"."""
    return "; ".join(
        f"{labels.until} {end.date().isoformat()}: {to_single_line(fact)}"
        for fact, end in candidate.ended_facts
    )


def build_sections(
    recalled_sections: Sequence[BlockSection], tiers: Tiers, labels: BlockLabels, marker: str = "- "
) -> tuple[BlockSection, ...]:
    """Return all sections of the block in order, without the empty ones."""
    files = (
        BlockSection(
            heading=labels.context + to_single_line(file.name),
            entries=_optional_entry(strip_hidden(file.content)),
        )
        for file in tiers.context_files
    )
    recent = ((labels.roles[m.role], indent_continuation(m.content)) for m in tiers.recent_messages)
    sections = (
        *files,
        bullet_section(
            labels.profile, marker, map(to_single_line, strip_hidden(tiers.profile or "").split("\n"))
        ),
        bullet_section(
            labels.local,
            marker,
            (to_single_line(message.summary or "") for message in tiers.earlier_messages),
        ),
        *recalled_sections,
        BlockSection(
            heading=labels.working, entries=_optional_entry(to_single_line(tiers.working_summary or ""))
        ),
        bullet_section(labels.recent, marker, (f"{role}: {text}" for role, text in recent if text)),
    )
    return tuple(section for section in sections if section.entries)


def _optional_entry(text: str) -> tuple[str, ...]:
    return (text,) if text else ()
