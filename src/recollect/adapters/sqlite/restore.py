"""Restore a backup: verify it, then replace the database, which is kept under another name."""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import apsw

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.backup_files import (
    READ_BLOCK_BYTES,
    Manifest,
    check_integrity,
    create_private_file,
    fsync_path,
    hash_file,
    read_contents,
    sibling_path,
)
from recollect.adapters.sqlite.connection import SQLITE_HEADER
from recollect.adapters.sqlite.errors import translate_errors
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.errors import CorruptStore, NotAStore, NotFound, Refused, StoreReadOnly
from recollect.ports.backup import Backup, ProgressCallback

READ_ONLY_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
#: Suffixes of the files that SQLite may create beside a database.
SIDE_FILE_SUFFIXES = ("-wal", "-shm", "-journal")


class SqliteBackupFiles:
    """Backups of one database file that this process does not have open."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def inspect(self, path: str) -> Backup:
        backup_path = Path(path)
        _check_is_backup(backup_path)
        manifest = Manifest.read(backup_path)
        file_hash = hash_file(backup_path)
        if manifest is not None and file_hash != manifest.sha256:
            raise CorruptStore(
                f"{backup_path} does not match the SHA-256 in its manifest: the file has changed. Use another backup."
            )
        with translate_errors(path), closing(_open_read_only(backup_path)) as db:
            if not schema.check_version(db, backup_path):
                raise NotAStore(f"{NotAStore.__doc__} ({backup_path} is empty)")
            check_integrity(db, backup_path)
            contents = read_contents(db)
        warnings = (
            () if manifest else ("there is no manifest beside it, so its SHA-256 could not be compared",)
        )
        return Backup(
            path=path,
            size_bytes=backup_path.stat().st_size,
            sha256=file_hash,
            contents=contents,
            created_at=manifest.made_at if manifest else None,
            warnings=warnings,
        )

    def restore(
        self, backup: Backup, *, now: datetime, progress: ProgressCallback | None = None
    ) -> str | None:
        source, draft = Path(backup.path), sibling_path(self._path, ".restoring")
        if self._path.exists() and source.resolve() == self._path.resolve():
            raise Refused(f"{source} is the database itself. Give the path of a backup.")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _exclusive_access(self._path):
                _copy_file(source, create_private_file(draft), backup, progress)
                return self._replace_database(draft, now)
        except OSError as error:
            raise StoreReadOnly(f"{StoreReadOnly.__doc__} ({self._path}: {error.strerror})") from error
        finally:
            draft.unlink(missing_ok=True)

    def _replace_database(self, draft: Path, now: datetime) -> str | None:
        if not self._path.exists():
            draft.replace(self._path)
            fsync_path(self._path.parent)
            return None
        previous_path = sibling_path(self._path, f".before-{now:%Y%m%dT%H%M%S%fZ}")
        # A log that could not be checkpointed belongs to the old file, not to the restored one.
        for side in ("", *SIDE_FILE_SUFFIXES):
            if (file := sibling_path(self._path, side)).exists():
                file.rename(sibling_path(previous_path, side))
        draft.replace(self._path)
        fsync_path(self._path.parent)
        return str(previous_path)


def _check_is_backup(backup_path: Path) -> None:
    try:
        with backup_path.open("rb") as file:
            header = file.read(len(SQLITE_HEADER))
    except FileNotFoundError as error:
        raise NotFound(
            f"There is no file {backup_path}. Give the path of a backup made with `recollect backup`."
        ) from error
    except OSError as error:
        raise StoreReadOnly(f"{backup_path} cannot be read: {error.strerror}.") from error
    if header != SQLITE_HEADER:
        raise NotAStore(f"{NotAStore.__doc__} ({backup_path})")
    for side in ("-wal", "-journal"):
        if (log := sibling_path(backup_path, side)).exists() and log.stat().st_size:
            raise Refused(
                f"{backup_path} is a database in use: part of its data is in {log}."
                f" Make a backup with `recollect --db {backup_path} backup`."
            )


def _open_read_only(backup_path: Path) -> apsw.Connection:
    """Open a backup without locks or side files, since it may be on a read-only medium."""
    db = apsw.Connection(f"file:{quote(str(backup_path.resolve()))}?immutable=1", flags=READ_ONLY_FLAGS)
    register_fulltext(db)
    return db


@contextmanager
def _exclusive_access(path: Path) -> Iterator[None]:
    """
    Ensure that no other connection has the file open.

    Every open connection holds a lock, so SQLite leaves WAL mode only for the last one. Leaving it also checkpoints
    the log, so that the replaced file is complete.
    """
    if not path.exists() or not path.stat().st_size:
        yield
        return
    with closing(apsw.Connection(str(path))) as db:
        try:
            db.set_busy_timeout(0)
            mode = db.pragma("journal_mode", "delete")
            if mode == "delete":
                db.execute("BEGIN EXCLUSIVE")
        except (apsw.NotADBError, apsw.CorruptError):
            # A damaged file cannot be locked; it is moved aside as it is.
            mode = "delete"
        except (apsw.BusyError, apsw.LockedError):
            mode = "wal"
        if mode != "delete":
            raise Refused(
                f"Another process has {path} open: a server, a worker or a program. Stop it and try again;"
                " nothing was changed."
            )
        yield


def _copy_file(source: Path, draft: Path, backup: Backup, progress: ProgressCallback | None) -> None:
    hasher, bytes_copied = hashlib.sha256(), 0
    with source.open("rb") as source_file, draft.open("wb") as target_file:
        while block := source_file.read(READ_BLOCK_BYTES):
            hasher.update(block)
            target_file.write(block)
            bytes_copied += len(block)
            if progress:
                progress(bytes_copied, backup.size_bytes)
    if hasher.hexdigest() != backup.sha256:
        raise Refused(f"{source} changed after it was verified. Nothing was restored; try again.")
    fsync_path(draft)
