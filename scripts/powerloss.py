"""
Power loss simulation: data written but not synced to disk is lost, partly or completely, at any time.

Every acknowledged message must be stored afterwards, and the file must pass its checks. With --relaxed the database
does not wait for the disk; then messages must be lost, which shows that the simulation works.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.jobs import SqliteJobQueue
from recollect.adapters.sqlite.messages import SqliteMessages
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.tokenizer import register_fulltext
from recollect.domain.job import JobKind, NewJob
from recollect.domain.scope import Scope
from recollect.errors import StoreError
from recollect.testing.builders import a_message
from recollect.testing.clock import MONDAY

SECTOR_BYTES = 512
USER_SCOPE = Scope("ana")
EMBED_JOB = NewJob(kind=JobKind.EMBED, key="embed")


@dataclass(slots=True)
class SimulatedFile:
    """Durable contents of a file, and the writes since the last sync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes]] = field(default_factory=list)

    def flush(self) -> None:
        for offset, data in self.pending:
            _apply_write(self.durable, offset, data)
        self.pending.clear()

    def after_power_loss(self, rng: random.Random) -> bytes:
        """Return the durable bytes plus a random subset of the unsynced sectors."""
        image = bytearray(self.durable)
        sectors = [
            (offset + start, data[start : start + SECTOR_BYTES])
            for offset, data in self.pending
            for start in range(0, len(data) or 1, SECTOR_BYTES)
        ]
        survival_rate = rng.choice((0.0, 0.5, 1.0, rng.random()))
        survived = [sector for sector in sectors if rng.random() < survival_rate]
        if rng.random() < 0.5:
            rng.shuffle(survived)
        for offset, data in survived:
            _apply_write(image, offset, data)
        return bytes(image)


def _apply_write(image: bytearray, offset: int, data: bytes) -> None:
    if not data:
        # The file was truncated.
        del image[offset:]
        return
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(data)] = data


class RecordingVfs(apsw.VFS):
    """VFS that forwards to the real disk, records what was synced, and reports every operation."""

    def __init__(self, on_operation: Callable[[], None]) -> None:
        self.files: dict[str, SimulatedFile] = {}
        self.on_operation = on_operation
        super().__init__("disk", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        platter = self.files.setdefault(Path(path).name, SimulatedFile()) if path else SimulatedFile()
        return RecordingFile(name, flags, platter, self.on_operation)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.files.pop(Path(filename).name, None)


class RecordingFile(apsw.VFSFile):
    def __init__(
        self,
        name: str | apsw.URIFilename | None,
        flags: list[int],
        simulated: SimulatedFile,
        on_operation: Callable[[], None],
    ) -> None:
        super().__init__("", name, flags)
        self._simulated = simulated
        self._on_operation = on_operation

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._simulated.pending.append((offset, bytes(data)))
        self._on_operation()

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._simulated.pending.append((newsize, b""))
        self._on_operation()

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._simulated.flush()
        self._on_operation()


class RecordedDatabase(Database):
    """Database with a single connection, since this VFS has no shared memory."""

    pace = "FULL"

    def _open(self, pragmas: str) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), vfs="disk")
        register_fulltext(connection)
        settings = (
            "locking_mode = EXCLUSIVE",
            "foreign_keys = ON",
            "secure_delete = ON",
            "wal_autocheckpoint = 30",
        )
        statements = [
            *(f"PRAGMA {each}" for each in settings),
            *pragmas.split(";"),
            f"PRAGMA synchronous = {self.pace}",
        ]
        for pragma in statements:
            connection.execute(pragma).fetchall()
        return connection


@dataclass(slots=True)
class PowerLossTrial:
    """Captures the state of the disk after a power loss, at regular intervals of operations."""

    rng: random.Random
    capture_rate: float
    acknowledged: list[str] = field(default_factory=list)
    images: list[tuple[int, dict[str, bytes]]] = field(default_factory=list)
    states: int = 0
    lost: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    disk: RecordingVfs | None = None

    def maybe_capture(self) -> None:
        if self.disk and self.rng.random() < self.capture_rate:
            image = {name: each.after_power_loss(self.rng) for name, each in self.disk.files.items()}
            self.images.append((len(self.acknowledged), image))

    def check_images(self) -> None:
        """Write each captured state to a real disk, open it and check it."""
        for acknowledged_count, files in self.images:
            self.states += 1
            with tempfile.TemporaryDirectory() as folder:
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                (Path(folder) / "memory.db").touch(mode=0o600)
                (Path(folder) / "memory.db").chmod(0o600)
                self._check_image(Path(folder) / "memory.db", self.acknowledged[:acknowledged_count])
        self.images.clear()

    def _check_image(self, path: Path, acknowledged: list[str]) -> None:
        try:
            store = SqliteStore(path)
            stored_ids = {message.id for message in store.messages.list(USER_SCOPE, limit=2**31)}
            failures = [
                finding for finding in store.maintenance.check(deep=self.states % 10 == 0) if not finding.ok
            ]
            jobs = store.jobs.list(USER_SCOPE)
            store.close()
        except StoreError as error:
            self.unsound.append(str(error))
            return
        self.lost += [message_id for message_id in acknowledged if message_id not in stored_ids]
        self.unsound += [f"{finding.name}: {finding.detail}" for finding in failures]
        if bool(stored_ids) != bool(jobs):
            self.unsound.append(f"{len(stored_ids)} messages and {len(jobs)} jobs")


def run(messages: int, states: int, seed: int, synchronous: str, writers: int) -> PowerLossTrial:
    trial = PowerLossTrial(rng=random.Random(seed), capture_rate=min(1.0, states / (messages * 80)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(writers) as pool:
        trial.disk = RecordingVfs(trial.maybe_capture)
        database = type("Disk", (RecordedDatabase,), {"pace": synchronous})(Path(folder) / "memory.db")
        message_store, queue = SqliteMessages(database), SqliteJobQueue(database)

        def store(number: int) -> None:
            text = " ".join(trial.rng.choices(["soup", "salt", "saffron", "bread", "tea"], k=40))
            message = a_message(f"{number} {text}", chat=f"chat {number % 5}")
            with database.transaction():
                message_store.add(message, ())
                queue.enqueue(USER_SCOPE.user, EMBED_JOB, now=MONDAY)
            trial.acknowledged.append(message.id)
            trial.maybe_capture()

        for first in range(0, messages, writers):
            list(pool.map(store, range(first, min(first + writers, messages))))
            if synchronous == "FULL":
                # A lease is not durable; the transactions after it are.
                with database.transaction(durable=False) as db:
                    db.execute("UPDATE jobs SET fencing_token = fencing_token + 1")
            trial.check_images()
        database.close()
    return trial


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=300, help="number of messages to store")
    parser.add_argument("--states", type=int, default=1000, help="approximate number of power losses")
    parser.add_argument("--seed", type=int, default=1, help="seed of the lost sectors")
    parser.add_argument("--writers", type=int, default=1, help="number of concurrent writer threads")
    parser.add_argument("--relaxed", action="store_true", help="do not sync; messages must be lost")
    options = parser.parse_args()
    started_at = time.monotonic()
    synchronous = "NORMAL" if options.relaxed else "FULL"
    trial = run(options.messages, options.states, options.seed, synchronous, options.writers)
    seconds = time.monotonic() - started_at
    print(
        f"states={trial.states} seed={options.seed} acknowledged={len(trial.acknowledged)} lost={len(trial.lost)}"
        f" unsound={len(trial.unsound)} in {seconds:.0f} s"
    )
    for each in [*trial.lost, *trial.unsound][:10]:
        print(f"  {each}", file=sys.stderr)
    sys.exit(bool(trial.unsound) or bool(trial.lost) != options.relaxed)


main()
