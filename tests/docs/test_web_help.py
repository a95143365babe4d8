"""Every setting is explained in each language of the web app."""

import re
from pathlib import Path

from recollect.settings import list_specs

HELP_FILE = Path(__file__).parents[2] / "web/src/pages/settings/help.pt.ts"
ENTRY_PATTERN = re.compile(r'^  "?([a-z_.]+)"?:', re.MULTILINE)


def test_every_setting_is_explained_in_portuguese_and_nothing_else() -> None:
    explained = ENTRY_PATTERN.findall(HELP_FILE.read_text("utf-8"))

    assert sorted(explained) == sorted(row.name for row in list_specs())
