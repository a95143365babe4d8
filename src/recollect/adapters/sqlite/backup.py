"""Copies the file while others write to it, and looks the copy through before it gets its name."""

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
from recollect.adapters.sqlite.tokenizer import make_tokenizer
from recollect.errors import CorruptStore, Refused, StoreReadOnly
from recollect.ports.backup import Backup, BackupContents, ProgressCallback

#: Pages copied at a time: 4 MB.
PAGES_PER_STEP = 1024


def create_backup(
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
            f"{destination} cannot be written: {error.strerror}. Choose another place."
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
            raise Refused(f"{file} is there already, and a backup overwrites nothing. Choose another name.")


def _copy_database(database: Database, draft: Path, progress: ProgressCallback | None) -> BackupContents:
    with _open_snapshot(database) as source, closing(apsw.Connection(str(draft))) as target:
        target.register_fts5_tokenizer("recollect", make_tokenizer)
        _copy_pages(source, target, progress)
        # One file, that can be opened where nothing can be written.
        target.pragma("journal_mode", "delete")
        expected, contents = read_contents(source), read_contents(target)
        if contents != expected:
            raise CorruptStore(f"The copy does not hold what {database.path} holds. Nothing was kept of it.")
        check_integrity(target, draft)
    return contents


@contextmanager
def _open_snapshot(database: Database) -> Iterator[apsw.Connection]:
    """The file as it is now, whatever is written from now on; what waits to be written goes in first."""
    if database.identity.has_moved:
        with database.remains() as source:
            yield source
        return
    with database.transaction():
        """Every transaction takes along what is in the outbox."""
    with database.new_reader() as source, translate_errors(str(database.path)):
        # A copy from within one read sees one moment; without it SQLite begins anew after every write of others.
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
