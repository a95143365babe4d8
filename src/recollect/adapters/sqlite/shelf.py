"""A user's vectors in memory: as bits for a quick first look, and whole as long as they are not too many."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.adapters.sqlite.rows import Row, number

Bits: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.int8]
Floats: TypeAlias = NDArray[np.float32]
Kinds: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)

#: Vectors looked at twice for each one wanted: by the number of signs that agree, then by what each comes to.
COARSE = 4
#: At least so many are wanted: the first look is coarse.
LEAST = 256
#: Bytes up to which vectors are kept whole.
WHOLE = 64 * 2**20
#: Rows read from disk for each vector wanted: those that were deleted meanwhile are found out then; where only bits are
#: kept, so is the order.
READ_WHOLE = 2
READ_BITS = 16
READ_BITS_LEAST = 1_024
#: Vectors looked at in one go: small enough to stay in the processor's cache.
BLOCK = 65_536
#: Words of 64 bits whose differences, added up, fit into a byte.
WORDS_OF_A_SUM = 3
#: Of many numbers so many tell about where the smallest end.
SAMPLE = 4_096
#: Vectors read in one go.
READ = 8_192

#: What lies further from the middle than this counts as if it lay here. Where all is about one thing, anything else
#: lies far out, and that alone does not make it an answer.
FAR = 0.15
#: The middle of fewer vectors says nothing about the next one.
FEW = 64
#: Vectors that are read in a millisecond or so.
MANY = 200

LATER = """
    SELECT count(*) FROM (SELECT 1 FROM vectors WHERE user_no = ? AND model_no = ? AND no > ? LIMIT ?)
"""
VECTORS = """
    SELECT no, passage, chat_no, scale, data FROM vectors
    WHERE user_no = ? AND model_no = ? AND no > ? ORDER BY no
"""


def as_bits(positive: NDArray[np.bool_], words: int) -> Bits:
    """64 to a word."""
    packed = np.packbits(positive, axis=-1)
    padded = np.zeros((*packed.shape[:-1], words * 8), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A question's vector, and how far nearness to the middle of all vectors is held against one."""

    question: Floats
    middle: Floats
    share: float

    def nearness(self, matrix: Bytes, scales: Floats) -> Floats:
        """Cosines of vectors, a row for each, less what nearness to the middle lends them."""
        vectors = matrix.astype(np.float32)
        near: Floats = np.vecdot(vectors, self.question) * scales
        if self.share:
            beyond = np.vecdot(vectors, self.middle) * scales - np.vdot(self.middle, self.middle)
            near -= np.float32(self.share) * np.maximum(beyond, -FAR)
        return near


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What is kept of each vector: on which side of the middle it lies in each dimension, and what it stands for."""

    bits: Bits  #: the first words of all vectors, then the second ones: so they are counted in long strides
    numbers: Numbers
    kinds: Kinds
    chats: Numbers
    scales: Floats
    whole: Bytes | None  #: a row for each; None when they are too many

    def first(self, size: int) -> "Columns":
        held = slice(size)
        return Columns(
            bits=self.bits[:, held],
            numbers=self.numbers[held],
            kinds=self.kinds[held],
            chats=self.chats[held],
            scales=self.scales[held],
            whole=None if self.whole is None else self.whole[held],
        )

    def wider(self, capacity: int) -> "Columns":
        return Columns(
            bits=_wider(self.bits, capacity, axis=1),
            numbers=_wider(self.numbers, capacity),
            kinds=_wider(self.kinds, capacity),
            chats=_wider(self.chats, capacity),
            scales=_wider(self.scales, capacity),
            whole=None if self.whole is None else _wider(self.whole, capacity),
        )

    @property
    def nbytes(self) -> int:
        columns = (self.bits, self.numbers, self.kinds, self.chats, self.scales)
        return sum(column.nbytes for column in columns) + (0 if self.whole is None else self.whole.nbytes)


class Shelf:
    """Grows by what was written since the last look. Rows deleted since then are found out when they are read."""

    def __init__(self, dimension: int, *, whole: int = WHOLE) -> None:
        self._dimension = dimension
        self._whole = whole
        self._words = -(-dimension // 64)
        self._lock = threading.Lock()
        self._empty()

    def _empty(self) -> None:
        self._columns = Columns(
            bits=np.empty((self._words, 0), dtype=np.uint64),
            numbers=np.empty(0, dtype=np.int64),
            kinds=np.empty(0, dtype=np.uint8),
            chats=np.empty(0, dtype=np.int64),
            scales=np.empty(0, dtype=np.float32),
            whole=np.empty((0, self._dimension), dtype=np.int8),
        )
        self._size, self._last = 0, 0
        self._middle: Floats = np.zeros(self._dimension, dtype=np.float32)
        self._middle_of = 0

    @property
    def nbytes(self) -> int:
        return self._columns.nbytes

    @property
    def size(self) -> int:
        return self._size

    def sought(self, question: Floats, share: float) -> Sought:
        return Sought(question=question, middle=self._middle, share=share if self._size >= FEW else 0.0)

    def snapshot(self) -> "Shelf":
        """A shelf with the same vectors; what is put on it later is not on this one."""
        copy = Shelf(self._dimension, whole=self._whole)
        with self._lock:
            copy._columns = self._columns.first(self._size)
            copy._size, copy._last = self._size, self._last
            copy._middle, copy._middle_of = self._middle, self._middle_of
        return copy

    def lags(self, db: apsw.Connection, user_no: int, model_no: int) -> bool:
        """Whether so much was written since the last look that reading it takes a moment."""
        return number(db, LATER, (user_no, model_no, self._last, MANY)) == MANY

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        with self._lock:
            self._read(db, user_no, model_no)
            if self._outgrown():
                self._empty()
                self._read(db, user_no, model_no)

    def _read(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        cursor = db.execute(VECTORS, (user_no, model_no, self._last))
        while rows := list(islice(cursor, READ)):
            self._append(rows)

    def _outgrown(self) -> bool:
        """The middle of a few vectors is not yet that of many."""
        return self._middle_of < READ and self._size >= max(2 * self._middle_of, 1)

    def _append(self, rows: Sequence[Row]) -> None:
        numbers, passages, chats, scales, data = zip(*rows, strict=True)
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), self._dimension)
        scale = np.array(scales, dtype=np.float32)[:, None]
        if not self._size:
            # Texts of one user have much in common; what tells them apart lies around the middle of them all.
            self._middle, self._middle_of = (matrix * scale).mean(axis=0), len(rows)
        begin, end = self._size, self._size + len(rows)
        if end * self._dimension > self._whole:
            self._columns = replace(self._columns, whole=None)
        if end > len(self._columns.numbers):
            self._columns = self._columns.wider(max(end, len(self._columns.numbers) * 3 // 2))
        columns = self._columns
        columns.bits[:, begin:end] = as_bits(matrix * scale > self._middle, self._words).T
        columns.numbers[begin:end] = numbers
        columns.kinds[begin:end] = np.array(passages) & 3
        columns.chats[begin:end] = chats
        columns.scales[begin:end] = scales
        if columns.whole is not None:
            columns.whole[begin:end] = matrix
        self._size, self._last = end, numbers[-1]

    def rows_to_read(self, limit: int) -> int:
        """How many of the nearest to read so that the `limit` nearest are among them."""
        if self._columns.whole is not None:
            return READ_WHOLE * limit
        return max(READ_BITS * limit, READ_BITS_LEAST)

    def nearest(
        self, sought: Sought, *, limit: int, kinds: tuple[int, ...], chats: Numbers | None
    ) -> list[int]:
        """Numbers of the nearest vectors, unordered; where only bits are kept, of those that seem to be."""
        with self._lock:
            held = self._columns.first(self._size)
        left_out = _left_out(held, kinds, chats)
        size = len(held.numbers) - (0 if left_out is None else int(np.count_nonzero(left_out)))
        if size <= limit:
            return _listed(held.numbers if left_out is None else held.numbers[~left_out])
        wanted = sought.question - sought.middle
        distances = _distances(held.bits, as_bits(wanted > 0, self._words))
        if left_out is not None:
            distances[left_out] = self._dimension + 1
        near = _smallest(distances, min(max(limit, LEAST) * COARSE, size))
        if held.whole is None:
            scores = _agreement(held.bits[:, near], wanted)
        else:
            scores = sought.nearness(held.whole[near], held.scales[near])
        return _listed(held.numbers[near[np.argpartition(-scores, limit - 1)[:limit]]])

    def nearness(self, numbers: Numbers, sought: Sought) -> Floats | None:
        """How near vectors are, by their numbers; None if not all of them are here whole."""
        with self._lock:
            held = self._columns.first(self._size)
        if held.whole is None or not len(held.numbers):
            return None
        at = np.minimum(np.searchsorted(held.numbers, numbers), len(held.numbers) - 1)
        if not np.array_equal(held.numbers[at], numbers):
            return None
        return sought.nearness(held.whole[at], held.scales[at])


def _left_out(held: Columns, kinds: tuple[int, ...], chats: Numbers | None) -> NDArray[np.bool_] | None:
    """Which are of another kind or chat than wanted; None if it is none of them."""
    masks = [held.kinds == kind for kind in range(4) if kind not in kinds]
    if chats is not None:
        masks.append(held.chats != chats[0] if len(chats) == 1 else ~np.isin(held.chats, chats))
    if not masks:
        return None
    left_out: NDArray[np.bool_] = np.logical_or.reduce(masks)
    return left_out if left_out.any() else None


def _distances(bits: Bits, question: Bits) -> NDArray[np.uint16]:
    """In how many bits each vector differs from the question."""
    size = bits.shape[1]
    distances = np.zeros(size, dtype=np.uint16)
    differing = np.empty(min(size, BLOCK), np.uint64)
    counts, sums = np.empty((2, min(size, BLOCK)), np.uint8)
    for start in range(0, size, BLOCK):
        total = distances[start : start + BLOCK]
        some = slice(len(total))
        # Bytes add up several times as fast as wider numbers.
        for first in range(0, len(bits), WORDS_OF_A_SUM):
            sums[some] = 0
            for word in range(first, min(first + WORDS_OF_A_SUM, len(bits))):
                np.bitwise_xor(bits[word, start : start + BLOCK], question[word], out=differing[some])
                np.add(sums[some], np.bitwise_count(differing[some], out=counts[some]), out=sums[some])
            total += sums[some]
    return distances


def _smallest(distances: NDArray[np.uint16], limit: int) -> NDArray[np.intp]:
    """Where the smallest are; of those at the edge the last, which are the youngest."""
    step = len(distances) // SAMPLE
    if step > 1:
        # A sample says about where they end; the few that are left are looked at one by one.
        sample = np.sort(distances[::step])
        within = np.flatnonzero(distances <= sample[min(limit * 9 // (8 * step) + 8, len(sample) - 1)])
        if len(within) >= limit:
            return within[_smallest_of_few(distances[within], limit)]
    return _smallest_of_few(distances, limit)


def _smallest_of_few(distances: NDArray[np.uint16], limit: int) -> NDArray[np.intp]:
    edge = int(np.searchsorted(np.cumsum(np.bincount(distances)), limit))
    nearer = np.flatnonzero(distances < edge)
    return np.concatenate([nearer, np.flatnonzero(distances == edge)[len(nearer) - limit :]])


def _agreement(bits: Bits, wanted: Floats) -> Floats:
    """How much the signs agree with those wanted, each counting as much as it is wanted."""
    packed = np.ascontiguousarray(bits.T).view(np.uint8)
    positive = np.unpackbits(packed, axis=1, count=len(wanted)).astype(np.float32)
    # A dot product a row stays on this thread; a matrix product would wait for busy cores.
    agreement: Floats = np.vecdot(positive, wanted)
    return agreement


def _wider(column: NDArray[Scalar], capacity: int, *, axis: int = 0) -> NDArray[Scalar]:
    shape = list(column.shape)
    shape[axis] = capacity - column.shape[axis]
    return np.concatenate([column, np.empty(shape, column.dtype)], axis=axis)


def _listed(numbers: Numbers) -> list[int]:
    listed: list[int] = numbers.tolist()
    return listed


class Shelves:
    """The shelves in use; the least recently used go when there is too much on them."""

    def __init__(self, largest: int = 256 * 2**20, *, whole: int = WHOLE) -> None:
        self._largest = largest
        self._whole = whole
        self._shelves: OrderedDict[tuple[int, int], Shelf] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, user_no: int, model_no: int, dimension: int) -> Shelf:
        with self._lock:
            shelf = self._shelves.pop((user_no, model_no), None) or Shelf(dimension, whole=self._whole)
            self._shelves[user_no, model_no] = shelf
            while len(self._shelves) > 1 and sum(s.nbytes for s in self._shelves.values()) > self._largest:
                self._shelves.popitem(last=False)
            return shelf

    def drop(self, user_no: int, model_no: int) -> None:
        with self._lock:
            self._shelves.pop((user_no, model_no), None)
