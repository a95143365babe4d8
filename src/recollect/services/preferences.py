"""The user's settings that are stored in the database."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.domain.scope import Scope
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
        return _without_internal(self.store.preferences.all(user))

    def for_chat(self, scope: Scope) -> tuple[Mapping[str, str], str | None]:
        """Return the user's preferences and the memory mode of the scope's chat, if any."""
        stored, mode = self.store.preferences.for_chat(scope)
        return _without_internal(stored), mode

    def set(self, user: str, name: str, value: str | None) -> None:
        """Set a preference whose name and value are valid; None removes it."""
        self.store.preferences.set(user, name, value, now=self.clock.now())


def _without_internal(stored: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in stored.items() if not key.startswith(INTERNAL_KEY_PREFIX)}
