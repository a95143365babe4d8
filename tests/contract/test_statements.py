"""The check of SQL finds what it looks for."""

import pytest
from tests.contract.statements import find_violations


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT * FROM messages", "no user"),
        (
            "SELECT 1 FROM messages m JOIN chats c ON c.no = m.chat_no WHERE m.user_id = $1",
            "without the user",
        ),
        ("INSERT INTO t (user_id) VALUES ($1) ON CONFLICT DO UPDATE SET at = now()", "volatile"),
        ("SET statement_timeout = 1", "setting of the session"),
        ("SELECT set_config('a', 'b', true) WHERE user_id = $1", "set_config"),
        ("/* all users: curiosity */ SELECT * FROM messages", "not listed"),
        ("SELECT 1 FROM messages WHERE user_id = $2", "not passed"),
    ],
)
def test_a_statement_against_the_rules_is_found(sql: str, problem: str) -> None:
    assert problem in "\n".join(find_violations([(sql, ("ana", None))]))


def test_a_statement_that_names_its_user_passes() -> None:
    sql = "SELECT 1 FROM messages m JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no WHERE m.user_id = $1"

    assert find_violations([(sql, ("ana",)), ("BEGIN; SET LOCAL recollect.user_id = 'ana'", ())]) == []
