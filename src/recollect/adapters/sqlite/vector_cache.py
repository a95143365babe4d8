"""A user's vectors in memory, which follow the file: what is written there is put on, what is deleted is taken off."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import apsw
import numpy as np

from recollect.adapters.sqlite.quantized_index import Columns, Index, Numbers, as_bits
from recollect.adapters.sqlite.rows import Row, fetch, number

#: Bytes up to which vectors are kept whole.
WHOLE = 64 * 2**20
#: Vectors read in one go.
READ = 8_192
#: Vectors that are read in a millisecond or so.
MANY = 200
#: So many may be without a place in the index: they are put in order whenever they are asked for.
UNORDERED = 1_024
#: Where one in so many is gone, those that are left are read anew.
GAPS = 4

LATER = """
    SELECT count(*) FROM (SELECT 1 FROM vectors WHERE user_no = ? AND model_no = ? AND no > ? LIMIT ?)
"""
VECTORS = """
    SELECT no, passage, chat_no, scale, data FROM vectors
    WHERE user_no = ? AND model_no = ? AND no > ? ORDER BY no
"""
LAST_GONE = "SELECT max(no) FROM vectors_gone"
FIRST_GONE = "SELECT min(no) FROM vectors_gone"
GONE_SINCE = "SELECT group_concat(vector_no) FROM vectors_gone WHERE no > ?"


class Shelf:
    """Who looks at it gets all columns of one moment, whatever is put on or taken off meanwhile."""

    def __init__(self, dimension: int, *, whole: int = WHOLE) -> None:
        self._dimension = dimension
        self._whole = whole
        self._lock = threading.Lock()
        self._gone = 0
        self._empty()

    def _empty(self) -> None:
        self._columns = Columns.empty(self._dimension)
        self._size, self._last, self._middle_of, self._taken_off = 0, 0, 0, 0

    @property
    def nbytes(self) -> int:
        return self._columns.nbytes

    @property
    def held(self) -> Columns:
        with self._lock:
            return self._columns.first(self._size)

    def snapshot(self) -> "Shelf":
        """A shelf with the same vectors; what is put on it or taken off later is not so on this one."""
        copy = Shelf(self._dimension, whole=self._whole)
        with self._lock:
            copy._columns = self._columns.first(self._size)
            copy._size, copy._last, copy._middle_of = self._size, self._last, self._middle_of
            copy._gone, copy._taken_off = self._gone, self._taken_off
        return copy

    def lags(self, db: apsw.Connection, user_no: int, model_no: int) -> bool:
        """Whether so much was written since the last look that reading it takes a moment."""
        return number(db, LATER, (user_no, model_no, self._last, MANY)) == MANY

    def refresh(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
        with self._lock:
            # First, or what is deleted between the two would stay for good.
            last = number(db, LAST_GONE)
            self._take_off(db, last)
            self._put_on(db, user_no, model_no)
            if self._outgrown():
                self._empty()
                # This reader may know less than the one before: what is gone since then has to go once more.
                self._gone = last
                self._put_on(db, user_no, model_no)
            columns = self._columns
            if columns.whole is not None and self._size - len(columns.index.places) > UNORDERED:
                self._columns = replace(columns, index=Index.of(columns.passages[: self._size]))

    def _take_off(self, db: apsw.Connection, last: int) -> None:
        # Who reads the file as it was a moment ago may know less than the shelf.
        if last <= self._gone:
            return
        if self._size:
            if number(db, FIRST_GONE) > self._gone + 1:
                self._empty()
            else:
                [(listed,)] = fetch(db, GONE_SINCE, (self._gone,))
                self._remove(np.fromstring(listed, dtype=np.int64, sep=","))
        self._gone = last

    def _remove(self, gone: Numbers) -> None:
        numbers = self._columns.numbers[: self._size]
        at = np.minimum(np.searchsorted(numbers, gone), self._size - 1)
        places = at[numbers[at] == gone]
        self._taken_off += len(places)
        if self._taken_off * GAPS > self._size:
            self._empty()
        elif len(places):
            self._columns = self._columns.without(places)

    def _put_on(self, db: apsw.Connection, user_no: int, model_no: int) -> None:
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
        columns = self._columns
        if not self._size:
            # Texts of one user have much in common; what tells them apart lies around the middle of them all.
            columns = replace(columns, middle=(matrix * scale).mean(axis=0))
            self._middle_of = len(rows)
        begin, end = self._size, self._size + len(rows)
        if end * self._dimension > self._whole:
            columns = replace(columns, whole=None)
        if end > len(columns.numbers):
            columns = columns.wider(max(end, len(columns.numbers) * 3 // 2))
        kinds = np.array(passages) & 3
        columns.bits[:, begin:end] = as_bits(matrix * scale > columns.middle, len(columns.bits)).T
        columns.numbers[begin:end] = numbers
        columns.passages[begin:end] = passages
        columns.kinds[begin:end] = kinds
        columns.chats[begin:end] = chats
        columns.scales[begin:end] = scales
        if columns.whole is not None:
            columns.whole[begin:end] = matrix
        self._columns = replace(columns, present=columns.present | set(kinds.tolist()))
        self._size, self._last = end, numbers[-1]


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
