"""The parts a memory block is made of: headings with entries below them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.context.labels import Words
from recollect.context.plain_text import folded, hanging, visible
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.message import ChunkKind

SPOKEN = (Source.MESSAGE, Source.CHUNK)
FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    heading: str
    entries: tuple[str, ...]
    gap: str = "\n"

    @property
    def text(self) -> str:
        body = self.gap.join(self.entries)
        return f"{self.heading}\n{body}" if self.heading else body


def bullets(heading: str, mark: str, lines: Iterable[str]) -> Section:
    return Section(heading=heading, entries=tuple(f"{mark}{line}" for line in lines if line))


def told(candidate: Candidate) -> str:
    """What a bullet says: one line, but code keeps its lines, since they carry meaning."""
    code = candidate.chunk_kind is ChunkKind.CODE or (
        candidate.source in SPOKEN and any(fence in candidate.text for fence in FENCES)
    )
    return hanging(candidate.text) if code else folded(candidate.text)


def spoken(candidate: Candidate, words: Words, *, dated: bool) -> str:
    """Somebody's words with who said them and, if wanted, when; anything else as it is."""
    text = told(candidate)
    if candidate.role is None or candidate.source not in SPOKEN or not text:
        return text
    when = f" ({candidate.created_at.date().isoformat()})" if dated else ""
    return f"{words.roles[candidate.role]}{when}: {text}"


def around(recalled: Sequence[Section], shown: Tiers, words: Words, mark: str = "- ") -> tuple[Section, ...]:
    """What was recalled, in its place among files, profile and conversation; empty sections are left out."""
    files = (
        Section(heading=words.context + folded(file.name), entries=_if_any(visible(file.content)))
        for file in shown.contexts
    )
    said = ((words.roles[m.role], hanging(m.content)) for m in shown.buffer)
    sections = (
        *files,
        bullets(words.profile, mark, map(folded, visible(shown.profile or "").split("\n"))),
        bullets(words.local, mark, (folded(message.summary or "") for message in shown.local)),
        *recalled,
        Section(heading=words.working, entries=_if_any(folded(shown.working or ""))),
        bullets(words.recent, mark, (f"{role}: {text}" for role, text in said if text)),
    )
    return tuple(section for section in sections if section.entries)


def _if_any(text: str) -> tuple[str, ...]:
    return (text,) if text else ()
