"""
Pull the plug yourself: what was written but not flushed to the disk is lost, in part or in whole, at any moment.

Every message that had been acknowledged must be there afterwards, and the file must be sound. With --relaxed the
database does not wait for the disk; then messages must be lost, which shows that the plug is really pulled.
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
from recollect.adapters.sqlite.jobs import SqliteJobs
from recollect.adapters.sqlite.messages import SqliteMessages
from recollect.adapters.sqlite.store import SqliteStore
from recollect.adapters.sqlite.tokenizer import tokenizer
from recollect.domain.job import JobKind, NewJob
from recollect.domain.scope import Scope
from recollect.errors import StoreError
from recollect.testing.builders import a_message
from recollect.testing.clock import MONDAY

SECTOR = 512
USER = Scope("ana")
JOB = NewJob(kind=JobKind.EMBED, key="embed")


@dataclass(slots=True)
class Platter:
    """What a file is on the disk, and what was written to it since the last flush."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes]] = field(default_factory=list)

    def flush(self) -> None:
        for offset, data in self.pending:
            _apply(self.durable, offset, data)
        self.pending.clear()

    def after_the_loss(self, dice: random.Random) -> bytes:
        """The durable bytes, and of the others any sectors, in any order."""
        left = bytearray(self.durable)
        sectors = [
            (offset + start, data[start : start + SECTOR])
            for offset, data in self.pending
            for start in range(0, len(data) or 1, SECTOR)
        ]
        luck = dice.choice((0.0, 0.5, 1.0, dice.random()))
        survived = [sector for sector in sectors if dice.random() < luck]
        if dice.random() < 0.5:
            dice.shuffle(survived)
        for offset, data in survived:
            _apply(left, offset, data)
        return bytes(left)


def _apply(image: bytearray, offset: int, data: bytes) -> None:
    if not data:
        # The file was cut short.
        del image[offset:]
        return
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(data)] = data


class Disk(apsw.VFS):
    """Passes everything on to the real disk, remembers what was flushed, and tells of every operation."""

    def __init__(self, moment: Callable[[], None]) -> None:
        self.platters: dict[str, Platter] = {}
        self.moment = moment
        super().__init__("disk", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        platter = self.platters.setdefault(Path(path).name, Platter()) if path else Platter()
        return File(name, flags, platter, self.moment)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.platters.pop(Path(filename).name, None)


class File(apsw.VFSFile):
    def __init__(
        self,
        name: str | apsw.URIFilename | None,
        flags: list[int],
        platter: Platter,
        moment: Callable[[], None],
    ) -> None:
        super().__init__("", name, flags)
        self._platter = platter
        self._moment = moment

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._platter.pending.append((offset, bytes(data)))
        self._moment()

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._platter.pending.append((newsize, b""))
        self._moment()

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._platter.flush()
        self._moment()


class OnThisDisk(Database):
    """One connection alone in the file: a disk like this has no memory to share with others."""

    pace = "FULL"

    def _open(self, pragmas: str) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), vfs="disk")
        connection.register_fts5_tokenizer("recollect", tokenizer)
        alone = (
            "locking_mode = EXCLUSIVE",
            "foreign_keys = ON",
            "secure_delete = ON",
            "wal_autocheckpoint = 30",
        )
        wanted = [
            *(f"PRAGMA {each}" for each in alone),
            *pragmas.split(";"),
            f"PRAGMA synchronous = {self.pace}",
        ]
        for pragma in wanted:
            connection.execute(pragma).fetchall()
        return connection


@dataclass(slots=True)
class Trial:
    """Takes a picture of the disk at every so many operations, as it would be if the power went then."""

    dice: random.Random
    chance: float
    acknowledged: list[str] = field(default_factory=list)
    pictures: list[tuple[int, dict[str, bytes]]] = field(default_factory=list)
    states: int = 0
    lost: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    disk: Disk | None = None

    def moment(self) -> None:
        if self.disk and self.dice.random() < self.chance:
            left = {name: each.after_the_loss(self.dice) for name, each in self.disk.platters.items()}
            self.pictures.append((len(self.acknowledged), left))

    def look(self) -> None:
        """Put each picture on a real disk and open it as anybody would."""
        for promised, files in self.pictures:
            self.states += 1
            with tempfile.TemporaryDirectory() as folder:
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                (Path(folder) / "memory.db").touch(mode=0o600)
                (Path(folder) / "memory.db").chmod(0o600)
                self._open(Path(folder) / "memory.db", self.acknowledged[:promised])
        self.pictures.clear()

    def _open(self, path: Path, promised: list[str]) -> None:
        try:
            store = SqliteStore(path)
            there = {message.id for message in store.messages.list(USER, limit=2**31)}
            wrong = [finding for finding in store.upkeep.check(deep=self.states % 10 == 0) if not finding.ok]
            jobs = store.jobs.list(USER)
            store.close()
        except StoreError as error:
            self.unsound.append(str(error))
            return
        self.lost += [message_id for message_id in promised if message_id not in there]
        self.unsound += [f"{finding.name}: {finding.detail}" for finding in wrong]
        if bool(there) != bool(jobs):
            self.unsound.append(f"{len(there)} messages and {len(jobs)} jobs")


def run(messages: int, states: int, seed: int, pace: str, writers: int) -> Trial:
    trial = Trial(dice=random.Random(seed), chance=min(1.0, states / (messages * 80)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(writers) as pool:
        trial.disk = Disk(trial.moment)
        database = type("Disk", (OnThisDisk,), {"pace": pace})(Path(folder) / "memory.db")
        said, queue = SqliteMessages(database), SqliteJobs(database)

        def store(number: int) -> None:
            text = " ".join(trial.dice.choices(["soup", "salt", "saffron", "bread", "tea"], k=40))
            message = a_message(f"{number} {text}", chat=f"chat {number % 5}")
            with database.transaction():
                said.add(message, ())
                queue.enqueue(USER.user, JOB, now=MONDAY)
            trial.acknowledged.append(message.id)
            trial.moment()

        for first in range(0, messages, writers):
            list(pool.map(store, range(first, min(first + writers, messages))))
            if pace == "FULL":
                # A lease does not wait for the disk; what comes after it does.
                with database.transaction(durable=False) as db:
                    db.execute("UPDATE jobs SET lease = lease + 1")
            trial.look()
        database.close()
    return trial


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=300, help="how many messages are stored")
    parser.add_argument("--states", type=int, default=1000, help="about how often the power goes")
    parser.add_argument("--seed", type=int, default=1, help="the same seed loses the same bytes")
    parser.add_argument("--writers", type=int, default=1, help="threads that store at the same time")
    parser.add_argument("--relaxed", action="store_true", help="do not wait for the disk, and lose messages")
    given = parser.parse_args()
    begun = time.monotonic()
    pace = "NORMAL" if given.relaxed else "FULL"
    trial = run(given.messages, given.states, given.seed, pace, given.writers)
    spent = time.monotonic() - begun
    print(
        f"states={trial.states} seed={given.seed} acknowledged={len(trial.acknowledged)} lost={len(trial.lost)}"
        f" unsound={len(trial.unsound)} in {spent:.0f} s"
    )
    for each in [*trial.lost, *trial.unsound][:10]:
        print(f"  {each}", file=sys.stderr)
    sys.exit(bool(trial.unsound) or bool(trial.lost) != given.relaxed)


main()
