"""Hypothesis profiles, the network guard, and the report of requirements that passing tests show."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the duration of an example depends on the machine's load. Derandomized, so that a commit passes or fails
# everywhere alike; `--hypothesis-profile searching` looks for new examples.
settings.register_profile("recollect", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None, max_examples=1_000)
settings.load_profile("recollect")

# Shells start background processes, and thereby their children, with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_real_connect = socket.socket.connect


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--spec-report", help="file to write the ids of requirements that passing tests show to")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        rows = [row for mark in item.iter_markers("spec") for row in mark.args]
        item.user_properties.extend(("spec", row) for row in rows)


class SpecReport:
    """Writes the requirement ids of tests that passed, without those of tests that failed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._passed: set[str] = set()
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        rows = {str(value) for name, value in report.user_properties if name == "spec"}
        if report.failed:
            self._failed |= rows
        elif report.when == "call" and report.passed:
            self._passed |= rows

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps(sorted(self._passed - self._failed)), "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--spec-report")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SpecReport(Path(path)))


def _connect_to_loopback(self: socket.socket, address: object) -> None:
    if self.family in {socket.AF_INET, socket.AF_INET6} and isinstance(address, tuple):
        assert address[0] in _LOOPBACK, f"a test tried to reach {address[0]}; only loopback is allowed"
    _real_connect(self, address)  # type: ignore[arg-type]


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    socket.socket.connect = _connect_to_loopback  # type: ignore[method-assign, assignment]
    yield
    socket.socket.connect = _real_connect  # type: ignore[method-assign]
