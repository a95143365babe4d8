"""Backup files: contents, integrity checks and the manifest."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from recollect.adapters.sqlite.rows import fetch, fetch_number
from recollect.errors import CorruptStore
from recollect.ports.backup import BackupContents, ProgressCallback
from recollect.storage.timestamps import from_ms_or_none

#: Bytes per read.
READ_BLOCK_BYTES = 4_000_000
SELECT_TABLE_NAMES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Description of a backup at the time of its creation, stored beside it as JSON."""

    made_at: datetime
    schema: int
    bytes: int
    sha256: str
    rows: Mapping[str, int]

    def write(self, backup_path: Path) -> None:
        document = {
            "made_at": self.made_at.isoformat(),
            "schema": self.schema,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "rows": dict(self.rows),
        }
        draft = create_private_file(sibling_path(backup_path, ".json.new"))
        draft.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
        fsync_path(draft)
        draft.replace(manifest_path(backup_path))

    @classmethod
    def read(cls, backup_path: Path) -> "Manifest | None":
        file = manifest_path(backup_path)
        try:
            document = json.loads(file.read_bytes())
            return cls(
                made_at=datetime.fromisoformat(document["made_at"]),
                schema=int(document["schema"]),
                bytes=int(document["bytes"]),
                sha256=str(document["sha256"]),
                rows={str(table): int(rows) for table, rows in document["rows"].items()},
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise CorruptStore(
                f"The manifest {file} cannot be read ({error}). Delete it to restore without it."
            ) from error


def sibling_path(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def manifest_path(backup_path: Path) -> Path:
    return sibling_path(backup_path, ".json")


def read_contents(db: apsw.Connection) -> BackupContents:
    tables = sorted(name for (name,) in fetch(db, SELECT_TABLE_NAMES))
    rows = {table: fetch_number(db, f'SELECT count(*) FROM "{table}"') for table in tables}
    newest = fetch(db, "SELECT max(created_at) FROM messages")[0][0]
    return BackupContents(
        schema_version=int(db.pragma("user_version")),
        users=rows["users"],
        messages=rows["messages"],
        memories=fetch_number(db, "SELECT count(*) FROM memories WHERE status = 'active'"),
        last_message_at=from_ms_or_none(newest),
        rows=rows,
    )


def check_integrity(db: apsw.Connection, path: Path) -> None:
    """Raise CorruptStore if the integrity check fails or a foreign key is broken."""
    results = [str(row[0]) for row in fetch(db, "PRAGMA integrity_check(5)")]
    broken_references = len(fetch(db, "PRAGMA foreign_key_check"))
    if results != ["ok"] or broken_references:
        problems = "; ".join(
            [*(result for result in results if result != "ok"), f"{broken_references} broken references"]
        )
        raise CorruptStore(f"{path} is damaged ({problems}). Nothing was changed; use another backup.")


def hash_file(path: Path, progress: ProgressCallback | None = None) -> str:
    hasher, size, bytes_read = hashlib.sha256(), path.stat().st_size, 0
    with path.open("rb") as file:
        while block := file.read(READ_BLOCK_BYTES):
            hasher.update(block)
            bytes_read += len(block)
            if progress:
                progress(bytes_read, size)
    return hasher.hexdigest()


def create_private_file(path: Path) -> Path:
    """Create an empty file with mode 600; an unfinished one of the same name is replaced."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def fsync_path(path: Path) -> None:
    """Sync a file to disk; for a folder, its entries, where the system supports that."""
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
