"""Stories see no setting of whoever runs the tests."""

import os
from pathlib import Path

import pytest

from recollect.settings import TEST_PREFIX


def isolate_settings(environment: pytest.MonkeyPatch, folder: Path) -> None:
    for name in os.environ:
        if name.startswith(("RECOLLECT_", "RAG_")) and not name.startswith(TEST_PREFIX):
            environment.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        environment.setenv(name, str(folder))
