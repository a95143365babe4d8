"""A PostgreSQL database for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres_server import create_database, database_name, release_database

from recollect.adapters.postgres.store import PostgresStore


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    name = database_name(tmp_path)
    yield create_database(name)
    release_database(name)


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    yield store
    store.close()
