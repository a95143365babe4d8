from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.proxy.live_proxy import Bench, bench


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as running:
        yield running
