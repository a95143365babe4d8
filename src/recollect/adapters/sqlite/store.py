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
from recollect.adapters.sqlite.feedback import SqliteFeedback
from recollect.adapters.sqlite.injections import SqliteInjections
from recollect.adapters.sqlite.jobs import SqliteJobs
from recollect.adapters.sqlite.maintenance import SqliteUpkeep
from recollect.adapters.sqlite.memories import SqliteMemories
from recollect.adapters.sqlite.messages import SqliteChats, SqliteMessages
from recollect.adapters.sqlite.privacy import SqliteAudit, SqliteConsents, SqliteProfiles
from recollect.adapters.sqlite.receipts import SqlitePreferences, SqliteReceipts
from recollect.adapters.sqlite.search import SqliteSearch
from recollect.adapters.sqlite.spending import SqliteSpending
from recollect.adapters.sqlite.statistics import SqliteBrowsing
from recollect.adapters.sqlite.summaries import SqliteContexts, SqliteSummaries
from recollect.adapters.sqlite.vector_cache import Shelves
from recollect.adapters.sqlite.vectors import SqliteVectors
from recollect.ports.queue import Jobs
from recollect.ports.records import (
    Audit,
    Consents,
    Contexts,
    Erasure,
    Events,
    Feedback,
    Injections,
    Judgements,
    Profiles,
    Spending,
    Summaries,
    Tombstones,
    Verdicts,
)
from recollect.ports.search import Search, Vectors
from recollect.ports.statistics import Browsing
from recollect.ports.store import Chats, Memories, Messages, Preferences, Receipts, Upkeep


class SqliteStore:
    def __init__(self, path: str | Path, *, busy_timeout_ms: int = 5000) -> None:
        self._database = Database(Path(path), busy_timeout_ms=busy_timeout_ms)
        shelves = Shelves()
        self.messages: Messages = SqliteMessages(self._database)
        self.chats: Chats = SqliteChats(self._database)
        self.memories: Memories = SqliteMemories(self._database)
        receipts = SqliteReceipts(self._database)
        self.receipts: Receipts = receipts
        self.browsing: Browsing = SqliteBrowsing(self._database, receipts)
        self.preferences: Preferences = SqlitePreferences(self._database)
        self.jobs: Jobs = SqliteJobs(self._database)
        self.search: Search = SqliteSearch(self._database, shelves)
        self.vectors: Vectors = SqliteVectors(self._database, shelves)
        self.upkeep: Upkeep = SqliteUpkeep(self._database)
        self.summaries: Summaries = SqliteSummaries(self._database)
        self.contexts: Contexts = SqliteContexts(self._database)
        self.judgements: Judgements = SqliteJudgements(self._database)
        self.tombstones: Tombstones = SqliteTombstones(self._database)
        self.events: Events = SqliteEvents(self._database)
        self.verdicts: Verdicts = SqliteVerdicts(self._database)
        self.audit: Audit = SqliteAudit(self._database)
        self.consents: Consents = SqliteConsents(self._database, self.audit)
        self.profiles: Profiles = SqliteProfiles(self._database)
        self.erasure: Erasure = SqliteErasure(self._database, shelves)
        self.spending: Spending = SqliteSpending(self._database)
        self.injections: Injections = SqliteInjections(self._database)
        self.feedback: Feedback = SqliteFeedback(self._database)

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
