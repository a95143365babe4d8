"""Schema migrations: numbered SQL files, applied in order and recorded in one transaction, under an advisory lock."""

import re
from collections.abc import Sequence
from importlib import resources

from recollect.adapters.postgres.postings import post_passages
from recollect.adapters.postgres.rows import Connection, execute, fetch, fetch_number, fetch_one
from recollect.errors import NewerStore, NotAStore, OutdatedStore

#: Advisory lock of migrations: one process migrates, the others wait for it.
MIGRATION_LOCK = 0x5243_4C54_0000_0002
#: Wait for the locks that a migration needs. Beyond it, the migration fails rather than stop all traffic.
LOCK_SECONDS = 10
#: pgvector before this release may corrupt an HNSW index during VACUUM.
MIN_PGVECTOR = (0, 8, 0)
CREATE_MIGRATIONS = """
    CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL)
"""
SELECT_USERS = "/* all users: checks and repair go through them */ SELECT user_id FROM users"
SELECT_VERSION = "SELECT max(number) FROM migrations"
#: Number of partitions that `recollect init` has given the tables of user data.
COUNT_PARTITIONS = "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('messages')"
#: A table of user data in a migration: its key begins with the user.
USER_TABLE = re.compile(r"CREATE TABLE (\w+) \(\n    user_id .*?\n\);", re.DOTALL)
#: Workers lease jobs of any user, which one table on one node does best.
UNDISTRIBUTED_TABLES = frozenset({"jobs"})


def list_migrations() -> list[tuple[int, str, str]]:
    """Return number, name and SQL of every migration, in order."""
    folder = resources.files("recollect.adapters.postgres") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), name[5:-4], (folder / name).read_text("utf-8")) for name in names]


def read_version(connection: Connection) -> int:
    """Return the number of the last migration that was applied; 0 in an empty database."""
    row = fetch_one(connection, "SELECT to_regclass('migrations')")
    return 0 if row is None or row[0] is None else fetch_number(connection, SELECT_VERSION)


def open_schema(connection: Connection, location: str, *, migrates: bool = True) -> None:
    """Migrate the database to the newest schema, or raise NewerStore or OutdatedStore."""
    newest, version = list_migrations()[-1][0], check_not_newer(connection, location)
    if version < newest:
        if not migrates:
            raise OutdatedStore(
                f"{location} has schema {version}, and this version of recollect needs {newest}. Run `recollect"
                " migrate` first."
            )
        migrate(connection, location)


def check_not_newer(connection: Connection, location: str) -> int:
    """Return the number of the last migration that was applied, or raise NewerStore."""
    newest, version = list_migrations()[-1][0], read_version(connection)
    if version > newest:
        raise NewerStore(
            f"{NewerStore.__doc__} ({location} has schema {version}, this version of recollect supports up to {newest})"
        )
    return version


def list_user_tables() -> list[str]:
    """Return the tables that are distributed by user, each after those that it refers to."""
    names = (name for _, _, sql in list_migrations() for name in USER_TABLE.findall(sql))
    return [name for name in names if name not in UNDISTRIBUTED_TABLES]


def add_partitions(sql: str, count: int) -> str:
    """Return a migration whose tables of user data have hash partitions by user."""

    def partition(match: re.Match[str]) -> str:
        name = match[1]
        if name in UNDISTRIBUTED_TABLES:
            return match[0]
        partitions = [
            f"CREATE TABLE {name}_p{number} PARTITION OF {name}"
            f" FOR VALUES WITH (MODULUS {count}, REMAINDER {number});"
            for number in range(count)
        ]
        return "\n".join([match[0].removesuffix(";") + " PARTITION BY HASH (user_id);", *partitions])

    return USER_TABLE.sub(partition, sql)


def pending_migrations(connection: Connection) -> list[tuple[int, str, str]]:
    version = read_version(connection)
    return [migration for migration in list_migrations() if migration[0] > version]


def migrate(connection: Connection, location: str, *, partitions: int = 0) -> list[str]:
    """Apply the pending migrations in one transaction; return their names. `partitions` is for an empty database."""
    with connection.transaction():
        execute(connection, f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
        execute(connection, f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        # Another process may have migrated while we waited for the lock.
        pending = pending_migrations(connection)
        if pending and pending[0][0] == 1:
            _prepare_database(connection, location)
        count = partitions or fetch_number(connection, COUNT_PARTITIONS)
        for number, name, sql in pending:
            connection.execute(add_partitions(sql, count) if count else sql)
            execute(connection, "INSERT INTO migrations (number, name) VALUES ($1, $2)", (number, name))
        _distribute_new_tables(connection, [sql for _, _, sql in pending])
        _post_passages(connection)
    return [name for _, name, _ in pending]


def _distribute_new_tables(connection: Connection, migrations: Sequence[str]) -> None:
    """Distribute the tables that these migrations create, if those of earlier ones are distributed."""
    if fetch_one(connection, "SELECT to_regclass('pg_dist_partition')") == (None,):
        return
    if fetch_number(
        connection, "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'messages'::regclass"
    ):
        for sql in migrations:
            for table in USER_TABLE.findall(sql):
                execute(
                    connection,
                    f"SELECT create_distributed_table('{table}', 'user_id', colocate_with => 'messages')",
                )


def _post_passages(connection: Connection) -> None:
    """Post what an earlier version has indexed, so that no search reads the arrays of all passages."""
    execute(connection, "SET LOCAL recollect.all_users = 'on'")
    for (user,) in fetch(connection, SELECT_USERS):
        while post_passages(connection, user):
            pass


def _prepare_database(connection: Connection, location: str) -> None:
    tables = fetch_number(
        connection,
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'messages'",
    )
    if tables:
        raise NotAStore(
            f"{location} has a table `messages` of another program. Give recollect a database or schema of its own."
        )
    if not fetch_number(connection, "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"):
        execute(connection, "CREATE EXTENSION vector")
    version = fetch_one(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if version is None or tuple(map(int, str(version[0]).split("."))) < MIN_PGVECTOR:
        raise NotAStore(
            f"{location} needs pgvector {'.'.join(map(str, MIN_PGVECTOR))} or later. Upgrade it, then run ALTER"
            " EXTENSION vector UPDATE."
        )
    execute(connection, CREATE_MIGRATIONS)
