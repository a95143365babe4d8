"""What every verb needs: somewhere to keep things, the time, and names for new ones."""

from dataclasses import dataclass

from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store


@dataclass(frozen=True, kw_only=True)
class Core:
    store: Store
    clock: Clock
    ids: Ids
