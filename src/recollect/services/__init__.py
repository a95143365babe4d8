"""
Application services: the use cases of the product. Each service owns its transactions: it reads, calls the capability
packages, and writes. Library, command line, server and workers call services only.
"""

from dataclasses import dataclass

from recollect.services.agent_sessions import AgentSessionService
from recollect.services.analytics import AnalyticsService
from recollect.services.chats import ChatService
from recollect.services.embedders import EmbedderRegistry
from recollect.services.exports import ExportService
from recollect.services.imports import ImportService
from recollect.services.ingest import EMBED_JOB, IngestService, summary_job
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

__all__ = ["EMBED_JOB", "Services", "summary_job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """All services of one application."""

    ingest: IngestService
    recall: RecallService
    receipts: ReceiptService
    vector_search: VectorSearchService
    turns: TurnService
    agent_sessions: AgentSessionService
    chats: ChatService
    summaries: SummaryService
    memories: MemoryService
    review: ReviewService
    profile: ProfileService
    privacy: PrivacyService
    packs: PackService
    interchange: InterchangeService
    imports: ImportService
    exports: ExportService
    maintenance: MaintenanceService
    jobs: JobService
    analytics: AnalyticsService
    preferences: PreferenceService
    reembedding: ReembeddingService
    tuning: TuningService
    embedders: EmbedderRegistry
