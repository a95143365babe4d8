"""The SQLite store: everything in one file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.erasure import SqliteErasure
from recollect.adapters.sqlite.events import (
    SqliteEvents,
    SqliteJudgements,
    SqliteTombstones,
    SqliteVerdicts,
)
from recollect.adapters.sqlite.jobs import SqliteJobs
from recollect.adapters.sqlite.memories import SqliteMemories
from recollect.adapters.sqlite.messages import SqliteChats, SqliteMessages
from recollect.adapters.sqlite.privacy import SqliteAudit, SqliteConsents, SqliteProfiles
from recollect.adapters.sqlite.receipts import SqlitePreferences, SqliteReceipts
from recollect.adapters.sqlite.search import SqliteSearch
from recollect.adapters.sqlite.shelf import Shelves
from recollect.adapters.sqlite.summaries import SqliteContexts, SqliteSummaries
from recollect.adapters.sqlite.upkeep import SqliteUpkeep
from recollect.adapters.sqlite.vectors import SqliteVectors


class SqliteStore:
    def __init__(self, path: str | Path, *, busy_timeout_ms: int = 5000) -> None:
        self._database = Database(Path(path), busy_timeout_ms=busy_timeout_ms)
        shelves = Shelves()
        self.messages = SqliteMessages(self._database)
        self.chats = SqliteChats(self._database)
        self.memories = SqliteMemories(self._database)
        self.receipts = SqliteReceipts(self._database)
        self.preferences = SqlitePreferences(self._database)
        self.jobs = SqliteJobs(self._database)
        self.search = SqliteSearch(self._database, shelves)
        self.vectors = SqliteVectors(self._database, shelves)
        self.upkeep = SqliteUpkeep(self._database)
        self.summaries = SqliteSummaries(self._database)
        self.contexts = SqliteContexts(self._database)
        self.judgements = SqliteJudgements(self._database)
        self.tombstones = SqliteTombstones(self._database)
        self.events = SqliteEvents(self._database)
        self.verdicts = SqliteVerdicts(self._database)
        self.audit = SqliteAudit(self._database)
        self.consents = SqliteConsents(self._database, self.audit)
        self.profiles = SqliteProfiles(self._database)
        self.erasure = SqliteErasure(self._database, shelves)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.transaction():
            yield

    def users(self) -> Sequence[str]:
        with self._database.reading() as db:
            return [user for (user,) in db.execute("SELECT id FROM users ORDER BY no")]

    def location(self) -> str:
        return str(self._database.path)

    def close(self) -> None:
        self._database.close()
