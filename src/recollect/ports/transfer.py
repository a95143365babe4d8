"""Port for moving a database to a store of another kind: whole rows, read and written by user."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from recollect.ports.embedder import Vector
from recollect.ports.transfer_tables import RowValues, UserTable


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVector:
    position: int  #: ascending in the order of reading
    passage: int
    content_hash: int  #: of the text that was embedded
    vector: Vector


class RowTransfer(Protocol):
    """Reads and writes the rows of a store. Derived data is not copied; the store that is written to rebuilds it."""

    def users(self) -> Mapping[str, int]:
        """Return when each user was created, in milliseconds, by id, oldest first."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Give all reads in the block one consistent state."""

    def read(
        self, user: str, table: UserTable, *, after: RowValues | None, limit: int
    ) -> Sequence[RowValues]:
        """Return the next rows of a user after the key `after`, in the order of the table's key."""

    def number_range(self, user: str) -> tuple[int, int] | None:
        """Return the lowest and the highest row number of the user in any table, if they have any."""

    def lowest_numbers(self, user: str) -> Mapping[str, int]:
        """Return the lowest row number of the user in each table."""

    def read_vectors(self, user: str, model: str, *, after: int, limit: int) -> Sequence[StoredVector]: ...

    def models(self, user: str) -> Mapping[str, int]:
        """Return the number of the user's vectors by model."""

    def add_user(self, user: str, created_at: int) -> AbstractContextManager[None]:
        """Create the user, and write all rows of the block in one transaction."""

    def number_shift(self, lowest: int, highest: int) -> int:
        """Return the offset that makes row numbers in this range unused by other users."""

    def write(self, user: str, table: UserTable, rows: Sequence[RowValues]) -> None: ...

    def derive(self, user: str) -> None:
        """Rebuild the indexes of the rows that were written, and queue their texts for embedding."""

    def write_vectors(self, user: str, model: str, vectors: Sequence[StoredVector]) -> None:
        """Store the vectors of passages whose text has not changed since it was embedded."""

    def read_access_tokens(self) -> Sequence[RowValues]: ...

    def write_access_tokens(self, rows: Sequence[RowValues]) -> None:
        """Store the access tokens whose name and hash this store does not have."""
