"""Create and migrate the schema of a PostgreSQL database, with partitions or on Citus if requested."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg

from recollect.adapters.postgres import schema
from recollect.adapters.postgres.connection import CONNECT_SECONDS, describe_url
from recollect.adapters.postgres.errors import translate_errors
from recollect.adapters.postgres.rows import Connection, execute, fetch_one
from recollect.errors import InvalidInput, Refused

MAX_PARTITIONS = 64
#: Partitioned tables have no identity columns before it.
MIN_VERSION_FOR_PARTITIONS = 170000
#: So that a literal SET LOCAL, on which row-level security depends, reaches the workers of a cluster.
PROPAGATE_SETTINGS = "ALTER ROLE CURRENT_USER SET citus.propagate_set_commands = 'local'"


class PostgresSetup:
    def __init__(self, url: str) -> None:
        self._url = url

    def location(self) -> str:
        return describe_url(self._url)

    def pending(self) -> Sequence[str]:
        with self._connect() as connection:
            schema.check_not_newer(connection, self.location())
            return [name for _, name, _ in schema.pending_migrations(connection)]

    def migrate(self) -> Sequence[str]:
        with self._connect() as connection:
            schema.check_not_newer(connection, self.location())
            return schema.migrate(connection, self.location())

    def create(self, *, partitions: int, distributed: bool) -> None:
        if partitions and distributed:
            raise InvalidInput("On Citus the shards are the partitions. Give either --partitions or --citus.")
        if not 0 <= partitions <= MAX_PARTITIONS:
            raise InvalidInput(f"A database has up to {MAX_PARTITIONS} partitions, not {partitions}.")
        with self._connect() as connection:
            if schema.read_version(connection):
                raise Refused(
                    f"{self.location()} has a schema already. `recollect migrate` brings it up to date."
                )
            if partitions and connection.info.server_version < MIN_VERSION_FOR_PARTITIONS:
                raise Refused("Partitions need PostgreSQL 17 or later.")
            if distributed and fetch_one(connection, "SELECT to_regproc('create_distributed_table')") == (
                None,
            ):
                raise Refused(
                    f"{self.location()} has no Citus. Run CREATE EXTENSION citus on the coordinator first."
                )
            if distributed:
                _propagate_settings(connection)
            schema.migrate(connection, self.location(), partitions=partitions)
            if distributed:
                _distribute(connection)

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with (
            translate_errors(self.location()),
            psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                cursor_factory=psycopg.RawCursor,
                prepare_threshold=None,
            ) as connection,
        ):
            yield connection


def _propagate_settings(connection: Connection) -> None:
    if fetch_one(connection, "SELECT current_setting('citus.propagate_set_commands', true)") != ("local",):
        execute(connection, PROPAGATE_SETTINGS)


def _distribute(connection: Connection) -> None:
    """Distribute the tables of user data by user, colocated. Those they refer to come first."""
    first, *others = schema.list_user_tables()
    execute(connection, f"SELECT create_distributed_table('{first}', 'user_id')")
    for table in others:
        execute(
            connection,
            f"SELECT create_distributed_table('{table}', 'user_id', colocate_with => '{first}')",
        )
