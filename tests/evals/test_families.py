"""Sibling messages are nearly the same and never contain the queried identifier."""

import pytest
from evals.identifier_siblings import make_siblings, shared_names
from evals.sets import IDENTIFIERS_FILE, read_rows

QUESTION_ROWS = [row for row in read_rows(IDENTIFIERS_FILE) if row["questions"]]


def test_identifiers_are_distinguished_from_words() -> None:
    message = "Pass `--skip-migrations`: ORA-00942 in `billing/sync.py` after 2.7.1, as `OrderIn` says."
    question = "Why do --skip-migrations, ORA-00942, billing/sync.py, 2.7.1 and OrderIn matter after all?"

    assert shared_names(question, message) == [
        "--skip-migrations",
        "ORA-00942",
        "billing/sync.py",
        "2.7.1",
        "OrderIn",
    ]


@pytest.mark.parametrize("row", QUESTION_ROWS, ids=lambda row: row["id"])
def test_a_sibling_has_none_of_the_queried_identifiers(row: dict[str, object]) -> None:
    message, questions = str(row["message"]), [str(each) for each in row["questions"]]  # type: ignore[attr-defined]
    siblings = list(make_siblings(message, questions, 5))

    assert len(set(siblings)) == len(siblings)
    for question in questions:
        for name in shared_names(question, message):
            assert all(name not in sibling for sibling in siblings)


def test_a_question_without_identifier_has_no_sibling() -> None:
    assert (
        list(make_siblings("`ffmpeg` made `out.mp4` too large", ["What is in out.mp4?", "How large?"], 5))
        == []
    )
