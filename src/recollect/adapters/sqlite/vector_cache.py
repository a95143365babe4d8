"""A user's vectors in memory, which follow the file: what is written there is put on, what is deleted is taken off."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import apsw
import numpy as np

from recollect.adapters.sqlite.quantized_index import IntArray, PassageIndex, QuantizedVectors, pack_bits
from recollect.adapters.sqlite.rows import Row, fetch, fetch_number

#: Bytes up to which vectors are kept whole.
MAX_INT8_BYTES = 64 * 2**20
#: Vectors read in one go.
READ_BATCH_ROWS = 8_192
#: Vectors that are read in a millisecond or so.
MIN_STALE_VECTORS = 200
#: So many may be without a place in the index: they are put in order whenever they are asked for.
MAX_UNINDEXED_VECTORS = 1_024
#: Where one in so many is gone, those that are left are read anew.
MIN_VECTORS_PER_DELETED = 4

COUNT_NEW_VECTORS = """
    SELECT count(*) FROM (SELECT 1 FROM vectors WHERE user_no = ? AND model_no = ? AND no > ? LIMIT ?)
"""
SELECT_VECTORS_AFTER = """
    SELECT no, passage, chat_no, scale, data FROM vectors
    WHERE user_no = ? AND model_no = ? AND no > ? ORDER BY no
"""
SELECT_LAST_DELETION = "SELECT max(no) FROM vectors_gone"
SELECT_FIRST_DELETION = "SELECT min(no) FROM vectors_gone"
SELECT_DELETED_SINCE = "SELECT group_concat(vector_no) FROM vectors_gone WHERE no > ?"


class VectorCache:
    """Who looks at it gets all columns of one moment, whatever is put on or taken off meanwhile."""

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
        """A shelf with the same vectors; what is put on it or taken off later is not so on this one."""
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

    def is_stale(self, db: apsw.Connection, user_no: int, model_no: int) -> bool:
        """Whether so much was written since the last look that reading it takes a moment."""
        return (
            fetch_number(db, COUNT_NEW_VECTORS, (user_no, model_no, self._last_vector_no, MIN_STALE_VECTORS))
            == MIN_STALE_VECTORS
        )

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        with self._lock:
            # First, or what is deleted between the two would stay for good.
            last_deletion = fetch_number(db, SELECT_LAST_DELETION)
            self._read_deletions(db, last_deletion)
            self._read_new_rows(db, user_no, model_no)
            if self._needs_recentring():
                self._clear()
                # This reader may know less than the one before: what is gone since then has to go once more.
                self._last_deletion = last_deletion
                self._read_new_rows(db, user_no, model_no)
            vectors = self._vectors
            if vectors.int8 is not None and self._size - len(vectors.index.positions) > MAX_UNINDEXED_VECTORS:
                self._vectors = replace(vectors, index=PassageIndex.build(vectors.passages[: self._size]))

    def _read_deletions(self, db: apsw.Connection, last_deletion: int) -> None:
        # Who reads the file as it was a moment ago may know less than the shelf.
        if last_deletion <= self._last_deletion:
            return
        if self._size:
            if fetch_number(db, SELECT_FIRST_DELETION) > self._last_deletion + 1:
                self._clear()
            else:
                [(vector_numbers,)] = fetch(db, SELECT_DELETED_SINCE, (self._last_deletion,))
                self._remove(np.fromstring(vector_numbers, dtype=np.int64, sep=","))
        self._last_deletion = last_deletion

    def _remove(self, vector_numbers: IntArray) -> None:
        numbers = self._vectors.numbers[: self._size]
        insertion_points = np.minimum(np.searchsorted(numbers, vector_numbers), self._size - 1)
        positions = insertion_points[numbers[insertion_points] == vector_numbers]
        self._deleted_count += len(positions)
        if self._deleted_count * MIN_VECTORS_PER_DELETED > self._size:
            self._clear()
        elif len(positions):
            self._vectors = self._vectors.with_deleted(positions)

    def _read_new_rows(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        cursor = db.execute(SELECT_VECTORS_AFTER, (user_no, model_no, self._last_vector_no))
        while rows := list(islice(cursor, READ_BATCH_ROWS)):
            self._append(rows)

    def _needs_recentring(self) -> bool:
        """The middle of a few vectors is not yet that of many."""
        return self._centroid_size < READ_BATCH_ROWS and self._size >= max(2 * self._centroid_size, 1)

    def _append(self, rows: Sequence[Row]) -> None:
        numbers, passages, chats, scales, data = zip(*rows, strict=True)
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), self._dimension)
        scale = np.array(scales, dtype=np.float32)[:, None]
        vectors = self._vectors
        if not self._size:
            # Texts of one user have much in common; what tells them apart lies around the middle of them all.
            vectors = replace(vectors, centroid=(matrix * scale).mean(axis=0))
            self._centroid_size = len(rows)
        begin, end = self._size, self._size + len(rows)
        if end * self._dimension > self._max_int8_bytes:
            vectors = replace(vectors, int8=None)
        if end > len(vectors.numbers):
            vectors = vectors.with_capacity(max(end, len(vectors.numbers) * 3 // 2))
        kinds = np.array(passages) & 3
        vectors.bits[:, begin:end] = pack_bits(matrix * scale > vectors.centroid, len(vectors.bits)).T
        vectors.numbers[begin:end] = numbers
        vectors.passages[begin:end] = passages
        vectors.kinds[begin:end] = kinds
        vectors.chats[begin:end] = chats
        vectors.scales[begin:end] = scales
        if vectors.int8 is not None:
            vectors.int8[begin:end] = matrix
        self._vectors = replace(vectors, kinds_present=vectors.kinds_present | set(kinds.tolist()))
        self._size, self._last_vector_no = end, numbers[-1]


class VectorCaches:
    """The shelves in use; the least recently used go when there is too much on them."""

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
