"""Migrations, and what Citus requires of the schema."""

import threading

import psycopg
import pytest
from tests.postgres_server import create_empty_database, drop_database

from recollect.adapters.postgres.postings import analyze
from recollect.adapters.postgres.schema import CREATE_MIGRATIONS, list_migrations
from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import Scope
from recollect.errors import NewerStore, NotAStore
from recollect.testing.builders import a_message

#: On Citus these are not distributed.
COORDINATOR_TABLES = (
    "access_tokens", "idempotency_keys", "login_codes", "migrations", "rate_limits", "schedules", "sessions",
)  # fmt: skip
SELECT_KEYS = """
    SELECT c.relname || ' ' || i.relname FROM pg_index x
        JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
    WHERE x.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT c.relname = ANY(%s)
        AND a.attname <> 'user_id'
"""
SELECT_FOREIGN_KEYS = """
    SELECT f.conname, f.confdeltype FROM pg_constraint f
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
        JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = f.confkey[1]
    WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace
        AND (a.attname <> 'user_id' OR b.attname <> 'user_id' OR f.confdeltype NOT IN ('a', 'c'))
"""


def fetch(url: str, sql: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(sql, values).fetchall()


def test_every_unique_key_of_user_data_begins_with_the_user(store: PostgresStore, url: str) -> None:
    assert fetch(url, SELECT_KEYS, list(COORDINATOR_TABLES)) == []


def test_every_foreign_key_begins_with_the_user_and_cascades_or_refuses(
    store: PostgresStore, url: str
) -> None:
    assert fetch(url, SELECT_FOREIGN_KEYS) == []


def test_the_schema_has_no_triggers_of_its_own(store: PostgresStore, url: str) -> None:
    assert fetch(url, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal") == []


def test_processes_that_open_an_empty_database_at_once_migrate_it_once() -> None:
    url = create_empty_database("test_migrations")
    errors: list[Exception] = []

    def open_store() -> None:
        try:
            PostgresStore(url).close()
        except Exception as error:  # noqa: BLE001 - reported by the test
            errors.append(error)

    threads = [threading.Thread(target=open_store) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    migrations = fetch(url, "SELECT number, name FROM migrations ORDER BY number")
    drop_database("test_migrations")

    assert errors == []
    assert migrations == [(number, name) for number, name, _ in list_migrations()]


def test_passages_of_the_first_release_are_posted() -> None:
    url = create_empty_database("test_first_release")
    message = a_message("Saffron soup")
    length, terms = analyze(message.user, message.content)
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute(CREATE_MIGRATIONS)
        connection.execute(list_migrations()[0][2].encode())
        connection.execute("INSERT INTO migrations VALUES (1, 'create_schema')")
        connection.execute("SET recollect.all_users = 'on'")
        values = {"user": message.user, "chat": message.chat, "id": message.id, "text": message.content}
        connection.execute(
            """
            INSERT INTO users (user_id, created_at) VALUES (%(user)s, 0);
            INSERT INTO chats (user_id, no, id, created_at, updated_at) VALUES (%(user)s, 1, %(chat)s, 0, 0);
            INSERT INTO messages (user_id, no, chat_no, id, role, content, tokens, created_at)
                VALUES (%(user)s, 1, 1, %(id)s, 'user', %(text)s, 2, 0);
            INSERT INTO passages (user_id, no, chat_no, length, terms)
                VALUES (%(user)s, 4, 1, %(length)s, %(terms)s);
            INSERT INTO passage_statistics (user_id, passages, tokens) VALUES (%(user)s, 1, %(length)s);
            INSERT INTO embedding_queue (user_id, passage_no) VALUES (%(user)s, 4);
            """,
            {**values, "length": length, "terms": terms},
        )
    store = PostgresStore(url)
    hits = store.search.lexical(Scope(message.user), "soup", limit=5, search_filter=SearchFilter())
    with store._database.system_reader() as db:
        posted = db.execute("SELECT is_posted FROM passages").fetchall()
    repaired = store.indexes.repair()
    store.close()
    drop_database("test_first_release")

    assert [hit.passage_id for hit in hits] == [4]
    assert (posted, repaired) == ([(True,)], 0)


def test_a_newer_schema_is_refused() -> None:
    url = create_empty_database("test_newer_schema")
    PostgresStore(url).close()
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO migrations VALUES (9999, 'from_the_future')")

    with pytest.raises(NewerStore, match="9999"):
        PostgresStore(url)
    drop_database("test_newer_schema")


def test_a_database_of_another_program_is_refused_and_not_changed() -> None:
    url = create_empty_database("test_other_program")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE messages (subject text)")

    with pytest.raises(NotAStore, match="messages"):
        PostgresStore(url)
    tables = fetch(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    drop_database("test_other_program")

    assert tables == [("messages",)]


def test_a_message_is_stored_without_prepared_statements(url: str) -> None:
    store = PostgresStore(url, prepares=False)
    messages = [store.messages.add(a_message(f"Message {number}"), ())[0] for number in range(8)]
    with store._database.system_reader() as connection:
        [(prepared,)] = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchall()
    store.close()

    assert (len(messages), prepared) == (8, 0)
