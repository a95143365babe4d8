"""
Application services: the use cases of the product. Each service owns its transactions: it reads, calls the capability
packages, and writes. Library, command line, server and workers call services only.
"""

from dataclasses import dataclass

from recollect.services.chats import ChatService
from recollect.services.embedders import EmbedderRegistry
from recollect.services.ingest import EMBED_JOB, IngestService, summary_job
from recollect.services.interchange import InterchangeService
from recollect.services.maintenance import MaintenanceService
from recollect.services.memories import MemoryService
from recollect.services.privacy import PrivacyService
from recollect.services.profile import ProfileService
from recollect.services.recall import RecallService
from recollect.services.reembedding import ReembeddingService
from recollect.services.review import ReviewService
from recollect.services.summaries import SummaryService
from recollect.services.tuning import TuningService
from recollect.services.turns import TurnService

__all__ = ["EMBED_JOB", "Services", "summary_job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """All services of one application."""

    ingest: IngestService
    recall: RecallService
    turns: TurnService
    chats: ChatService
    summaries: SummaryService
    memories: MemoryService
    review: ReviewService
    profile: ProfileService
    privacy: PrivacyService
    interchange: InterchangeService
    maintenance: MaintenanceService
    reembedding: ReembeddingService
    tuning: TuningService
    embedders: EmbedderRegistry
