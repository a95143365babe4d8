"""The corridor: every verb calls the rooms in order. Sequence only; the rules live in the rooms."""

from dataclasses import dataclass

from recollect.engine.listening import EMBED, Listening
from recollect.engine.recalling import Recalling
from recollect.engine.steering import Steering

__all__ = ["EMBED", "Engine"]


@dataclass(frozen=True, kw_only=True)
class Engine(Listening, Recalling, Steering):
    """A message goes in (listening), the right memory comes out (recalling), and the user decides (steering)."""
