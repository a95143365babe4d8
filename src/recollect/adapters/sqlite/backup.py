"""Online backup: copy the database while it is in use, and verify the copy before it gets its final name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import apsw

from recollect.adapters.sqlite.backup_files import (
    Manifest,
    check_integrity,
    create_private_file,
    fsync_path,
    hash_file,
    manifest_path,
    read_contents,
    sibling_path,
)
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.errors import translate_errors
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.errors import CorruptStore, Refused, StoreReadOnly
from recollect.ports.backup import Backup, BackupContents, ProgressCallback

#: Folder next to the memory file, for backups without a destination.
FOLDER_NAME = "backups"
#: Tables whose rows are not part of a backup.
ACCESS_TABLES = ("access_tokens", "login_codes", "sessions", "idempotency_keys", "rate_limits", "schedules")
#: Pages copied at a time: 4 MB.
PAGES_PER_STEP = 1024


class SqliteBackups:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self, destination: str | None, *, now: datetime, progress: ProgressCallback | None = None
    ) -> Backup:
        source = self._database.path
        target = source.with_name(FOLDER_NAME) if destination is None else Path(destination)
        if destination is None:
            # The memory file's folder may have been deleted while the file is open; the backup then saves the data.
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
        if target.is_dir():
            target /= f"{source.stem}-{now:%Y%m%dT%H%M%SZ}{source.suffix}"
        return _create_backup(self._database, target, now=now, progress=progress)


def _create_backup(
    database: Database, destination: Path, *, now: datetime, progress: ProgressCallback | None = None
) -> Backup:
    refuse_to_overwrite(destination)
    draft = sibling_path(destination, ".new")
    try:
        contents = _copy_database(database, create_private_file(draft), progress)
        fsync_path(draft)
        manifest = Manifest(
            made_at=now,
            schema=contents.schema_version,
            bytes=draft.stat().st_size,
            sha256=hash_file(draft),
            rows=contents.rows,
        )
        refuse_to_overwrite(destination)
        draft.rename(destination)
        manifest.write(destination)
    except OSError as error:
        raise StoreReadOnly(
            f"{destination} cannot be written: {error.strerror}. Choose another location."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return Backup(
        path=str(destination),
        size_bytes=manifest.bytes,
        sha256=manifest.sha256,
        contents=contents,
        created_at=now,
    )


def refuse_to_overwrite(destination: Path) -> None:
    for file in (destination, manifest_path(destination)):
        if file.exists():
            raise Refused(
                f"{file} exists already, and a backup never overwrites a file. Choose another name."
            )


def _copy_database(database: Database, draft: Path, progress: ProgressCallback | None) -> BackupContents:
    with _open_snapshot(database) as source, closing(apsw.Connection(str(draft))) as target:
        register_fulltext(target)
        _copy_pages(source, target, progress)
        # A single file that can also be opened on a read-only medium.
        target.pragma("journal_mode", "delete")
        expected, contents = read_contents(source), read_contents(target)
        if contents != expected:
            raise CorruptStore(f"The copy differs from {database.path}, so it was deleted. Try again.")
        check_integrity(target, draft)
        _delete_access_rows(target)
        return read_contents(target)


def _delete_access_rows(target: apsw.Connection) -> None:
    """A backup travels further than its store; it must not let anybody into a server."""
    target.pragma("secure_delete", 1)
    for table in ACCESS_TABLES:
        target.execute(f"DELETE FROM {table}")


@contextmanager
def _open_snapshot(database: Database) -> Iterator[apsw.Connection]:
    """Yield a connection with a snapshot of the file that includes the pending receipts."""
    if database.identity.has_moved:
        with database.remains() as source:
            yield source
        return
    # Every transaction writes the pending receipts.
    with database.transaction():
        pass
    with database.new_reader() as source, translate_errors(str(database.path)):
        # Within a read transaction the copy is consistent; without it SQLite restarts after every write of others.
        source.execute("BEGIN")
        source.pragma("schema_version")
        yield source


def _copy_pages(source: apsw.Connection, target: apsw.Connection, progress: ProgressCallback | None) -> None:
    page_size = int(source.pragma("page_size"))
    with target.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(PAGES_PER_STEP)
            if progress:
                progress((backup.page_count - backup.remaining) * page_size, backup.page_count * page_size)
