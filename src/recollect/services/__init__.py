"""The corridor: every verb calls the rooms in order. Sequence only; the rules live in the rooms."""

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
    """A message goes in, what it teaches is kept and tended, the right memory comes out, and the user decides."""
