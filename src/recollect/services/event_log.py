"""The log of memory events, from which changes are listed and undone."""

from collections.abc import Iterable
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
        [event] = self.record_all(user, [(action, changes)])
        return event

    def record_all(
        self, user: str, actions: Iterable[tuple[EventAction, tuple[EventChange, ...]]]
    ) -> list[Event]:
        """Record several changes, each of which can be undone alone."""
        events = [
            Event(id=self.ids.new(), user=user, at=self.clock.now(), action=action, changes=changes)
            for action, changes in actions
        ]
        self.events.add(user, events)
        return events
