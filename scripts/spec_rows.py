"""Compare the rows of the specification with those that passing tests show (read from standard input)."""

import json
import sys
from pathlib import Path

ROWS = Path(__file__).resolve().parent.parent / "tests" / "spec_rows.txt"


def main() -> None:
    rows = ROWS.read_text("utf-8").split()
    shown = set(json.load(sys.stdin))
    missing = [row for row in rows if row not in shown]
    answer = {"rows": len(rows), "covered": len(rows) - len(missing), "missing": missing}
    if "--json" in sys.argv[1:]:
        print(json.dumps(answer))
        return
    print(f"{answer['covered']} of {answer['rows']} rows have a passing test; {len(missing)} have none yet:")
    for start in range(0, len(missing), 16):
        print("  " + " ".join(missing[start : start + 16]))
    if unknown := sorted(shown - set(rows)):
        print("Marked in tests but not in the specification: " + " ".join(unknown))


main()
