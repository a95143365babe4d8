"""The stores that run the contract tests. Add a new store here."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.contract.statements import RecordingCursor
from tests.postgres_server import create_database, database_name, release_database

from recollect.adapters.postgres.store import PostgresStore
from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store
from recollect.testing.in_memory.database import Database
from recollect.testing.in_memory.store import InMemoryStore

_databases: dict[Path, Database] = defaultdict(Database)

#: Opens the database in a test's folder; opening it twice gives the same database.
STORE_FACTORIES: Mapping[str, Callable[[Path], Store]] = {
    "memory": lambda folder: InMemoryStore(_databases[folder]),
    "sqlite": lambda folder: SqliteStore(folder / "memory.db"),
    "postgres": lambda folder: PostgresStore(
        create_database(database_name(folder)), cursor_class=RecordingCursor
    ),
}
#: Stores that several processes can open.
SHARED_STORES = ("sqlite", "postgres")


class OpenStore(Protocol):
    def __call__(self, name: str = "") -> Store:
        """Open the database of a test, or one of its databases by name; opening it twice gives the same database."""


@contextmanager
def open_stores(kind: str, folder: Path) -> Iterator[OpenStore]:
    """Yield a function that opens databases of one kind below a folder. They are discarded in the end."""
    opened: list[Store] = []
    folders: set[Path] = set()

    def open_store(name: str = "") -> Store:
        place = folder / name
        place.mkdir(exist_ok=True)
        folders.add(place)
        opened.append(STORE_FACTORIES[kind](place))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()
    for place in folders:
        discard_store(kind, place)


def discard_store(name: str, folder: Path) -> None:
    """Free what a closed store of a test's folder leaves outside of it."""
    if name == "postgres":
        release_database(database_name(folder))
    elif name == "memory":
        _databases.pop(folder, None)
