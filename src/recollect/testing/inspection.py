"""Access to what an application hides, for tests that look at stored rows."""

from typing import Protocol

from recollect.ports.store import Store
from recollect.services import Services


class _HasServices(Protocol):
    @property
    def services(self) -> Services: ...


def store_of(application: _HasServices) -> Store:
    """Return the store behind the services of an open application."""
    return application.services.memories.store
