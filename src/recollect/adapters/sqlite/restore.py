"""Puts a copy in the place of the file, which is kept beside it."""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import apsw

from recollect.adapters.sqlite import schema
from recollect.adapters.sqlite.backup_files import (
    PIECE,
    Manifest,
    beside,
    digest,
    examine,
    flushed,
    holdings,
    private,
)
from recollect.adapters.sqlite.connection import HEADER
from recollect.adapters.sqlite.errors import translated
from recollect.adapters.sqlite.tokenizer import tokenizer
from recollect.errors import CorruptStore, NotAStore, NotFound, Refused, StoreReadOnly
from recollect.ports.backup import Backup, Watch

READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
#: What SQLite may keep beside a file.
SIDES = ("-wal", "-shm", "-journal")


class SqliteBackups:
    """Copies of one memory file, which nobody has open here."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def look(self, path: str) -> Backup:
        copy = Path(path)
        _look_like_a_copy(copy)
        manifest = Manifest.read(copy)
        found = digest(copy)
        if manifest is not None and found != manifest.sha256:
            raise CorruptStore(
                f"{copy} is not what its manifest says: its bytes have changed. Take another copy."
            )
        with translated(path), closing(_opened(copy)) as db:
            if not schema.check(db, copy):
                raise NotAStore(f"{NotAStore.__doc__} ({copy} is empty)")
            examine(db, copy)
            held = holdings(db)
        doubts = () if manifest else ("no manifest lies beside it, so its hash could not be compared",)
        return Backup(
            path=path,
            bytes=copy.stat().st_size,
            sha256=found,
            holds=held,
            made_at=manifest.made_at if manifest else None,
            warnings=doubts,
        )

    def restore(self, backup: Backup, *, now: datetime, watch: Watch | None = None) -> str | None:
        source, draft = Path(backup.path), beside(self._path, ".restoring")
        if self._path.exists() and source.resolve() == self._path.resolve():
            raise Refused(f"{source} is the memory itself. Name a backup of it.")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _nobody_else(self._path):
                _copy(source, private(draft), backup, watch)
                return self._put_in_place(draft, now)
        except OSError as error:
            raise StoreReadOnly(f"{StoreReadOnly.__doc__} ({self._path}: {error.strerror})") from error
        finally:
            draft.unlink(missing_ok=True)

    def _put_in_place(self, draft: Path, now: datetime) -> str | None:
        if not self._path.exists():
            draft.replace(self._path)
            flushed(self._path.parent)
            return None
        kept = beside(self._path, f".before-{now:%Y%m%dT%H%M%S%fZ}")
        # A log that could not be written back belongs to the file that goes, not to the one that comes.
        for side in ("", *SIDES):
            if (file := beside(self._path, side)).exists():
                file.rename(beside(kept, side))
        draft.replace(self._path)
        flushed(self._path.parent)
        return str(kept)


def _look_like_a_copy(copy: Path) -> None:
    try:
        with copy.open("rb") as file:
            header = file.read(len(HEADER))
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {copy}. Name a backup that `recollect backup` made.") from error
    except OSError as error:
        raise StoreReadOnly(f"{copy} cannot be read: {error.strerror}.") from error
    if header != HEADER:
        raise NotAStore(f"{NotAStore.__doc__} ({copy})")
    for side in ("-wal", "-journal"):
        if (log := beside(copy, side)).exists() and log.stat().st_size:
            raise Refused(
                f"{log} lies beside it: {copy} is a memory in use, and part of it stands there."
                f" Make a copy with `recollect --db {copy} backup`."
            )


def _opened(copy: Path) -> apsw.Connection:
    """A reader that leaves no lock and no file beside a copy, which may lie where nothing can be written."""
    db = apsw.Connection(f"file:{quote(str(copy.resolve()))}?immutable=1", flags=READ_ONLY)
    db.register_fts5_tokenizer("recollect", tokenizer)
    return db


@contextmanager
def _nobody_else(path: Path) -> Iterator[None]:
    """
    Alone with the file. SQLite knows: only who has a file for themselves can end its write-ahead log, since everybody
    who has it open holds a lock. It also writes the log back, so the file that is put away is whole.
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
            # What cannot be read any more cannot be asked; it is put away as it is.
            mode = "delete"
        except (apsw.BusyError, apsw.LockedError):
            mode = "wal"
        if mode != "delete":
            raise Refused(
                f"Another process has {path} open: a server, a worker or a program. Stop it and try again;"
                " nothing was changed."
            )
        yield


def _copy(source: Path, draft: Path, backup: Backup, watch: Watch | None) -> None:
    hashed, seen = hashlib.sha256(), 0
    with source.open("rb") as read, draft.open("wb") as written:
        while piece := read.read(PIECE):
            hashed.update(piece)
            written.write(piece)
            seen += len(piece)
            if watch:
                watch(seen, backup.bytes)
    if hashed.hexdigest() != backup.sha256:
        raise Refused(f"{source} changed after it was looked through. Nothing was restored; try again.")
    flushed(draft)
