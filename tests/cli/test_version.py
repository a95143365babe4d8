import platform

import apsw
import pytest
from tests.cli.runner import InProcessCli

from recollect import __version__


def test_the_versions_of_everything_that_matters_are_shown(cli: InProcessCli) -> None:
    shown, shaped = cli("version"), cli.json("version")

    assert shaped == {
        "recollect": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "schema": shaped["schema"],
        "embedder": "hashing-256",
    }
    assert int(shaped["schema"]) >= 4
    assert __version__ in shown.stdout


def test_asking_for_the_version_makes_no_file(cli: InProcessCli) -> None:
    cli("version")

    assert not cli.db.exists()


def test_without_an_embedder_there_is_none_to_name(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")

    assert cli.json("version")["embedder"] is None
