"""The user's settings that are stored in the database."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.ports.clock import Clock
from recollect.ports.store import Store

#: First character of the keys that services store among the preferences; users neither see nor set them.
INTERNAL_KEY_PREFIX = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceService:
    store: Store
    clock: Clock

    def all(self, user: str) -> Mapping[str, str]:
        """Return the user's preferences by setting name."""
        stored = self.store.preferences.all(user)
        return {key: value for key, value in stored.items() if not key.startswith(INTERNAL_KEY_PREFIX)}

    def set(self, user: str, name: str, value: str | None) -> None:
        """Set a preference whose name and value are valid; None removes it."""
        self.store.preferences.set(user, name, value, now=self.clock.now())
