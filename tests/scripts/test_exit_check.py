"""Scripts without `close()` exit cleanly in every scenario."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from scripts.exit_check import SCENARIOS, run_scenario

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="some of the scripts fork")


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_script_without_close_exits_cleanly(name: str) -> None:
    with ThreadPoolExecutor() as pool:
        faults = list(pool.map(run_scenario, [SCENARIOS[name]] * 2))

    assert faults == [None, None]
