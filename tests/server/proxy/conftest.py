from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.proxy.live_proxy import LiveProxy, run_proxy


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[LiveProxy]:
    with run_proxy(tmp_path) as running:
        yield running
