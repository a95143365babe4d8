"""A separate database file for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.adapters.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    store.close()
