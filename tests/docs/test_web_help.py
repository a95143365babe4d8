"""Every setting is explained in each language of the web app."""

import re
from pathlib import Path

from recollect.settings import describe

HELP = Path(__file__).parents[2] / "web/src/pages/settings/help.pt.ts"
ENTRY = re.compile(r'^  "?([a-z_.]+)"?:', re.MULTILINE)


def test_every_setting_is_explained_in_portuguese_and_nothing_else() -> None:
    explained = ENTRY.findall(HELP.read_text("utf-8"))

    assert sorted(explained) == sorted(row.name for row in describe())
