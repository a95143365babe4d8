"""Our own sets, one JSON object a line; half of each is held out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DISTRACTORS = HERE / "distractors.jsonl"
IDENTIFIERS = HERE / "identifiers.jsonl"
PARAPHRASE = HERE / "paraphrase.jsonl"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())
