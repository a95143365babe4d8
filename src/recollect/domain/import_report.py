"""What an import would do, what it did, and how far it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.domain.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class OmittedPart:
    """A part of a file that was left out."""

    file: str
    position: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCounts:
    files: Mapping[str, int] = field(default_factory=dict)  #: files by format
    conversations: int = 0  #: with new messages
    branches: int = 0  #: branches that were left; imported only if asked
    messages: int = 0  #: new messages
    memories: int = 0  #: new memories
    context_files: int = 0
    duplicates: int = 0  #: items that were imported before or are stored already
    secrets: Mapping[str, int] = field(default_factory=dict)  #: redacted secrets by kind
    omissions: Mapping[str, int] = field(default_factory=dict)  #: by reason
    damaged_parts: Sequence[OmittedPart] = ()  #: the first damaged parts, with their position
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """The result of a dry run."""

    counts: ImportCounts
    tokens: int  #: of the new messages; what a language model would read to extract facts
    passages: int  #: texts to embed
    embedding_seconds: float | None  #: measured on a few of the texts; None without an embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    import_id: str | None  #: for the undo; None if nothing was added, or for a pack
    counts: ImportCounts
    queued_passages: int  #: texts that wait for their embedding; they are found by their words meanwhile
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    file: str
    items: int  #: messages and memories that were read so far
    expected_items: int | None  #: from the dry run; None without one
    elapsed_seconds: float

    @property
    def remaining_seconds(self) -> float | None:
        if not self.expected_items or not self.items:
            return None
        return max(0.0, self.elapsed_seconds * (self.expected_items / self.items - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndoReport:
    messages: int
    memories: int
    context_files: int
    kept: Sequence[Reason] = ()  #: why parts of the import were kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    path: str
    format: str
    files: int
    bytes: int
