"""A user's vectors as bits in memory: a quick first look that says which rows to read."""

import threading
from collections import OrderedDict
from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

Bits: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

#: Vectors looked at in one go: small enough to stay in the processor's cache.
BLOCK = 16_384
#: More than any distance between two vectors.
FAR = np.iinfo(np.uint16).max


def as_bits(vectors: NDArray[np.generic], words: int) -> Bits:
    """The signs of the coordinates, 64 to a word."""
    packed = np.packbits(np.asarray(vectors) > 0, axis=-1)
    padded = np.zeros((*packed.shape[:-1], words * 8), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)


class Shelf:
    """Grows by what was written since the last look. Rows deleted since then are found out when they are read."""

    def __init__(self, dimension: int) -> None:
        self._words = -(-dimension // 64)
        self._dimension = dimension
        self._size = 0
        self._last = 0
        self._bits: Bits = np.empty((0, self._words), dtype=np.uint64)
        self._numbers: Numbers = np.empty(0, dtype=np.int64)
        self._passages: Numbers = np.empty(0, dtype=np.int64)
        self._chats: Numbers = np.empty(0, dtype=np.int64)
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        return self._bits.nbytes + 3 * self._numbers.nbytes

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        with self._lock:
            cursor = db.execute(
                "SELECT no, passage, chat_no, data FROM vectors"
                " WHERE user_no = ? AND model_no = ? AND no > ? ORDER BY no",
                (user_no, model_no, self._last),
            )
            rows: list[tuple[int, int, int, bytes]] = []
            for row in cursor:
                rows.append(row)
                if len(rows) == BLOCK:
                    self._append(rows)
                    rows = []
            self._append(rows)

    def _append(self, rows: list[tuple[int, int, int, bytes]]) -> None:
        if not rows:
            return
        numbers, passages, chats, data = zip(*rows, strict=True)
        end = self._size + len(rows)
        self._reserve(end)
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), self._dimension)
        self._bits[self._size : end] = as_bits(matrix, self._words)
        self._numbers[self._size : end] = numbers
        self._passages[self._size : end] = passages
        self._chats[self._size : end] = chats
        self._size, self._last = end, numbers[-1]

    def _reserve(self, size: int) -> None:
        if size <= len(self._numbers):
            return
        capacity = max(size, len(self._numbers) * 3 // 2)
        self._bits = np.concatenate(
            [self._bits, np.empty((capacity - len(self._bits), self._words), np.uint64)]
        )
        self._numbers, self._passages, self._chats = (
            np.concatenate([column, np.empty(capacity - len(column), np.int64)])
            for column in (self._numbers, self._passages, self._chats)
        )

    def nearest(
        self, query: NDArray[np.float32], *, limit: int, kinds: tuple[int, ...], chats: Numbers | None
    ) -> list[int]:
        """Numbers of the vectors whose signs agree most with the query's, unordered."""
        with self._lock:
            size, bits, passages, chat_of = self._size, self._bits, self._passages, self._chats
            numbers = self._numbers
        if not size:
            return []
        question = as_bits(query, self._words)
        distances = np.empty(size, dtype=np.uint16)
        for start in range(0, size, BLOCK):
            block = slice(start, min(start + BLOCK, size))
            np.bitwise_count(bits[block] ^ question).sum(axis=1, dtype=np.uint16, out=distances[block])
        if len(kinds) < 4:
            distances[~np.isin(passages[:size] & 3, kinds)] = FAR
        if chats is not None:
            distances[~np.isin(chat_of[:size], chats)] = FAR
        best = np.argpartition(distances, limit)[:limit] if size > limit else np.arange(size)
        return [int(n) for n in numbers[best[distances[best] < FAR]]]


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
