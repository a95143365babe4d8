"""The stores that run the contract tests. Add a new store here."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store
from recollect.testing.in_memory.database import Database
from recollect.testing.in_memory.store import InMemoryStore

_databases: dict[Path, Database] = defaultdict(Database)

#: Opens the database in a test's folder; opening it twice gives the same database.
STORE_FACTORIES: Mapping[str, Callable[[Path], Store]] = {
    "memory": lambda folder: InMemoryStore(_databases[folder]),
    "sqlite": lambda folder: SqliteStore(folder / "memory.db"),
}
#: Stores that several processes can open.
SHARED_STORES = ("sqlite",)
