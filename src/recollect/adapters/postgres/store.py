"""The PostgreSQL store: all repositories over one database."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from psycopg import RawCursor

from recollect.adapters.postgres.access import (
    PostgresAccessTokens,
    PostgresIdempotencyKeys,
    PostgresRateLimits,
    PostgresSchedules,
    PostgresSessions,
)
from recollect.adapters.postgres.combined_reads import read_learning_context
from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.erasure import PostgresByteErasure, PostgresErasure
from recollect.adapters.postgres.events import (
    PostgresEvents,
    PostgresExtractions,
    PostgresTombstones,
    PostgresTriageCounts,
)
from recollect.adapters.postgres.feedback import PostgresFeedback
from recollect.adapters.postgres.imports import PostgresImportLedger
from recollect.adapters.postgres.injections import PostgresInjections
from recollect.adapters.postgres.jobs import PostgresJobQueue
from recollect.adapters.postgres.maintenance import PostgresIndexMaintenance, PostgresStoreMaintenance
from recollect.adapters.postgres.memories import PostgresMemories
from recollect.adapters.postgres.messages import PostgresChats, PostgresMessages
from recollect.adapters.postgres.privacy import PostgresAuditLog, PostgresConsents, PostgresProfiles
from recollect.adapters.postgres.receipts import PostgresPreferences, PostgresReceipts
from recollect.adapters.postgres.rows import Row, fetch
from recollect.adapters.postgres.search import PostgresSearch
from recollect.adapters.postgres.spending import PostgresTokenUsage
from recollect.adapters.postgres.statistics import PostgresStatistics
from recollect.adapters.postgres.summaries import PostgresContextFiles, PostgresSummaries
from recollect.adapters.postgres.vectors import PostgresVectors
from recollect.domain.context import ChatContext
from recollect.domain.extraction import LearningContext
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
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


class PostgresStore:
    def __init__(
        self,
        url: str,
        *,
        busy_timeout_ms: int = 5000,
        pool_size: int = 16,
        prepares: bool = True,
        cursor_class: type[RawCursor[Row]] = RawCursor,
    ) -> None:
        """Open the database. `cursor_class` sends all statements, so that a caller can observe them."""
        self._database = Database(
            url,
            busy_timeout_ms=busy_timeout_ms,
            pool_size=pool_size,
            prepares=prepares,
            cursor_class=cursor_class,
        )
        self.messages: Messages = PostgresMessages(self._database)
        self.chats: Chats = PostgresChats(self._database)
        search = PostgresSearch(self._database)
        self.search: Search = search
        self.memories: Memories = PostgresMemories(self._database, search)
        receipts = PostgresReceipts(self._database)
        self.receipts: Receipts = receipts
        self.statistics: Statistics = PostgresStatistics(self._database, receipts)
        self.preferences: Preferences = PostgresPreferences(self._database)
        self.jobs: JobQueue = PostgresJobQueue(self._database)
        self.vectors: Vectors = PostgresVectors(self._database)
        self.maintenance: StoreMaintenance = PostgresStoreMaintenance(self._database)
        self.summaries: Summaries = PostgresSummaries(self._database)
        self.context_files: ContextFiles = PostgresContextFiles(self._database)
        self.extractions: Extractions = PostgresExtractions(self._database)
        self.tombstones: Tombstones = PostgresTombstones(self._database)
        self.events: Events = PostgresEvents(self._database)
        self.triage_counts: TriageCounts = PostgresTriageCounts(self._database)
        self.audit_log: AuditLog = PostgresAuditLog(self._database)
        self.consents: Consents = PostgresConsents(self._database, self.audit_log)
        self.profiles: Profiles = PostgresProfiles(self._database)
        self.erasure: Erasure = PostgresErasure(self._database)
        self.token_usage: TokenUsage = PostgresTokenUsage(self._database)
        self.injections: Injections = PostgresInjections(self._database)
        self.imports: ImportLedger = PostgresImportLedger(self._database)
        self.feedback: Feedback = PostgresFeedback(self._database)
        self.access_tokens: AccessTokens = PostgresAccessTokens(self._database)
        self.sessions: Sessions = PostgresSessions(self._database)
        self.idempotency_keys: IdempotencyKeys = PostgresIdempotencyKeys(self._database)
        self.rate_limits: RateLimits = PostgresRateLimits(self._database)
        self.schedules: Schedules = PostgresSchedules(self._database)
        #: `pg_dump` and the server's own backups copy a database.
        self.backups: Backups | None = None
        self.byte_erasure: ByteErasure = PostgresByteErasure(self._database)
        self.indexes: IndexMaintenance = PostgresIndexMaintenance(self._database)

    def chat_context(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> ChatContext:
        with self._database.snapshot():
            if scope.chat is None:
                return ChatContext(profile=self.profiles.get(scope), consents=self.consents.all(scope))
            return ChatContext(
                recent_messages=self.messages.recent(
                    scope, full=full, limit=limit, importance_above=importance_above
                ),
                working_summary=self.summaries.latest(scope, SummaryKind.WORKING),
                context_files=self.context_files.list(scope),
                profile=self.profiles.get(scope),
                consents=self.consents.all(scope),
            )

    def learning_context(
        self,
        scope: Scope,
        message_ids: Collection[str],
        *,
        fact_hashes: Collection[str] = (),
        with_files: bool = False,
    ) -> LearningContext:
        with self._database.reader(scope.user) as db:
            return read_learning_context(
                db, scope, message_ids, fact_hashes=fact_hashes, with_files=with_files
            )

    @contextmanager
    def transaction(self, user: str, *, durable: bool = True) -> Iterator[None]:
        with self._database.user_transaction(user, durable=durable):
            yield

    def users(self) -> Sequence[str]:
        with self._database.system_reader() as db:
            return [
                user
                for (user,) in fetch(db, "/* all users: their list */ SELECT user_id FROM users ORDER BY no")
            ]

    def location(self) -> str:
        return self._database.location

    def close(self) -> None:
        self._database.close()
