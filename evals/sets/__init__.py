"""Our own data sets, one JSON object per line; half of each is held out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SETS_FOLDER = Path(__file__).parent
DISTRACTORS_FILE = SETS_FOLDER / "distractors.jsonl"
IDENTIFIERS_FILE = SETS_FOLDER / "identifiers.jsonl"
PARAPHRASE_FILE = SETS_FOLDER / "paraphrase.jsonl"


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())
