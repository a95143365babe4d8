"""`python -m evals.extraction`: precision and recall of the rule-based extractor."""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.extraction.score import ExtractionCounts, LabelledFact, count_matches
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

OWN_LINES_FILE = Path(__file__).with_name("lines.jsonl")
#: Held-out lines, written before the last change of the rules and never inspected since.
FRESH_LINES_FILE = Path(__file__).with_name("fresh.jsonl")

#: Timestamp of all lines, a Saturday.
MESSAGE_TIME = datetime(2026, 3, 14, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLine:
    id: str
    text: str
    facts: tuple[LabelledFact, ...]
    split: str = "all"


def read_own_lines(path: Path) -> Iterator[LabelledLine]:
    for row in _read_rows(path):
        facts = tuple(LabelledFact(kind=fact["kind"], text=fact["text"]) for fact in row["facts"])
        yield LabelledLine(id=row["id"], text=row["text"], facts=facts, split=row["split"])


def read_public_lines(path: Path) -> Iterator[LabelledLine]:
    """Read texts from a file, and the human labels from `NAME.labels.jsonl` beside it."""
    labels = {row["id"]: row["memories"] for row in _read_rows(path.with_suffix(".labels.jsonl"))}
    for row in _read_rows(path):
        facts = tuple(
            LabelledFact(kind=memory["type"], text=memory["content"]) for memory in labels[row["id"]]
        )
        yield LabelledLine(id=row["id"], text=row["text"], facts=facts)


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def predict_facts(line: LabelledLine) -> list[LabelledFact]:
    extraction = extract_by_rules(line.text, role=Role.USER, sent_at=MESSAGE_TIME)
    return [LabelledFact(kind=str(fact.kind), text=fact.text) for fact in extraction.facts]


def measure(lines: Iterable[LabelledLine], *, kinds: bool) -> ExtractionCounts:
    return sum(
        (count_matches(predict_facts(line), line.facts, kinds=kinds) for line in lines), ExtractionCounts()
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.extraction", description=__doc__)
    parser.add_argument(
        "--split", choices=["dev", "held", "all"], default="all", help="split of our own lines"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=OWN_LINES_FILE,
        help="lines to evaluate, in our format or with a labels file",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    has_labels_file = arguments.data.with_suffix(".labels.jsonl").exists()
    lines = list(read_public_lines(arguments.data) if has_labels_file else read_own_lines(arguments.data))
    selected_lines = [
        line for line in lines if arguments.split == "all" or has_labels_file or line.split == arguments.split
    ]
    # Other data sets have other kinds, so only the texts are compared.
    figures = measure(selected_lines, kinds=not has_labels_file).figures()
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:15} {value}")


if __name__ == "__main__":
    main()
