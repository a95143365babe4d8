"""Copies the file while others write to it, and looks the copy through before it gets its name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import apsw

from recollect.adapters.sqlite.backup_files import (
    Manifest,
    beside,
    digest,
    examine,
    flushed,
    holdings,
    manifest_of,
    private,
)
from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.errors import translated
from recollect.adapters.sqlite.tokenizer import tokenizer
from recollect.errors import CorruptStore, Refused, StoreReadOnly
from recollect.ports.backup import Backup, Holdings, Watch

#: Pages copied at a time: 4 MB.
STEP = 1024


def back_up(database: Database, destination: Path, *, now: datetime, watch: Watch | None = None) -> Backup:
    refuse_to_overwrite(destination)
    draft = beside(destination, ".new")
    try:
        held = _copied(database, private(draft), watch)
        flushed(draft)
        manifest = Manifest(
            made_at=now,
            schema=held.schema,
            bytes=draft.stat().st_size,
            sha256=digest(draft),
            rows=held.rows,
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
        path=str(destination), bytes=manifest.bytes, sha256=manifest.sha256, holds=held, made_at=now
    )


def refuse_to_overwrite(destination: Path) -> None:
    for file in (destination, manifest_of(destination)):
        if file.exists():
            raise Refused(f"{file} is there already, and a backup overwrites nothing. Choose another name.")


def _copied(database: Database, draft: Path, watch: Watch | None) -> Holdings:
    with _moment(database) as source, closing(apsw.Connection(str(draft))) as target:
        target.register_fts5_tokenizer("recollect", tokenizer)
        _copy(source, target, watch)
        # One file, that can be opened where nothing can be written.
        target.pragma("journal_mode", "delete")
        expected, held = holdings(source), holdings(target)
        if held != expected:
            raise CorruptStore(f"The copy does not hold what {database.path} holds. Nothing was kept of it.")
        examine(target, draft)
    return held


@contextmanager
def _moment(database: Database) -> Iterator[apsw.Connection]:
    """The file as it is now, whatever is written from now on; what waits to be written goes in first."""
    if database.identity.has_moved:
        with database.remains() as source:
            yield source
        return
    with database.transaction():
        """Every transaction takes along what is in the outbox."""
    with database.fresh() as source, translated(str(database.path)):
        # A copy from within one read sees one moment; without it SQLite begins anew after every write of others.
        source.execute("BEGIN")
        source.pragma("schema_version")
        yield source


def _copy(source: apsw.Connection, target: apsw.Connection, watch: Watch | None) -> None:
    page = int(source.pragma("page_size"))
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(STEP)
            if watch:
                watch((copying.page_count - copying.remaining) * page, copying.page_count * page)
