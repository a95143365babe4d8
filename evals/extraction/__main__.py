"""`python -m evals.extraction`: precision and recall of the judge that works by rules."""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.extraction.score import Kept, Tally, tally
from recollect.domain.message import Role
from recollect.extraction.rules.classifier import judge

LINES = Path(__file__).with_name("lines.jsonl")
#: Written before the rules were last changed, and never looked at since.
FRESH = Path(__file__).with_name("fresh.jsonl")

#: All lines were said on this Saturday.
SAID_AT = datetime(2026, 3, 14, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    id: str
    text: str
    facts: tuple[Kept, ...]
    split: str = "all"


def own_lines(path: Path) -> Iterator[Line]:
    for row in _rows(path):
        facts = tuple(Kept(kind=fact["kind"], text=fact["text"]) for fact in row["facts"])
        yield Line(id=row["id"], text=row["text"], facts=facts, split=row["split"])


def public_lines(path: Path) -> Iterator[Line]:
    """Texts in one file, the memories a person would keep of each in `NAME.labels.jsonl` beside it."""
    labels = {row["id"]: row["memories"] for row in _rows(path.with_suffix(".labels.jsonl"))}
    for row in _rows(path):
        facts = tuple(Kept(kind=memory["type"], text=memory["content"]) for memory in labels[row["id"]])
        yield Line(id=row["id"], text=row["text"], facts=facts)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def predicted(line: Line) -> list[Kept]:
    judgement = judge(line.text, role=Role.USER, said_at=SAID_AT)
    return [Kept(kind=str(fact.kind), text=fact.text) for fact in judgement.facts]


def measure(lines: Iterable[Line], *, kinds: bool) -> Tally:
    return sum((tally(predicted(line), line.facts, kinds=kinds) for line in lines), Tally())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.extraction", description=__doc__)
    parser.add_argument(
        "--split", choices=["dev", "held", "all"], default="all", help="which half of our own lines"
    )
    parser.add_argument(
        "--data", type=Path, default=LINES, help="lines to judge, in our format or with a labels file"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    public = arguments.data.with_suffix(".labels.jsonl").exists()
    lines = list(public_lines(arguments.data) if public else own_lines(arguments.data))
    chosen = [line for line in lines if arguments.split == "all" or public or line.split == arguments.split]
    # Others name their kinds in their own way, so that only the words are compared.
    figures = measure(chosen, kinds=not public).figures()
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:15} {value}")


if __name__ == "__main__":
    main()
