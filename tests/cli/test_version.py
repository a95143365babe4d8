import platform

import apsw
import pytest
from tests.cli.runner import InProcessCli

from recollect import __version__


def test_all_component_versions_are_shown(cli: InProcessCli) -> None:
    text_result, payload = cli("version"), cli.json("version")

    assert payload == {
        "recollect": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "schema": payload["schema"],
        "embedder": "hashing-256",
    }
    assert int(payload["schema"]) >= 1
    assert __version__ in text_result.stdout


def test_version_creates_no_file(cli: InProcessCli) -> None:
    cli("version")

    assert not cli.db.exists()


def test_without_an_embedder_its_version_is_null(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")

    assert cli.json("version")["embedder"] is None
