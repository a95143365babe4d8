"""The SQLite store: all repositories over one database file."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.adapters.sqlite.access import (
    SqliteAccessTokens,
    SqliteIdempotencyKeys,
    SqliteRateLimits,
    SqliteSchedules,
    SqliteSessions,
)
from recollect.adapters.sqlite.backup import SqliteBackups
from recollect.adapters.sqlite.combined_reads import read_chat_context, read_learning_context
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.erasure import SqliteByteErasure, SqliteErasure
from recollect.adapters.sqlite.events import (
    SqliteEvents,
    SqliteExtractions,
    SqliteTombstones,
    SqliteTriageCounts,
)
from recollect.adapters.sqlite.feedback import SqliteFeedback
from recollect.adapters.sqlite.imports import SqliteImportLedger
from recollect.adapters.sqlite.injections import SqliteInjections
from recollect.adapters.sqlite.jobs import SqliteJobQueue
from recollect.adapters.sqlite.maintenance import SqliteIndexMaintenance, SqliteStoreMaintenance
from recollect.adapters.sqlite.memories import SqliteMemories
from recollect.adapters.sqlite.messages import SqliteChats, SqliteMessages
from recollect.adapters.sqlite.privacy import SqliteAuditLog, SqliteConsents, SqliteProfiles
from recollect.adapters.sqlite.receipts import SqlitePreferences, SqliteReceipts
from recollect.adapters.sqlite.search import SqliteSearch
from recollect.adapters.sqlite.spending import SqliteTokenUsage
from recollect.adapters.sqlite.statistics import SqliteStatistics
from recollect.adapters.sqlite.summaries import SqliteContextFiles, SqliteSummaries
from recollect.adapters.sqlite.vector_cache import VectorCaches
from recollect.adapters.sqlite.vectors import SqliteVectors
from recollect.domain.context import ChatContext
from recollect.domain.extraction import LearningContext
from recollect.domain.scope import Scope
from recollect.ports.access import AccessTokens, IdempotencyKeys, RateLimits, Schedules, Sessions
from recollect.ports.backup import Backups
from recollect.ports.queue import JobQueue
from recollect.ports.records import (
    AuditLog,
    ByteErasure,
    Consents,
    ContextFiles,
    Erasure,
    Events,
    Extractions,
    Feedback,
    ImportLedger,
    Injections,
    Profiles,
    Summaries,
    TokenUsage,
    Tombstones,
    TriageCounts,
)
from recollect.ports.search import Search, Vectors
from recollect.ports.statistics import Statistics
from recollect.ports.store import (
    Chats,
    IndexMaintenance,
    Memories,
    Messages,
    Preferences,
    Receipts,
    StoreMaintenance,
)


class SqliteStore:
    def __init__(self, path: str | Path, *, busy_timeout_ms: int = 5000) -> None:
        self._database = Database(Path(path), busy_timeout_ms=busy_timeout_ms)
        vector_caches = VectorCaches()
        self.messages: Messages = SqliteMessages(self._database)
        self.chats: Chats = SqliteChats(self._database)
        search = SqliteSearch(self._database, vector_caches)
        self.search: Search = search
        self.memories: Memories = SqliteMemories(self._database, search)
        receipts = SqliteReceipts(self._database)
        self.receipts: Receipts = receipts
        self.statistics: Statistics = SqliteStatistics(self._database, receipts)
        self.preferences: Preferences = SqlitePreferences(self._database)
        self.jobs: JobQueue = SqliteJobQueue(self._database)
        self.vectors: Vectors = SqliteVectors(self._database, vector_caches)
        self.maintenance: StoreMaintenance = SqliteStoreMaintenance(self._database)
        self.summaries: Summaries = SqliteSummaries(self._database)
        self.context_files: ContextFiles = SqliteContextFiles(self._database)
        self.extractions: Extractions = SqliteExtractions(self._database)
        self.tombstones: Tombstones = SqliteTombstones(self._database)
        self.events: Events = SqliteEvents(self._database)
        self.triage_counts: TriageCounts = SqliteTriageCounts(self._database)
        self.audit_log: AuditLog = SqliteAuditLog(self._database)
        self.consents: Consents = SqliteConsents(self._database, self.audit_log)
        self.profiles: Profiles = SqliteProfiles(self._database)
        self.erasure: Erasure = SqliteErasure(self._database)
        self.token_usage: TokenUsage = SqliteTokenUsage(self._database)
        self.injections: Injections = SqliteInjections(self._database)
        self.imports: ImportLedger = SqliteImportLedger(self._database)
        self.feedback: Feedback = SqliteFeedback(self._database)
        self.access_tokens: AccessTokens = SqliteAccessTokens(self._database)
        self.sessions: Sessions = SqliteSessions(self._database)
        self.idempotency_keys: IdempotencyKeys = SqliteIdempotencyKeys(self._database)
        self.rate_limits: RateLimits = SqliteRateLimits(self._database)
        self.schedules: Schedules = SqliteSchedules(self._database)
        self.backups: Backups = SqliteBackups(self._database)
        self.byte_erasure: ByteErasure = SqliteByteErasure(self._database)
        self.indexes: IndexMaintenance = SqliteIndexMaintenance(self._database)

    def chat_context(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> ChatContext:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            return read_chat_context(
                db, user_no, scope, full=full, limit=limit, importance_above=importance_above
            )

    def learning_context(
        self,
        scope: Scope,
        message_ids: Collection[str],
        *,
        fact_hashes: Collection[str] = (),
        with_files: bool = False,
    ) -> LearningContext:
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            return read_learning_context(
                db, user_no, scope, message_ids, fact_hashes=fact_hashes, with_files=with_files
            )

    @contextmanager
    def transaction(self, user: str, *, durable: bool = True) -> Iterator[None]:
        # One writer per file: BEGIN IMMEDIATE excludes the transactions of all users, not only of this one.
        with self._database.user_transaction(user, durable=durable):
            yield

    def users(self) -> Sequence[str]:
        with self._database.reader() as db:
            return [user for (user,) in db.execute("SELECT id FROM users ORDER BY no")]

    def location(self) -> str:
        return str(self._database.path)

    def close(self) -> None:
        self._database.close()
