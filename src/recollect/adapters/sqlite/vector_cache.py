"""
In-memory cache of a user's vectors, kept in step with the `vectors` table.

Each (user, embedding model) has one `VectorCache`, an append-only columnar copy ordered by `vectors.no`. `refresh` is
incremental: rows with a higher `no` than the last one seen are appended, and row numbers in the deletion log
(`deleted_vectors`) are masked out. If the log was pruned past the last deletion seen (it keeps 10,000), or more than a
quarter of the rows are masked, the cache is cleared and read from the start.

The first batch fixes the centroid that the 1-bit codes are relative to; while it comes from fewer than
`READ_BATCH_ROWS` vectors, it is recomputed each time the cache has doubled. Int8 vectors are kept up to
`MAX_INT8_BYTES`; above that only the 1-bit codes stay in memory and rescoring reads the table.

Invariants: readers get an immutable prefix (`vectors`), so appending and masking never change an array in use;
uncommitted rows go into a `snapshot` copy, never into the shared cache. Cost: one refresh without changes is two index
lookups; an append is O(new rows). Example: 1,000 vectors cached up to no 1,000; rows 1,001-1,003 are inserted and row 7
is deleted: `refresh` masks position 6 and appends three columns.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import apsw
import numpy as np

from recollect.adapters.sqlite.rows import Row, fetch, fetch_number
from recollect.storage.quantization import IntArray, PassageIndex, QuantizedVectors, pack_bits

#: Up to this size, the int8 vectors are cached besides their 1-bit codes.
MAX_INT8_BYTES = 64 * 2**20
#: Rows read per batch.
READ_BATCH_ROWS = 8_192
#: The cache is stale if at least this many rows are new; fewer are read in about a millisecond.
MIN_STALE_VECTORS = 200
#: At most this many vectors are left out of the sorted `PassageIndex`; a lookup sorts them each time.
MAX_UNINDEXED_VECTORS = 1_024
#: The cache is read again from the start when more than one in this many vectors is deleted.
MIN_VECTORS_PER_DELETED = 4

#: The last entry of the deletion log, and then the new vectors of a user and model. In one statement, since a deletion
#: between two reads would never be noticed.
SELECT_CHANGES = """
    SELECT max(no), NULL, NULL, NULL, NULL, NULL FROM deleted_vectors
    UNION ALL SELECT * FROM (
        SELECT v.no, v.passage_no, p.kind, p.chat_no, v.scale, v.data
        FROM vectors v CROSS JOIN passages p ON p.no = v.passage_no
        WHERE v.user_no = ? AND v.model_no = ? AND v.no > ? ORDER BY v.no
    )
"""
SELECT_FIRST_DELETION = "SELECT min(no) FROM deleted_vectors"
SELECT_DELETED_SINCE = "SELECT group_concat(vector_no) FROM deleted_vectors WHERE no > ?"


class VectorCache:
    """The vectors of one user and model. Thread-safe: `vectors` is a consistent snapshot of all columns."""

    def __init__(self, dimension: int, *, max_int8_bytes: int = MAX_INT8_BYTES) -> None:
        self._dimension = dimension
        self._max_int8_bytes = max_int8_bytes
        self._lock = threading.Lock()
        self._last_deletion = 0
        self._clear()

    def _clear(self) -> None:
        self._vectors = QuantizedVectors.empty(self._dimension)
        self._size, self._last_vector_no, self._centroid_size, self._deleted_count = 0, 0, 0, 0

    @property
    def nbytes(self) -> int:
        return self._vectors.nbytes

    @property
    def vectors(self) -> QuantizedVectors:
        with self._lock:
            return self._vectors.prefix(self._size)

    def snapshot(self) -> "VectorCache":
        """Return an independent copy: later changes to either cache do not affect the other."""
        copy = VectorCache(self._dimension, max_int8_bytes=self._max_int8_bytes)
        with self._lock:
            copy._vectors = self._vectors.prefix(self._size)
            copy._size, copy._last_vector_no, copy._centroid_size = (
                self._size,
                self._last_vector_no,
                self._centroid_size,
            )
            copy._last_deletion, copy._deleted_count = self._last_deletion, self._deleted_count
        return copy

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> int:
        """Read what has changed in the table; return how many vectors were read."""
        with self._lock:
            size = self._size
            is_current = self._read_changes(db, user_no, model_no)
            if not is_current or self._needs_recentring():
                size = 0
                self._clear()
                # This connection may read an older snapshot than the last one: later deletions are applied again.
                self._last_deletion = 0
                self._read_changes(db, user_no, model_no)
            vectors = self._vectors
            if vectors.int8 is not None and self._size - len(vectors.index.positions) > MAX_UNINDEXED_VECTORS:
                self._vectors = replace(vectors, index=PassageIndex.build(vectors.passages[: self._size]))
            return self._size - size

    def _read_changes(self, db: apsw.Connection, user_no: int, model_no: int) -> bool:
        """Apply deletions and append new rows; return False if the cache must be read from the start."""
        cursor = db.execute(SELECT_CHANGES, (user_no, model_no, self._last_vector_no))
        last_deletion = next(cursor)[0] or 0
        if not self._read_deletions(db, last_deletion):
            return False
        while rows := list(islice(cursor, READ_BATCH_ROWS)):
            self._append(rows)
        return True

    def _read_deletions(self, db: apsw.Connection, last_deletion: int) -> bool:
        """Mask deleted vectors; return False if the log is incomplete, or too many are masked."""
        # A connection with an older snapshot may see fewer deletions than the cache has applied.
        if last_deletion > self._last_deletion and self._size:
            if fetch_number(db, SELECT_FIRST_DELETION) > self._last_deletion + 1:
                return False
            [(vector_numbers,)] = fetch(db, SELECT_DELETED_SINCE, (self._last_deletion,))
            self._remove(np.fromstring(vector_numbers, dtype=np.int64, sep=","))
        self._last_deletion = max(last_deletion, self._last_deletion)
        return self._deleted_count * MIN_VECTORS_PER_DELETED <= self._size

    def _remove(self, vector_numbers: IntArray) -> None:
        numbers = self._vectors.numbers[: self._size]
        insertion_points = np.minimum(np.searchsorted(numbers, vector_numbers), self._size - 1)
        positions = insertion_points[numbers[insertion_points] == vector_numbers]
        self._deleted_count += len(positions)
        if len(positions):
            self._vectors = self._vectors.with_deleted(positions)

    def _needs_recentring(self) -> bool:
        """Return whether the cache has doubled since its centroid was computed from a small sample."""
        return self._centroid_size < READ_BATCH_ROWS and self._size >= max(2 * self._centroid_size, 1)

    def _append(self, rows: Sequence[Row]) -> None:
        numbers, passages, kinds, chats, scales, data = zip(*rows, strict=True)
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), self._dimension)
        scale = np.array(scales, dtype=np.float32)[:, None]
        vectors = self._vectors
        if not self._size:
            # One user's vectors are similar to each other. Relative to their centroid, the signs tell them apart.
            vectors = replace(vectors, centroid=(matrix * scale).mean(axis=0))
            self._centroid_size = len(rows)
        begin, end = self._size, self._size + len(rows)
        if end * self._dimension > self._max_int8_bytes:
            vectors = replace(vectors, int8=None)
        if end > len(vectors.numbers):
            vectors = vectors.with_capacity(max(end, len(vectors.numbers) * 3 // 2))
        vectors.bits[:, begin:end] = pack_bits(matrix * scale > vectors.centroid, len(vectors.bits)).T
        vectors.numbers[begin:end] = numbers
        vectors.passages[begin:end] = passages
        vectors.kinds[begin:end] = kinds
        vectors.chats[begin:end] = chats
        vectors.scales[begin:end] = scales
        if vectors.int8 is not None:
            vectors.int8[begin:end] = matrix
        self._vectors = replace(vectors, kinds_present=vectors.kinds_present | set(kinds))
        self._size, self._last_vector_no = end, numbers[-1]


class VectorCaches:
    """LRU cache of `VectorCache` objects, bounded by their total size in bytes."""

    def __init__(self, max_bytes: int = 256 * 2**20, *, max_int8_bytes: int = MAX_INT8_BYTES) -> None:
        self._max_bytes = max_bytes
        self._max_int8_bytes = max_int8_bytes
        self._caches: OrderedDict[tuple[int, int], VectorCache] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, user_no: int, model_no: int, dimension: int) -> VectorCache:
        with self._lock:
            cache = self._caches.pop((user_no, model_no), None) or VectorCache(
                dimension, max_int8_bytes=self._max_int8_bytes
            )
            self._caches[user_no, model_no] = cache
            while len(self._caches) > 1 and sum(s.nbytes for s in self._caches.values()) > self._max_bytes:
                self._caches.popitem(last=False)
            return cache

    def drop(self, user_no: int, model_no: int) -> None:
        with self._lock:
            self._caches.pop((user_no, model_no), None)
