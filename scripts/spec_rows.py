"""Report the requirements of docs/specification.md without a passing test.

Standard input is a JSON list of requirement ids, as `pytest --spec-report FILE` writes it. `--json` prints one object:
`rows` is their number, `covered` how many have a passing test, `process` those that cannot be tested, `missing` those
without a passing test, `unknown` ids that tests name but the page does not list.
"""

import json
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

SPECIFICATION = Path(__file__).resolve().parent.parent / "docs" / "specification.md"
PROCESS_MARKER = "(process, no test)"
IDS_PER_LINE = 16

_ROW = re.compile(r"^\| (?P<id>[A-Z]+-?\d+) \| (?P<text>.*?) \|", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    id: str
    text: str

    @property
    def is_process(self) -> bool:
        """Whether it concerns people or rollout, so that a document covers it instead of a test."""
        return PROCESS_MARKER in self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    rows: int
    covered: int
    process: list[str]
    missing: list[str]
    unknown: list[str]


def read_requirements(page: str) -> list[Requirement]:
    """Return the requirements of the page's tables, in order."""
    return [Requirement(id=row["id"], text=row["text"]) for row in _ROW.finditer(page)]


def measure_coverage(requirements: Sequence[Requirement], shown: Collection[str]) -> Coverage:
    testable = [each.id for each in requirements if not each.is_process]
    return Coverage(
        rows=len(requirements),
        covered=sum(each in shown for each in testable),
        process=[each.id for each in requirements if each.is_process],
        missing=[each for each in testable if each not in shown],
        unknown=sorted(set(shown) - {each.id for each in requirements}),
    )


def main() -> None:
    requirements = read_requirements(SPECIFICATION.read_text("utf-8"))
    coverage = measure_coverage(requirements, json.load(sys.stdin))
    if "--json" in sys.argv[1:]:
        fields = ("rows", "covered", "process", "missing", "unknown")
        print(json.dumps({name: getattr(coverage, name) for name in fields}))
        return
    print(f"{coverage.covered} of {coverage.rows} requirements have a passing test.")
    _print_ids("About process, covered by docs/rollout.md", coverage.process)
    _print_ids("Without a passing test", coverage.missing)
    _print_ids("Named by tests but not in docs/specification.md", coverage.unknown)


def _print_ids(label: str, ids: Sequence[str]) -> None:
    print(f"{label}: {len(ids)}")
    for start in range(0, len(ids), IDS_PER_LINE):
        print("  " + " ".join(ids[start : start + IDS_PER_LINE]))


if __name__ == "__main__":
    main()
