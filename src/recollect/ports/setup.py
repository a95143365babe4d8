"""Port for creating and migrating a database before a store opens it."""

from collections.abc import Sequence
from typing import Protocol


class DatabaseSetup(Protocol):
    def location(self) -> str:
        """Return where the data is, for display."""

    def pending(self) -> Sequence[str]:
        """Return the names of the migrations that are not applied; raise NewerStore if the schema is newer."""

    def migrate(self) -> Sequence[str]:
        """Apply the pending migrations in one transaction, one process at a time; return their names."""

    def create(self, *, partitions: int, distributed: bool) -> None:
        """
        Create the schema in an empty database, or raise Refused.

        With `partitions`, tables of user data have this many hash partitions by user; `distributed` spreads them over
        the nodes of a Citus cluster. A store that cannot do so raises InvalidInput.
        """
