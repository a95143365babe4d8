"""What every verb needs: somewhere to keep things, the time, names for new ones, and a book of what was done."""

from dataclasses import dataclass

from recollect.domain.event import Action, Event, Step
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store


@dataclass(frozen=True, kw_only=True)
class Core:
    store: Store
    clock: Clock
    ids: Ids

    def record(self, user: str, action: Action, *steps: Step) -> Event:
        """Write down what was done to memories, so that it can be seen and undone."""
        event = Event(id=self.ids.new(), user=user, at=self.clock.now(), action=action, steps=steps)
        self.store.events.add(event)
        return event
