import os
from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli

from recollect.adapters.sqlite.store import SqliteStore
from recollect.settings import TEST_PREFIX


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the settings of the machine, and use the fast hashing embedder."""
    for name in os.environ:
        if name.startswith(("RECOLLECT_", "RAG_")) and not name.startswith(TEST_PREFIX):
            monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cli(tmp_path: Path) -> InProcessCli:
    """Return a command line with an empty memory file; commands that only read create none."""
    command_line = InProcessCli(tmp_path)
    SqliteStore(command_line.db).close()
    return command_line
