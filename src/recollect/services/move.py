"""
Move a database to another kind of store, user by user.

A user is written in one transaction, so that an interrupted move leaves each user complete or absent, and the next run
continues with the absent ones. The source is only read. Afterwards the rows of each user are read from both stores
and compared by hash, which also notices what was written to the source meanwhile.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.move import MoveProgress, MoveReport
from recollect.errors import Refused
from recollect.ports.transfer import RowTransfer, StoredVector
from recollect.ports.transfer_tables import TABLES, RowValues, UserTable

#: Rows and vectors read and written at a time.
BATCH_ROWS = 1_000
BATCH_VECTORS = 500
#: A passage number is this times the row number, plus the number of the kind.
PASSAGE_KIND_COUNT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveService:
    source: RowTransfer
    target: RowTransfer
    on_progress: Callable[[MoveProgress], None]

    def move(self) -> MoveReport:
        """Copy all users and access tokens; return what was copied, after comparing it."""
        users, present = self.source.users(), self.target.users()
        moved = rows = vectors = 0
        digest = hashlib.sha256()
        for done, (user, created_at) in enumerate(users.items()):
            if user not in present:
                progress = _Progress(self.on_progress, user=user, users_done=done, users=len(users))
                with self.source.snapshot(), self.target.add_user(user, created_at):
                    row_count, vector_count = self._copy(user, progress)
                moved, rows, vectors = moved + 1, rows + row_count, vectors + vector_count
            digest.update(self._compare(user))
        self.target.write_access_tokens(self.source.read_access_tokens())
        return MoveReport(
            moved_users=moved,
            known_users=len(users) - moved,
            rows=rows,
            vectors=vectors,
            digest=digest.hexdigest(),
        )

    def _copy(self, user: str, progress: "_Progress") -> tuple[int, int]:
        number_range = self.source.number_range(user)
        shift = 0 if number_range is None else self.target.number_shift(*number_range)
        shifts = {table.name: shift for table in TABLES}
        for table in TABLES:
            for rows in _read_rows(self.source, user, table):
                self.target.write(user, table, list(table.shift(rows, shifts)))
                progress.add(len(rows))
        self.target.derive(user)
        vector_count = 0
        for model in self.source.models(user):
            for vectors in _read_vectors(self.source, user, model):
                moved = [_shift_vector(each, PASSAGE_KIND_COUNT * shift) for each in vectors]
                self.target.write_vectors(user, model, moved)
                vector_count += len(vectors)
        return progress.rows, vector_count

    def _compare(self, user: str) -> bytes:
        """Return the hash of a user's rows; raise Refused if they differ between the stores."""
        with self.source.snapshot(), self.target.snapshot():
            for table in TABLES:
                if _hash_rows(self.source, user, [table]) != _hash_rows(self.target, user, [table]):
                    raise Refused(
                        f"The rows of user {user!r} in {table.name} differ between the two databases. Either"
                        " something was written to one of them meanwhile, or the user had data in the target before."
                        " Stop all processes on both, erase this user in the target, and move again."
                    )
            return _hash_rows(self.source, user, TABLES)


@dataclass(slots=True)
class _Progress:
    report: Callable[[MoveProgress], None]
    user: str
    users_done: int
    users: int
    rows: int = 0

    def add(self, rows: int) -> None:
        self.rows += rows
        self.report(
            MoveProgress(user=self.user, users_done=self.users_done, users=self.users, rows=self.rows)
        )


def _read_rows(store: RowTransfer, user: str, table: UserTable) -> Iterator[Sequence[RowValues]]:
    after: RowValues | None = None
    while rows := store.read(user, table, after=after, limit=BATCH_ROWS):
        yield rows
        if len(rows) < BATCH_ROWS or not table.key:
            return
        after = rows[-1][: len(table.key)]


def _read_vectors(store: RowTransfer, user: str, model: str) -> Iterator[Sequence[StoredVector]]:
    after = 0
    while vectors := store.read_vectors(user, model, after=after, limit=BATCH_VECTORS):
        yield vectors
        after = vectors[-1].position


def _shift_vector(stored: StoredVector, by: int) -> StoredVector:
    return StoredVector(
        position=stored.position,
        passage=stored.passage + by,
        content_hash=stored.content_hash,
        vector=stored.vector,
    )


def _hash_rows(store: RowTransfer, user: str, tables: Sequence[UserTable]) -> bytes:
    """Hash rows with row numbers relative to the user's lowest, which may differ between stores."""
    digest = hashlib.sha256(user.encode())
    relative: Mapping[str, int] = {table: -number for table, number in store.lowest_numbers(user).items()}
    for table in tables:
        for rows in _read_rows(store, user, table):
            for row in table.shift(rows, relative):
                digest.update(json.dumps(row, default=bytes.hex).encode())
    return digest.digest()
