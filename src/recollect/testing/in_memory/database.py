"""The data of in-memory stores: published tables that never change, and one writer at a time."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count

from recollect.domain.scope import SYSTEM_USER
from recollect.errors import StoreBusy, StoreError
from recollect.testing.in_memory.access import AccessTables
from recollect.testing.in_memory.tables import UserTables

#: Seconds that a transaction waits for another one.
BUSY_SECONDS = 5.0


class Database:
    """What several stores may share, as several processes share a file."""

    def __init__(self) -> None:
        self.published: Mapping[str, UserTables] = {}  #: by user
        self.write_lock = threading.Lock()
        self.dimensions: dict[str, int] = {}  #: of embedding models
        self.access = AccessTables()
        self._numbers = count(1)

    def new_number(self) -> int:
        return next(self._numbers)


class Connection:
    """
    A store's access to a database.

    A transaction works on forks of the published tables, which replace them when it commits. Readers outside the
    transaction therefore see a consistent state without waiting.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._local = threading.local()

    def new_number(self) -> int:
        return self.database.new_number()

    def read(self, user: str) -> UserTables:
        """Return the tables of a user as this thread sees them; an unknown user has empty ones."""
        return self._visible().get(user) or UserTables()

    def users(self) -> Sequence[str]:
        tables = self._visible()
        return sorted(tables, key=lambda user: tables[user].no)

    @contextmanager
    def transaction(self, user: str) -> Iterator[None]:
        outer: str | None = getattr(self._local, "user", None)
        if outer is not None:
            _refuse_other_user(user, outer)
            yield
            return
        if not self.database.write_lock.acquire(timeout=BUSY_SECONDS):
            raise StoreBusy
        try:
            self._local.user, self._local.tables = user, dict(self.database.published)
            self._local.forked_users = set()
            yield
            self.database.published = self._local.tables
        finally:
            self._local.user = self._local.tables = None
            self.database.write_lock.release()

    @contextmanager
    def write(self, user: str, *, creates_user: bool = True) -> Iterator[UserTables]:
        """
        Yield the tables of a user for writing, in the current transaction or in one of their own.

        Without `creates_user`, what is written for an unknown user is discarded.
        """
        with self.transaction(user):
            tables: dict[str, UserTables] = self._local.tables
            if user not in tables and creates_user:
                tables[user] = UserTables(no=self.new_number())
                self._local.forked_users.add(user)
            elif user in tables and user not in self._local.forked_users:
                tables[user] = tables[user].fork()
                self._local.forked_users.add(user)
            yield tables.get(user) or UserTables()

    def delete_user(self, user: str) -> None:
        with self.transaction(user):
            del self._local.tables[user]

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Show all reads of this thread in the block the same state, except for those inside a transaction."""
        outer: Mapping[str, UserTables] | None = getattr(self._local, "snapshot", None)
        self._local.snapshot = self.database.published if outer is None else outer
        try:
            yield
        finally:
            self._local.snapshot = outer

    def _visible(self) -> Mapping[str, UserTables]:
        for name in ("tables", "snapshot"):
            tables: Mapping[str, UserTables] | None = getattr(self._local, name, None)
            if tables is not None:
                return tables
        return self.database.published


def _refuse_other_user(user: str, outer: str) -> None:
    if outer not in {user, SYSTEM_USER}:
        raise StoreError(
            f"Data of user {user!r} was written inside a transaction of {outer!r}, which does not exclude other writers"
            " of that user. End the outer transaction first."
        )
