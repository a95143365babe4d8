"""The stores that run the contract tests. Add a new store here."""

from collections.abc import Callable, Mapping
from pathlib import Path

from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store

#: Opens the database in a test's folder; opening it twice gives the same database.
STORE_FACTORIES: Mapping[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "memory.db"),
}
