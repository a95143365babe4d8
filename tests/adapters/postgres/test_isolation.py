"""Row-level security holds when a statement forgets its user."""

import psycopg
import pytest

from recollect.adapters.postgres.store import PostgresStore
from recollect.testing.builders import ANA, a_memory, a_message

#: Tables that belong to no user.
TABLES_WITHOUT_POLICY = {
    "access_tokens", "idempotency_keys", "login_codes", "migrations", "rate_limits", "schedules",
    "sessions",
}  # fmt: skip


def fill(store: PostgresStore) -> None:
    for user in (ANA, "bruno"):
        store.messages.add(a_message(f"Secret of {user}", user=user), ())
        store.memories.add(a_memory(f"has a secret, {user}", user=user))


def read_as(url: str, user: str | None, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        if user is not None:
            connection.execute(f"SET LOCAL recollect.user_id = '{user}'")
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    "table", ["messages", "memories", "memory_versions", "chats", "users", "embedding_queue"]
)
def test_a_statement_without_its_user_reads_only_rows_of_the_transactions_user(
    store: PostgresStore, url: str, table: str
) -> None:
    fill(store)

    assert read_as(url, ANA, f"SELECT DISTINCT user_id FROM {table}") == [(ANA,)]
    assert read_as(url, None, f"SELECT DISTINCT user_id FROM {table}") == []


def test_a_row_of_another_user_cannot_be_written(store: PostgresStore, url: str) -> None:
    fill(store)

    with psycopg.connect(url) as connection:
        connection.execute(f"SET LOCAL recollect.user_id = '{ANA}'")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO preferences (user_id, key, value) VALUES ('bruno', 'a', 'b')")


def test_every_table_of_user_data_has_a_policy(store: PostgresStore, url: str) -> None:
    rows = read_as(
        url,
        None,
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        " AND NOT (relrowsecurity AND relforcerowsecurity)",
    )

    assert {name for (name,) in rows} - {"test_databases"} == TABLES_WITHOUT_POLICY
