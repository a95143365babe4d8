"""The corridor: every verb calls the rooms in order. Sequence only; the rules live in the rooms."""

from dataclasses import dataclass

from recollect.services.chat import Conversing
from recollect.services.ingest import EMBED, summarise
from recollect.services.interchange import Importing
from recollect.services.privacy import Privacy
from recollect.services.reembedding import Moving
from recollect.services.review import Reviewing
from recollect.services.summaries import Summarising
from recollect.services.tuning import Tuning

__all__ = ["EMBED", "Engine", "summarise"]


@dataclass(frozen=True, kw_only=True)
class Engine(Conversing, Summarising, Reviewing, Tuning, Importing, Moving, Privacy):
    """A message goes in, what it teaches is kept and tended, the right memory comes out, and the user decides."""
