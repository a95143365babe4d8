"""Every store runs the same contract tests; add new stores to STORES."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from recollect.adapters.sqlite.store import SqliteStore
from recollect.ports.store import Store
from recollect.testing.clock import FrozenClock

#: Opens the database in a test's folder; opening it twice gives the same database.
STORE_FACTORIES: Mapping[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "memory.db"),
}


@pytest.fixture(params=STORE_FACTORIES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    opened: list[Store] = []

    def open_database() -> Store:
        opened.append(STORE_FACTORIES[request.param](tmp_path))
        return opened[-1]

    yield open_database
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    return open_store()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()
