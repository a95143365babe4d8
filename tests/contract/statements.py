"""
The rules for SQL that a Citus cluster and row-level security require, checked on every statement of the contract tests.

A statement names its user as a parameter, once for each table of user data. Work over all users says so in a comment,
which `ALL_USERS` lists. Statements of coordinator tables have no user.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

#: Work over the rows of all users, as the statements' comments name it.
ALL_USERS = {
    "a worker takes the next job of any user",
    "checks and repair go through them",
    "progress of the queue",
    "retention of receipts",
    "retry after the cause was removed",
    "tests and shutdown flush the queue",
    "their list",
    "when a worker wakes",
}
#: Tables that belong to no user, and the server's own.
OTHER_TABLES = re.compile(
    r"\b(access_tokens|idempotency_keys|login_codes|migrations|rate_limits|schedules|sessions|pg_\w+)\b"
)
#: Settings and transactions: the first word of statements without rows.
CONTROL = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK|NOTIFY|SHOW|VACUUM|SAVEPOINT|RELEASE)\b")
COMMENT = re.compile(r"\s*/\* all users: (.*?) \*/")
USER_PARAMETER = re.compile(r"\buser_id = \$(\d+)")
INSERTED_USER = re.compile(r"\(\s*user_id\b")
JOINED_TABLE = re.compile(
    r"\bJOIN (?!LATERAL\b|unnest\b|model\b|last\b|totals\b)(\w+)(?: (\w+))? ON (\w+)\.(\w+)"
)
FORBIDDEN = {
    "a volatile function in an upsert": re.compile(
        r"DO UPDATE SET[^;]*\b(now|random|clock_timestamp)\(", re.DOTALL
    ),
    "set_config, which Citus does not pass on": re.compile(r"\bset_config\("),
    "a setting of the session, which leaks through a pool": re.compile(r"(^|;)\s*SET (?!LOCAL\b)"),
    "an advisory lock of the session": re.compile(r"pg_advisory_lock\("),
    "a user that is not a parameter": re.compile(r"user_id = current_setting"),
}


class RecordingCursor(psycopg.RawCursor[Any]):
    """A cursor that remembers the statements it sends."""

    statements: list[tuple[str, Sequence[object]]] = []  # noqa: RUF012 - shared by all cursors, on purpose

    def execute(self, query: Any, params: Any = None, **options: Any) -> "RecordingCursor":  # noqa: ANN401 - psycopg's own signature
        self.statements.append((str(query), params or ()))
        super().execute(query, params, **options)
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:  # noqa: ANN401 - the same
        rows = list(params_seq)
        self.statements += [(str(query), row) for row in rows]
        super().executemany(query, rows, returning=returning)


def find_violations(statements: Iterable[tuple[str, Sequence[object]]]) -> list[str]:
    """Return what is wrong with these statements."""
    return [
        f"{problem}: {' '.join(sql.split())}" for sql, values in statements for problem in _check(sql, values)
    ]


def _check(sql: str, values: Sequence[object]) -> Iterable[str]:
    for problem, pattern in FORBIDDEN.items():
        if pattern.search(sql):
            yield problem
    if CONTROL.match(sql):
        return
    comment = COMMENT.match(sql)
    if comment is not None:
        if comment[1] not in ALL_USERS:
            yield "work over all users that is not listed"
        return
    parameters = {int(number) for number in USER_PARAMETER.findall(sql)}
    if not parameters and not INSERTED_USER.search(sql):
        if not OTHER_TABLES.search(sql):
            yield "no user"
        return
    if any(not isinstance(values[number - 1], str) or not values[number - 1] for number in parameters):
        yield "a user that is not passed"
    for table, alias, left, column in JOINED_TABLE.findall(sql):
        if column != "user_id" or left != (alias or table):
            yield f"a join of {table} without the user"
