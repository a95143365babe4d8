"""The in-memory store: the same behaviour as a database, without a file."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from recollect.domain.context import ChatContext
from recollect.domain.diagnostics import CheckResult, StoreStats
from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel
from recollect.domain.extraction import LearningContext
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
from recollect.domain.summary import SummaryKind
from recollect.ports.access import AccessTokens, IdempotencyKeys, RateLimits, Schedules, Sessions
from recollect.ports.queue import JobQueue
from recollect.ports.records import (
    AuditLog,
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
from recollect.ports.store import Chats, Memories, Messages, Preferences, Receipts, StoreMaintenance
from recollect.testing.in_memory.access import (
    InMemoryAccessTokens,
    InMemoryIdempotencyKeys,
    InMemoryRateLimits,
    InMemorySchedules,
    InMemorySessions,
)
from recollect.testing.in_memory.database import Connection, Database
from recollect.testing.in_memory.jobs import InMemoryJobQueue
from recollect.testing.in_memory.memories import InMemoryMemories, InMemoryStatistics
from recollect.testing.in_memory.messages import InMemoryChats, InMemoryMessages
from recollect.testing.in_memory.privacy import (
    InMemoryAuditLog,
    InMemoryConsents,
    InMemoryErasure,
    InMemoryProfiles,
)
from recollect.testing.in_memory.records import (
    InMemoryContextFiles,
    InMemoryEvents,
    InMemoryExtractions,
    InMemoryFeedback,
    InMemoryImportLedger,
    InMemoryInjections,
    InMemoryPreferences,
    InMemoryReceipts,
    InMemorySummaries,
    InMemoryTokenUsage,
    InMemoryTombstones,
    InMemoryTriageCounts,
)
from recollect.testing.in_memory.search import InMemorySearch, InMemoryVectors


class InMemoryStore:
    """
    A store whose data is gone with its `Database`.

    Several stores can share one database, as several processes share a file. It searches exactly and keeps no index,
    so that it needs neither backups nor repair.
    """

    backups = None
    byte_erasure = None
    indexes = None

    def __init__(self, database: Database | None = None) -> None:
        self._connection = connection = Connection(database or Database())
        search = InMemorySearch(connection)
        audit_log = InMemoryAuditLog(connection)
        self.messages: Messages = InMemoryMessages(connection)
        self.chats: Chats = InMemoryChats(connection)
        self.memories: Memories = InMemoryMemories(connection, search)
        self.receipts: Receipts = InMemoryReceipts(connection)
        self.statistics: Statistics = InMemoryStatistics(connection)
        self.preferences: Preferences = InMemoryPreferences(connection)
        self.jobs: JobQueue = InMemoryJobQueue(connection)
        self.search: Search = search
        self.vectors: Vectors = InMemoryVectors(connection)
        self.maintenance: StoreMaintenance = InMemoryMaintenance(connection)
        self.summaries: Summaries = InMemorySummaries(connection)
        self.context_files: ContextFiles = InMemoryContextFiles(connection)
        self.extractions: Extractions = InMemoryExtractions(connection)
        self.tombstones: Tombstones = InMemoryTombstones(connection)
        self.events: Events = InMemoryEvents(connection)
        self.triage_counts: TriageCounts = InMemoryTriageCounts(connection)
        self.audit_log: AuditLog = audit_log
        self.consents: Consents = InMemoryConsents(connection, audit_log)
        self.profiles: Profiles = InMemoryProfiles(connection)
        self.erasure: Erasure = InMemoryErasure(connection)
        self.token_usage: TokenUsage = InMemoryTokenUsage(connection)
        self.injections: Injections = InMemoryInjections(connection)
        self.feedback: Feedback = InMemoryFeedback(connection)
        self.imports: ImportLedger = InMemoryImportLedger(connection)
        access = connection.database.access
        self.access_tokens: AccessTokens = InMemoryAccessTokens(access)
        self.sessions: Sessions = InMemorySessions(access)
        self.idempotency_keys: IdempotencyKeys = InMemoryIdempotencyKeys(access)
        self.rate_limits: RateLimits = InMemoryRateLimits(access)
        self.schedules: Schedules = InMemorySchedules(access)

    def chat_context(self, scope: Scope, *, full: int, limit: int, importance_above: int) -> ChatContext:
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
        tables = self._connection.read(scope.user)
        sources = [
            tables.messages[span.message_id].no
            for row in tables.memories.values()
            for span in row.memory.spans
        ]
        messages, model = (
            self.messages.get_many(scope, list(message_ids)),
            self.preferences.all(scope.user).get(ACTIVE_MODEL_KEY),
        )
        return LearningContext(
            messages=messages,
            late_ids=frozenset(
                each.id for each in messages if tables.messages[each.id].no < max(sources, default=0)
            ),
            consents=self.consents.all(scope),
            forgotten_at=self.tombstones.forgotten_at(scope.user, fact_hashes),
            context_files=self.context_files.list(scope.user_scope) if with_files else (),
            embedding_model=EmbeddingModel.from_json(model) if model else None,
        )

    @contextmanager
    def transaction(self, user: str, *, durable: bool = True) -> Iterator[None]:
        with self._connection.transaction(user):
            yield

    def users(self) -> Sequence[str]:
        return self._connection.users()

    def location(self) -> str:
        return "memory of this process"

    def close(self) -> None:
        """Keep the data: another store may use the same database."""


class InMemoryMaintenance:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def check(self, *, deep: bool = False) -> Sequence[CheckResult]:
        return [CheckResult(name="store", ok=True, detail="in memory")]

    def stats(self, scope: Scope) -> StoreStats:
        tables = self._connection.read(scope.user)
        jobs: dict[str, int] = {}
        for row in tables.jobs.values():
            name = f"{row.job.kind} {row.job.state}"
            jobs[name] = jobs.get(name, 0) + 1
        return StoreStats(
            messages=len(tables.messages),
            chats=len(tables.chats),
            chunks=sum(map(len, tables.chunks.values())),
            memories=sum(row.memory.status is MemoryStatus.ACTIVE for row in tables.memories.values()),
            summaries=len(tables.summaries),
            vectors=len(tables.vectors),
            pending_vectors=len(tables.embedding_queue),
            jobs=jobs,
        )
