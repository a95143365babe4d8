"""
Application services: the use cases of the product. Each service owns its transactions: it reads, calls the capability
packages, and writes. Library, command line, server and workers call services only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.ports.chat_model import ChatModel
from recollect.ports.clock import Clock, Ids
from recollect.ports.embedder import Embedder
from recollect.ports.executor import Executor
from recollect.ports.reranker import Reranker
from recollect.ports.store import Store
from recollect.ports.tracer import Tracer
from recollect.services.embedders import EmbedderRegistry

if TYPE_CHECKING:
    from recollect.services.access import AccessService
    from recollect.services.agent_sessions import AgentSessionService
    from recollect.services.analytics import AnalyticsService
    from recollect.services.chats import ChatService
    from recollect.services.consolidation import ConsolidationService
    from recollect.services.event_log import EventLog
    from recollect.services.exports import ExportService
    from recollect.services.extraction import ExtractionService
    from recollect.services.imports import ImportService
    from recollect.services.ingest import IngestService
    from recollect.services.interchange import InterchangeService
    from recollect.services.jobs import JobService
    from recollect.services.maintenance import MaintenanceService
    from recollect.services.memories import MemoryService
    from recollect.services.packs import PackService
    from recollect.services.preferences import PreferenceService
    from recollect.services.privacy import PrivacyService
    from recollect.services.profile import ProfileService
    from recollect.services.recall import RecallService
    from recollect.services.receipts import ReceiptService
    from recollect.services.reembedding import ReembeddingService
    from recollect.services.review import ReviewService
    from recollect.services.summaries import SummaryService
    from recollect.services.tuning import TuningService
    from recollect.services.turns import TurnService
    from recollect.services.vector_search import VectorSearchService

__all__ = ["Services"]


@dataclass(frozen=True, kw_only=True)
class Services:
    """
    All services of one application. Each is imported and built on first use: a process that only adds messages or
    prints a list does not load extraction, interchange and the rest, which would take most of its start.
    """

    store: Store
    clock: Clock
    ids: Ids
    owner_user: str  #: the user of the owner's token
    model: ChatModel | None
    prompts: Mapping[str, str]  #: custom prompts by name
    embedder: Embedder | None
    embedders: EmbedderRegistry
    search_executor: Executor
    read_executor: Executor
    reranker: Reranker
    relevance_reranker: Reranker
    tracer: Tracer | None

    def close(self) -> None:
        self.search_executor.close()
        self.read_executor.close()

    @cached_property
    def access(self) -> "AccessService":
        from recollect.services.access import AccessService

        return AccessService(store=self.store, clock=self.clock, owner_user=self.owner_user)

    @cached_property
    def ingest(self) -> "IngestService":
        from recollect.services.ingest import IngestService

        return IngestService(store=self.store, clock=self.clock, ids=self.ids)

    @cached_property
    def extraction(self) -> "ExtractionService":
        from recollect.services.context_files import ContextFileMatcher
        from recollect.services.extraction import ExtractionService
        from recollect.services.extractor import Extractor

        return ExtractionService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            ingest=self.ingest,
            extractor=Extractor(model=self.model, prompt_overrides=self.prompts),
            consolidation=self.consolidation,
            embedders=self.embedders,
            context_files=ContextFileMatcher(embedder=self.embedder),
            event_log=self.event_log,
        )

    @cached_property
    def recall(self) -> "RecallService":
        from recollect.services.recall import RecallService

        return RecallService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            embedders=self.embedders,
            search_executor=self.search_executor,
            read_executor=self.read_executor,
            reranker=self.reranker,
            relevance_reranker=self.relevance_reranker,
            tracer=self.tracer,
        )

    @cached_property
    def receipts(self) -> "ReceiptService":
        from recollect.services.receipts import ReceiptService

        return ReceiptService(store=self.store)

    @cached_property
    def vector_search(self) -> "VectorSearchService":
        from recollect.services.vector_search import VectorSearchService

        return VectorSearchService(store=self.store)

    @cached_property
    def turns(self) -> "TurnService":
        from recollect.services.turns import TurnService

        return TurnService(
            store=self.store, clock=self.clock, ingest=self.ingest, recall=self.recall, chats=self.chats
        )

    @cached_property
    def agent_sessions(self) -> "AgentSessionService":
        from recollect.services.agent_sessions import AgentSessionService

        return AgentSessionService(store=self.store, ingest=self.ingest, recall=self.recall)

    @cached_property
    def chats(self) -> "ChatService":
        from recollect.services.chats import ChatService

        return ChatService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            consolidation=self.consolidation,
            embedders=self.embedders,
            ingest=self.ingest,
        )

    @cached_property
    def summaries(self) -> "SummaryService":
        from recollect.services.summaries import SummaryService

        return SummaryService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            ingest=self.ingest,
            model=self.model,
            prompt_overrides=self.prompts,
        )

    @cached_property
    def memories(self) -> "MemoryService":
        from recollect.services.memories import MemoryService

        return MemoryService(store=self.store, clock=self.clock, event_log=self.event_log)

    @cached_property
    def review(self) -> "ReviewService":
        from recollect.services.review import ReviewService

        return ReviewService(
            store=self.store,
            clock=self.clock,
            consolidation=self.consolidation,
            embedders=self.embedders,
            memories=self.memories,
        )

    @cached_property
    def profile(self) -> "ProfileService":
        from recollect.services.profile import ProfileService

        return ProfileService(store=self.store, clock=self.clock, ids=self.ids)

    @cached_property
    def privacy(self) -> "PrivacyService":
        from recollect.services.privacy import PrivacyService

        return PrivacyService(store=self.store, clock=self.clock, chats=self.chats)

    @cached_property
    def packs(self) -> "PackService":
        from recollect.services.packs import PackService

        return PackService(
            store=self.store,
            clock=self.clock,
            ingest=self.ingest,
            privacy=self.privacy,
            preferences=self.preferences,
        )

    @cached_property
    def interchange(self) -> "InterchangeService":
        from recollect.services.interchange import InterchangeService

        return InterchangeService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            consolidation=self.consolidation,
            embedders=self.embedders,
            event_log=self.event_log,
        )

    @cached_property
    def imports(self) -> "ImportService":
        from recollect.services.imports import ImportService

        return ImportService(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            ingest=self.ingest,
            interchange=self.interchange,
            chats=self.chats,
            embedders=self.embedders,
        )

    @cached_property
    def exports(self) -> "ExportService":
        from recollect.services.exports import ExportService

        return ExportService(store=self.store, clock=self.clock, packs=self.packs)

    @cached_property
    def maintenance(self) -> "MaintenanceService":
        from recollect.services.maintenance import MaintenanceService

        return MaintenanceService(
            store=self.store,
            clock=self.clock,
            consolidation=self.consolidation,
            embedders=self.embedders,
            memories=self.memories,
            event_log=self.event_log,
        )

    @cached_property
    def jobs(self) -> "JobService":
        from recollect.services.jobs import JobService

        return JobService(store=self.store, clock=self.clock)

    @cached_property
    def analytics(self) -> "AnalyticsService":
        from recollect.services.analytics import AnalyticsService

        return AnalyticsService(store=self.store, clock=self.clock)

    @cached_property
    def preferences(self) -> "PreferenceService":
        from recollect.services.preferences import PreferenceService

        return PreferenceService(store=self.store, clock=self.clock)

    @cached_property
    def reembedding(self) -> "ReembeddingService":
        from recollect.services.reembedding import ReembeddingService

        return ReembeddingService(store=self.store, clock=self.clock, embedders=self.embedders)

    @cached_property
    def tuning(self) -> "TuningService":
        from recollect.services.tuning import TuningService

        return TuningService(store=self.store, clock=self.clock, embedders=self.embedders)

    @cached_property
    def consolidation(self) -> "ConsolidationService":
        from recollect.services.consolidation import ConsolidationService

        return ConsolidationService(store=self.store, clock=self.clock, ids=self.ids)

    @cached_property
    def event_log(self) -> "EventLog":
        from recollect.services.event_log import EventLog

        return EventLog(events=self.store.events, clock=self.clock, ids=self.ids)
