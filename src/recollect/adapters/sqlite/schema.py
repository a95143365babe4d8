"""Schema migrations: numbered SQL files, applied in order and recorded in one transaction."""

from importlib import resources
from pathlib import Path

import apsw

from recollect.adapters.sqlite.transaction import transaction
from recollect.errors import NewerStore, NotAStore, OutdatedStore

#: "RCLT": distinguishes Recollect files from other SQLite databases.
APPLICATION_ID = 0x52434C54


def list_migrations() -> list[tuple[int, str, str]]:
    """Return number, name and SQL of every migration, in order."""
    folder = resources.files("recollect.adapters.sqlite") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), name[5:-4], (folder / name).read_text("utf-8")) for name in names]


def check_version(connection: apsw.Connection, path: Path) -> int:
    """
    Return the schema version of the file, without writing.

    Raise NotAStore, OutdatedStore or NewerStore if it is not supported.
    """
    version, migrations = _read_version(connection, path), list_migrations()
    newest = migrations[-1][0]
    if version and _read_first_migration(connection) != migrations[0][1]:
        raise OutdatedStore(
            f"{path} was written by a version of recollect before 0.1, whose tables this version does not read. The"
            " file was not changed. Export it with the version that wrote it (`recollect export`), then import the"
            " export into a new file (`recollect --db NEW_FILE import`)."
        )
    if version > newest:
        raise NewerStore(
            f"{NewerStore.__doc__} ({path} has schema {version}, this version of recollect supports up to {newest})"
        )
    return version


def migrate(connection: apsw.Connection, path: Path) -> None:
    available = list_migrations()
    if check_version(connection, path) >= available[-1][0]:
        return
    with transaction(connection):
        # Another process may have migrated while we waited for the lock.
        version = check_version(connection, path)
        for number, name, sql in available:
            if number > version:
                _apply_migration(connection, number, name, sql)


def _apply_migration(connection: apsw.Connection, number: int, name: str, sql: str) -> None:
    for _ in connection.execute(sql):
        pass
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
    )
    connection.execute("INSERT INTO migrations (number, name) VALUES (?, ?)", (number, name))
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _read_first_migration(connection: apsw.Connection) -> str | None:
    row = connection.execute("SELECT name FROM migrations WHERE number = 1").fetchone()
    return None if row is None else str(row[0])


def _read_version(connection: apsw.Connection, path: Path) -> int:
    version, application_id = (connection.pragma(name) for name in ("user_version", "application_id"))
    [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() or (0,)
    if application_id != APPLICATION_ID and (tables or version):
        raise NotAStore(f"{NotAStore.__doc__} ({path} is a database of another program)")
    return int(version)
