"""Dependencies of every service: store, clock, ids, and the log of memory events."""

from dataclasses import dataclass

from recollect.domain.event import Event, EventAction, EventChange
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store


@dataclass(frozen=True, kw_only=True)
class EngineBase:
    store: Store
    clock: Clock
    ids: Ids

    def record_event(self, user: str, action: EventAction, *steps: EventChange) -> Event:
        """Record a change of memories, so that it can be listed and undone."""
        event = Event(id=self.ids.new(), user=user, at=self.clock.now(), action=action, changes=steps)
        self.store.events.add(event)
        return event
