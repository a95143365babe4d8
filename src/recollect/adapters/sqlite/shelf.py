"""A user's vectors as bits in memory: a quick first look that says which rows to read."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite.rows import Row

Bits: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Kinds: TypeAlias = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)
Columns: TypeAlias = tuple[Bits, Numbers, Kinds, Numbers]

#: Vectors looked at twice for each one wanted: by the number of signs that agree, then by how much each matters.
COARSE = 4
#: Vectors looked at in one go: small enough to stay in the processor's cache.
BLOCK = 32_768


def as_bits(vectors: NDArray[np.generic], words: int) -> Bits:
    """The signs of the coordinates, 64 to a word."""
    packed = np.packbits(np.asarray(vectors) > 0, axis=-1)
    padded = np.zeros((*packed.shape[:-1], words * 8), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)


class Shelf:
    """Grows by what was written since the last look. Rows deleted since then are found out when they are read."""

    def __init__(self, dimension: int, columns: Columns | None = None) -> None:
        self._words = -(-dimension // 64)
        self._dimension = dimension
        # The first words of all vectors, then the second ones: in this order they are counted in long strides.
        self._bits, self._numbers, self._kinds, self._chats = columns or (
            np.empty((self._words, 0), dtype=np.uint64),
            np.empty(0, dtype=np.int64),
            np.empty(0, dtype=np.uint8),
            np.empty(0, dtype=np.int64),
        )
        self._size = len(self._numbers)
        self._last = int(self._numbers[-1]) if self._size else 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in (self._bits, self._numbers, self._kinds, self._chats))

    def snapshot(self) -> "Shelf":
        """A shelf with the same vectors; what is put on it later is not on this one."""
        with self._lock:
            held = slice(self._size)
            columns = (self._bits[:, held], self._numbers[held], self._kinds[held], self._chats[held])
        return Shelf(self._dimension, columns)

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        with self._lock:
            cursor = db.execute(
                "SELECT no, passage, chat_no, data FROM vectors"
                " WHERE user_no = ? AND model_no = ? AND no > ? ORDER BY no",
                (user_no, model_no, self._last),
            )
            while rows := list(islice(cursor, BLOCK)):
                self._append(rows)

    def _append(self, rows: Sequence[Row]) -> None:
        numbers, passages, chats, data = zip(*rows, strict=True)
        end = self._size + len(rows)
        self._reserve(end)
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), self._dimension)
        self._bits[:, self._size : end] = as_bits(matrix, self._words).T
        self._numbers[self._size : end] = numbers
        self._kinds[self._size : end] = np.array(passages) & 3
        self._chats[self._size : end] = chats
        self._size, self._last = end, numbers[-1]

    def _reserve(self, size: int) -> None:
        if size <= len(self._numbers):
            return
        capacity = max(size, len(self._numbers) * 3 // 2)
        self._bits, self._numbers, self._kinds, self._chats = (
            _wider(self._bits, capacity),
            _wider(self._numbers, capacity),
            _wider(self._kinds, capacity),
            _wider(self._chats, capacity),
        )

    def nearest(
        self, query: NDArray[np.float32], *, limit: int, kinds: tuple[int, ...], chats: Numbers | None
    ) -> list[int]:
        """Numbers of the vectors whose signs agree most with the query, unordered."""
        with self._lock:
            held = slice(self._size)
            bits, numbers = self._bits[:, held], self._numbers[held]
            kind_of, chat_of = self._kinds[held], self._chats[held]
        left_out = _left_out(kind_of, chat_of, kinds, chats)
        size = len(numbers) - (0 if left_out is None else int(np.count_nonzero(left_out)))
        if size <= limit:
            return _listed(numbers if left_out is None else numbers[~left_out])
        distances = _distances(bits, as_bits(query, self._words))
        if left_out is not None:
            distances[left_out] = self._dimension + 1
        near = _smallest(distances, min(limit * COARSE, size))
        return _listed(numbers[near[self._agreeing(bits[:, near], query, limit)]])

    def _agreeing(self, bits: Bits, query: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
        """Where the signs agree most with the query, each counting as much as the query's coordinate is large."""
        packed = np.ascontiguousarray(bits.T).view(np.uint8)
        positive = np.unpackbits(packed, axis=1, count=self._dimension).astype(np.float32)
        # A dot product a row stays on this thread; a matrix product would wait for busy cores.
        return np.argpartition(-np.vecdot(positive, query), limit - 1)[:limit]


def _left_out(
    kind_of: Kinds, chat_of: Numbers, kinds: tuple[int, ...], chats: Numbers | None
) -> NDArray[np.bool_] | None:
    """Which are of another kind or chat than wanted; None if it is none of them."""
    masks = [kind_of == kind for kind in range(4) if kind not in kinds]
    if chats is not None:
        masks.append(chat_of != chats[0] if len(chats) == 1 else ~np.isin(chat_of, chats))
    if not masks:
        return None
    left_out: NDArray[np.bool_] = np.logical_or.reduce(masks)
    return left_out if left_out.any() else None


def _distances(bits: Bits, question: Bits) -> NDArray[np.uint16]:
    """In how many bits each vector differs from the question."""
    size = bits.shape[1]
    distances = np.zeros(size, dtype=np.uint16)
    differing, counts = np.empty(min(size, BLOCK), np.uint64), np.empty(min(size, BLOCK), np.uint8)
    for start in range(0, size, BLOCK):
        total = distances[start : start + BLOCK]
        some = slice(len(total))
        for word, asked in zip(bits, question, strict=True):
            np.bitwise_xor(word[start : start + BLOCK], asked, out=differing[some])
            np.add(total, np.bitwise_count(differing[some], out=counts[some]), out=total)
    return distances


def _smallest(distances: NDArray[np.uint16], limit: int) -> NDArray[np.intp]:
    """Where the smallest are; of those at the edge the last, which are the youngest."""
    edge = int(np.searchsorted(np.cumsum(np.bincount(distances)), limit))
    nearer = np.flatnonzero(distances < edge)
    return np.concatenate([nearer, np.flatnonzero(distances == edge)[len(nearer) - limit :]])


def _wider(column: NDArray[Scalar], capacity: int) -> NDArray[Scalar]:
    room = np.empty((*column.shape[:-1], capacity - column.shape[-1]), column.dtype)
    return np.concatenate([column, room], axis=-1)


def _listed(numbers: Numbers) -> list[int]:
    listed: list[int] = numbers.tolist()
    return listed


class Shelves:
    """The shelves in use; the least recently used go when there is too much on them."""

    def __init__(self, largest: int = 256 * 2**20) -> None:
        self._largest = largest
        self._shelves: OrderedDict[tuple[int, int], Shelf] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, user_no: int, model_no: int, dimension: int) -> Shelf:
        with self._lock:
            shelf = self._shelves.pop((user_no, model_no), None) or Shelf(dimension)
            self._shelves[user_no, model_no] = shelf
            while len(self._shelves) > 1 and sum(s.nbytes for s in self._shelves.values()) > self._largest:
                self._shelves.popitem(last=False)
            return shelf

    def drop(self, user_no: int, model_no: int) -> None:
        with self._lock:
            self._shelves.pop((user_no, model_no), None)
