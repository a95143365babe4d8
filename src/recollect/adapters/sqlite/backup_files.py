"""A copy of a memory file: what it holds, whether it is whole, and the manifest beside it."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from recollect.adapters.sqlite.rows import fetch, number
from recollect.adapters.sqlite.timestamps import maybe_time
from recollect.errors import CorruptStore
from recollect.ports.backup import Holdings, Watch

#: Bytes read at a time.
PIECE = 4_000_000
TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What was known of a copy when it was made."""

    made_at: datetime
    schema: int
    bytes: int
    sha256: str
    rows: Mapping[str, int]

    def write(self, copy: Path) -> None:
        shown = {
            "made_at": self.made_at.isoformat(),
            "schema": self.schema,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "rows": dict(self.rows),
        }
        draft = private(beside(copy, ".json.new"))
        draft.write_text(json.dumps(shown, indent=2) + "\n", "utf-8")
        flushed(draft)
        draft.replace(manifest_of(copy))

    @classmethod
    def read(cls, copy: Path) -> "Manifest | None":
        file = manifest_of(copy)
        try:
            shown = json.loads(file.read_bytes())
            return cls(
                made_at=datetime.fromisoformat(shown["made_at"]),
                schema=int(shown["schema"]),
                bytes=int(shown["bytes"]),
                sha256=str(shown["sha256"]),
                rows={str(table): int(rows) for table, rows in shown["rows"].items()},
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise CorruptStore(
                f"The manifest {file} cannot be read ({error}). Take it away to restore without it."
            ) from error


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def manifest_of(copy: Path) -> Path:
    return beside(copy, ".json")


def holdings(db: apsw.Connection) -> Holdings:
    tables = sorted(name for (name,) in fetch(db, TABLES))
    rows = {table: number(db, f'SELECT count(*) FROM "{table}"') for table in tables}
    # Files of earlier schemas lack what came later.
    newest = fetch(db, "SELECT max(created_at) FROM messages")[0][0] if "messages" in rows else None
    in_use = "SELECT count(*) FROM memories WHERE standing = 'active'"
    return Holdings(
        schema=int(db.pragma("user_version")),
        users=rows.get("users", 0),
        messages=rows.get("messages", 0),
        memories=number(db, in_use) if "memories" in rows else 0,
        newest=maybe_time(newest),
        rows=rows,
    )


def examine(db: apsw.Connection, path: Path) -> None:
    """Raise if a file is damaged, or refers to what is not in it."""
    said = [str(row[0]) for row in fetch(db, "PRAGMA integrity_check(5)")]
    broken = len(fetch(db, "PRAGMA foreign_key_check"))
    if said != ["ok"] or broken:
        found = "; ".join([*(each for each in said if each != "ok"), f"{broken} broken references"])
        raise CorruptStore(f"{path} is damaged ({found}). Nothing was changed; take another copy.")


def digest(path: Path, watch: Watch | None = None) -> str:
    hashed, size, seen = hashlib.sha256(), path.stat().st_size, 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            hashed.update(piece)
            seen += len(piece)
            if watch:
                watch(seen, size)
    return hashed.hexdigest()


def private(path: Path) -> Path:
    """An empty file that only its owner can read; a half-made one of the same name makes room."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def flushed(path: Path) -> None:
    """On disk, and not only on its way there. Of a folder it is the names in it, where a system knows that."""
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
