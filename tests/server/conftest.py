from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.live_server import LiveServer, run_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with run_server(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: LiveServer) -> Iterator[httpx2.Client]:
    with server.client() as opened:
        yield opened
