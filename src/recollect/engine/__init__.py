"""The corridor: every verb calls the rooms in order. Sequence only; the rules live in the rooms."""

from dataclasses import dataclass

from recollect.engine.conversing import Conversing
from recollect.engine.importing import Importing
from recollect.engine.listening import EMBED, summarise
from recollect.engine.moving import Moving
from recollect.engine.privacy import Privacy
from recollect.engine.reviewing import Reviewing
from recollect.engine.summarising import Summarising
from recollect.engine.tuning import Tuning

__all__ = ["EMBED", "Engine", "summarise"]


@dataclass(frozen=True, kw_only=True)
class Engine(Conversing, Summarising, Reviewing, Tuning, Importing, Moving, Privacy):
    """A message goes in, what it teaches is kept and tended, the right memory comes out, and the user decides."""
