"""The ledger of imports: what each import added, so that it is not added again and can be undone."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LedgerItem(StrEnum):
    """What a ledger entry points at."""

    MESSAGE = "message"
    EVENT = "event"  #: the event that added memories
    CONTEXT_FILE = "context_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    source_id: str  #: derived from the ids in the source, the same at each import
    item: LedgerItem
    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRecord:
    """One run of an import."""

    id: str
    user: str
    source: str  #: names of the files, for display
    started_at: datetime
    finished_at: datetime | None = None  #: None if it was interrupted; running it again resumes it
