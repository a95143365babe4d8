"""What is said of siblings: nearly the same, and never the name that a question asks for."""

import pytest
from evals.identifier_siblings import named, siblings
from evals.sets import IDENTIFIERS, rows

ASKED = [row for row in rows(IDENTIFIERS) if row["questions"]]


def test_names_of_code_are_told_from_words() -> None:
    message = "Pass `--skip-migrations`: ORA-00942 in `billing/sync.py` after 2.7.1, as `OrderIn` says."
    question = "Why do --skip-migrations, ORA-00942, billing/sync.py, 2.7.1 and OrderIn matter after all?"

    assert named(question, message) == [
        "--skip-migrations",
        "ORA-00942",
        "billing/sync.py",
        "2.7.1",
        "OrderIn",
    ]


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row["id"])
def test_a_sibling_has_none_of_the_names_that_are_asked_for(row: dict[str, object]) -> None:
    message, questions = str(row["message"]), [str(each) for each in row["questions"]]  # type: ignore[attr-defined]
    made = list(siblings(message, questions, 5))

    assert len(set(made)) == len(made)
    for question in questions:
        for name in named(question, message):
            assert all(name not in said for said in made)


def test_where_a_question_names_no_code_there_is_no_sibling() -> None:
    assert list(siblings("`ffmpeg` made `out.mp4` too large", ["What is in out.mp4?", "How large?"], 5)) == []
