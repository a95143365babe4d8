"""scripts/spec_rows.py compares the specification with the ids of passing tests."""

import json
import subprocess
import sys
from pathlib import Path

from scripts.spec_rows import SPECIFICATION, Coverage, Requirement, measure_coverage, read_requirements

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "spec_rows.py"
REQUIREMENTS = [
    Requirement(id="K3", text="The score is a weighted sum."),
    Requirement(id="TR-1", text="User text is quoted."),
    Requirement(id="Z1", text="There are five phases (process, no test)."),
]


def run_script(covered_ids: list[str], *options: str) -> str:
    done = subprocess.run(
        [sys.executable, SCRIPT, *options],
        input=json.dumps(covered_ids),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_requirements_without_a_passing_test_are_missing() -> None:
    assert measure_coverage(REQUIREMENTS, ["K3"]) == Coverage(
        rows=3, covered=1, process=["Z1"], missing=["TR-1"], unknown=[]
    )


def test_an_id_that_the_page_does_not_list_is_unknown() -> None:
    assert measure_coverage(REQUIREMENTS, ["K3", "TR-1", "Q99"]) == Coverage(
        rows=3, covered=2, process=["Z1"], missing=[], unknown=["Q99"]
    )


def test_the_script_reads_the_ids_from_the_specification() -> None:
    requirements = read_requirements(SPECIFICATION.read_text("utf-8"))
    answer = json.loads(run_script([each.id for each in requirements if each.id != "K3"], "--json"))

    assert answer["rows"] == len(requirements)
    assert answer["missing"] == ["K3"]
    assert answer["process"] == ["Y13", "Z1", "Z2"]
    assert answer["covered"] + len(answer["process"]) + len(answer["missing"]) == answer["rows"]


def test_the_script_prints_the_missing_ids() -> None:
    lines = run_script([]).splitlines()

    assert lines[0].startswith("0 of ")
    assert "Without a passing test: " in "\n".join(lines)
