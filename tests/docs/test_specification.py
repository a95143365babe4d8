"""The specification and the tests that refer to it agree on the ids of the requirements."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from scripts.spec_rows import Requirement, read_requirements
from tests.docs.pages import ROOT, read_page

ID_PATTERN = re.compile(r"[A-Z]+-?\d+")
SPECIFICATION_PAGE = ROOT / "docs" / "specification.md"


def marked_ids(source: str) -> Iterator[str]:
    """
    Yield the ids that a test module names in `pytest.mark.spec(...)`.

    Where a module takes them from a table (`pytest.mark.spec(*ids)`), every string that looks like an id counts.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.spec":
            for argument in node.args:
                if isinstance(argument, ast.Starred):
                    yield from _strings_like_ids(tree)
                else:
                    yield ast.literal_eval(argument)


def _strings_like_ids(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and ID_PATTERN.fullmatch(node.value)
        ):
            yield node.value


def ids_in_tests() -> set[str]:
    return {each for path in (ROOT / "tests").rglob("*.py") for each in marked_ids(read_page(path))}


def repeated_ids(requirements: list[Requirement]) -> list[str]:
    return [each for each, count in Counter(each.id for each in requirements).items() if count > 1]


def test_no_requirement_is_listed_twice() -> None:
    requirements = read_requirements(read_page(SPECIFICATION_PAGE))

    assert len(requirements) > 300
    assert repeated_ids(requirements) == []


def test_tests_name_only_requirements_of_the_specification() -> None:
    known = {each.id for each in read_requirements(read_page(SPECIFICATION_PAGE))}

    assert ids_in_tests() - known == set()


def test_every_requirement_is_named_by_a_test_or_marked_as_process() -> None:
    requirements = read_requirements(read_page(SPECIFICATION_PAGE))
    process = {each.id for each in requirements if each.is_process}
    testable = {each.id for each in requirements} - process
    in_tests = ids_in_tests()

    assert testable - in_tests == set()
    assert process & in_tests == set()


def test_every_row_of_the_specification_is_complete() -> None:
    rows = [
        line
        for line in read_page(SPECIFICATION_PAGE).splitlines()
        if line.startswith("| ") and "| id |" not in line
    ]
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]

    assert [row for row, row_cells in zip(rows, cells, strict=True) if len(row_cells) != 4] == []
    assert [row for row, row_cells in zip(rows, cells, strict=True) if not all(row_cells)] == []
    assert len(rows) == len(read_requirements(read_page(SPECIFICATION_PAGE)))


def test_a_repeated_id_is_noticed() -> None:
    page = "| K3 | one | all | measured |\n| TR-1 | two | all | measured |\n| K3 | three | all | measured |\n"

    assert repeated_ids(read_requirements(page)) == ["K3"]


def test_ids_are_read_from_a_table_of_parameters() -> None:
    source = (
        "import pytest\n"
        'ROWS = [("alpha", ("K3",)), ("beta", ("TR-99",))]\n'
        '@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.spec(*ids)) for n, ids in ROWS])\n'
        "def test_weight(name): ...\n"
    )

    assert set(marked_ids(source)) == {"K3", "TR-99"}


def test_ids_are_read_from_decorators_and_module_marks() -> None:
    source = (
        "import pytest\n"
        'pytestmark = pytest.mark.spec("A1")\n'
        '@pytest.mark.spec("K3", "TR-99")\n'
        "def test_ranking(): ...\n"
    )

    assert set(marked_ids(source)) == {"A1", "K3", "TR-99"}
