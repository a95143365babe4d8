"""Create and migrate the schema of a SQLite file."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.errors import translate_errors
from recollect.adapters.sqlite.schema import check_version, list_migrations
from recollect.errors import InvalidInput, Refused


class SqliteSetup:
    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def location(self) -> str:
        return str(self._path)

    def pending(self) -> Sequence[str]:
        return [name for number, name, _ in list_migrations() if number > self._version()]

    def migrate(self) -> Sequence[str]:
        pending = self.pending()
        # Opening a file migrates it.
        Database(self._path).close()
        return pending

    def create(self, *, partitions: int, distributed: bool) -> None:
        if partitions or distributed:
            raise InvalidInput(
                "A file has no partitions and is on one machine. Set `db` to a PostgreSQL URL."
            )
        if self._version():
            raise Refused(f"{self._path} has a schema already. `recollect migrate` brings it up to date.")
        Database(self._path).close()

    def _version(self) -> int:
        if not self._path.exists() or not self._path.stat().st_size:
            return 0
        with translate_errors(str(self._path)):
            connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
            with closing(connection):
                return check_version(connection, self._path)
