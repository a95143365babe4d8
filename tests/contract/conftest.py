"""Every store runs the same contract tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.statements import RecordingCursor, find_violations
from tests.contract.stores import STORE_FACTORIES, OpenStore, open_stores

from recollect.ports.store import IndexMaintenance, Store
from recollect.testing.clock import FrozenClock


@pytest.fixture(params=STORE_FACTORIES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    with open_stores(request.param, tmp_path) as open_database:
        RecordingCursor.statements.clear()
        yield open_database
        violations = find_violations(RecordingCursor.statements)
    assert not violations, "\n".join(violations)


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture
def indexes(store: Store) -> IndexMaintenance:
    if store.indexes is None:
        pytest.skip("this store keeps no indexes that could be repaired")
    return store.indexes


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()
