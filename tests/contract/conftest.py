"""Every store runs the same contract tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contract.stores import STORE_FACTORIES

from recollect.ports.store import IndexMaintenance, Store
from recollect.testing.clock import FrozenClock


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
def indexes(store: Store) -> IndexMaintenance:
    if store.indexes is None:
        pytest.skip("this store keeps no indexes that could be repaired")
    return store.indexes


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()
