"""Application services: each use case calls the packages in order. The rules themselves live in those packages."""

from dataclasses import dataclass

from recollect.services.chat import ChatMixin
from recollect.services.ingest import EMBED_JOB, summary_job
from recollect.services.interchange import InterchangeMixin
from recollect.services.privacy import PrivacyMixin
from recollect.services.reembedding import ReembeddingMixin
from recollect.services.review import ReviewMixin
from recollect.services.summaries import SummaryMixin
from recollect.services.tuning import TuningMixin

__all__ = ["EMBED_JOB", "Engine", "summary_job"]


@dataclass(frozen=True, kw_only=True)
class Engine(
    ChatMixin, SummaryMixin, ReviewMixin, TuningMixin, InterchangeMixin, ReembeddingMixin, PrivacyMixin
):
    """All use cases: ingest, recall, chat, maintenance, review, tuning, import, re-embedding and privacy."""
