from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.live_server import Served, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx2.Client]:
    with server.client() as opened:
        yield opened
