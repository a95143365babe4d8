"""The log of memory events, from which changes are listed and undone."""

from dataclasses import dataclass

from recollect.domain.event import Event, EventAction, EventChange
from recollect.ports.clock import Clock, Ids
from recollect.ports.records import Events


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLog:
    events: Events
    clock: Clock
    ids: Ids

    def record(self, user: str, action: EventAction, *changes: EventChange) -> Event:
        """Record a change of memories inside the caller's transaction."""
        event = Event(id=self.ids.new(), user=user, at=self.clock.now(), action=action, changes=changes)
        self.events.add(event)
        return event
