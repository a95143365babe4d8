"""The in-memory store: the same behaviour as a database, without a file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from recollect.domain.diagnostics import CheckResult, StoreStats
from recollect.domain.memory import MemoryStatus
from recollect.domain.scope import Scope
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

    @contextmanager
    def transaction(self, user: str) -> Iterator[None]:
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
