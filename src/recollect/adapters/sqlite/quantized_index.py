"""Vectors side by side in memory: as bits for a quick first look, and whole as long as they are not too many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Bits: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.int8]
Floats: TypeAlias = NDArray[np.float32]
Kinds: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]
Scalar = TypeVar("Scalar", bound=np.generic)

#: Vectors looked at twice for each one wanted: by the number of signs that agree, then by what each comes to.
COARSE = 4
#: But at least so many: of the real vectors of 42,000 turns 99.9 % of the ten nearest and 99 % of the fifty nearest are
#: among them.
LEAST = 768
#: Vectors looked at in one go: small enough to stay in the processor's cache.
BLOCK = 65_536
#: Words of 64 bits whose differences, added up, fit into a byte.
WORDS_OF_A_SUM = 3
#: Of many numbers so many tell about where the smallest end.
SAMPLE = 4_096

#: What lies further from the middle than this counts as if it lay here. Where all is about one thing, anything else
#: lies far out, and that alone does not make it an answer.
FAR = 0.15
#: The middle of fewer vectors says nothing about the next one.
FEW = 64
#: The kind of what was deleted.
GONE = 255


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
class Index:
    """Where the first so many passages stand."""

    passages: Numbers  #: in order
    places: Places

    @classmethod
    def of(cls, passages: Numbers) -> "Index":
        places = np.argsort(passages, kind="stable")
        return cls(passages=passages[places], places=places)

    def places_of(self, wanted: Numbers) -> Places:
        """Where those stand that are here; of a passage that is here twice, the younger one."""
        if not len(self.passages):
            return self.places
        at = np.searchsorted(self.passages, wanted, side="right") - 1
        found: Places = self.places[at[self.passages[at] == wanted]]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """
    What is kept of each vector: on which side of the middle it lies in each dimension, and what it stands for.

    The youngest stand last. Nothing in it changes; there may be room behind them for more.
    """

    middle: Floats  #: of all vectors
    bits: Bits  #: the first words of all vectors, then the second ones: so they are counted in long strides
    numbers: Numbers
    passages: Numbers
    kinds: Kinds
    chats: Numbers
    scales: Floats
    whole: Bytes | None  #: a row for each; None when they are too many
    index: Index
    present: frozenset[int] = frozenset()  #: the kinds that there are

    @classmethod
    def empty(cls, dimension: int) -> "Columns":
        nothing = np.empty(0, dtype=np.int64)
        return cls(
            middle=np.zeros(dimension, dtype=np.float32),
            bits=np.empty((_words(dimension), 0), dtype=np.uint64),
            numbers=nothing,
            passages=nothing,
            kinds=np.empty(0, dtype=np.uint8),
            chats=nothing,
            scales=np.empty(0, dtype=np.float32),
            whole=np.empty((0, dimension), dtype=np.int8),
            index=Index.of(nothing),
        )

    @property
    def nbytes(self) -> int:
        columns = (self.bits, self.numbers, self.passages, self.kinds, self.chats, self.scales)
        more = (self.index.passages, self.index.places, *(() if self.whole is None else (self.whole,)))
        return sum(column.nbytes for column in (*columns, *more))

    def first(self, size: int) -> "Columns":
        held = slice(size)
        return replace(
            self,
            bits=self.bits[:, held],
            numbers=self.numbers[held],
            passages=self.passages[held],
            kinds=self.kinds[held],
            chats=self.chats[held],
            scales=self.scales[held],
            whole=None if self.whole is None else self.whole[held],
        )

    def wider(self, capacity: int) -> "Columns":
        return replace(
            self,
            bits=_wider(self.bits, capacity, axis=1),
            numbers=_wider(self.numbers, capacity),
            passages=_wider(self.passages, capacity),
            kinds=_wider(self.kinds, capacity),
            chats=_wider(self.chats, capacity),
            scales=_wider(self.scales, capacity),
            whole=None if self.whole is None else _wider(self.whole, capacity),
        )

    def without(self, places: Places) -> "Columns":
        kinds = self.kinds.copy()
        kinds[places] = GONE
        return replace(self, kinds=kinds, present=self.present | {GONE})

    def sought(self, question: Floats, share: float) -> Sought:
        return Sought(question=question, middle=self.middle, share=share if len(self.numbers) >= FEW else 0.0)

    def nearest(self, sought: Sought, *, limit: int, kinds: Sequence[int], chats: Numbers | None) -> Places:
        """Where the nearest vectors stand, unordered; where only bits are kept, those that seem to be."""
        left_out = self._left_out(kinds, chats)
        size = len(self.numbers) - (0 if left_out is None else int(np.count_nonzero(left_out)))
        wanted = sought.question - sought.middle
        coarse = max(COARSE * limit, LEAST)
        if size > coarse:
            distances = _distances(self.bits, as_bits(wanted > 0, len(self.bits)))
            if left_out is not None:
                distances[left_out] = len(wanted) + 1
            near = _smallest(distances, coarse)
        else:
            near = np.arange(size) if left_out is None else np.flatnonzero(~left_out)
        if size <= limit:
            return near
        scores = _agreement(self.bits[:, near], wanted) if self.whole is None else self.nearness(near, sought)
        nearest: Places = near[np.argpartition(-scores, limit - 1)[:limit]]
        return nearest

    def nearness(self, places: Places, sought: Sought) -> Floats:
        """How near the vectors there are, if they are kept whole."""
        assert self.whole is not None
        # Rows are picked in half the time that an index of them takes.
        return sought.nearness(self.whole.take(places, axis=0), self.scales[places])

    def places_of(self, passages: Numbers) -> Places:
        """Where the vectors of these passages stand, as far as there are any; unordered."""
        places, indexed = self.index.places_of(passages), len(self.index.places)
        if indexed < len(self.passages):
            later = Index.of(self.passages[indexed:]).places_of(passages) + indexed
            places = np.concatenate([places, later])
        there: Places = places[self.kinds[places] != GONE]
        return there

    def _left_out(self, kinds: Sequence[int], chats: Numbers | None) -> NDArray[np.bool_] | None:
        """Which are of another kind or chat than wanted; None if it is none of them."""
        masks = [self.kinds == kind for kind in self.present.difference(kinds)]
        if chats is not None:
            masks.append(self.chats != chats[0] if len(chats) == 1 else ~np.isin(self.chats, chats))
        if not masks:
            return None
        left_out: NDArray[np.bool_] = np.logical_or.reduce(masks)
        return left_out if left_out.any() else None


def as_bits(positive: NDArray[np.bool_], words: int) -> Bits:
    """64 to a word."""
    packed = np.packbits(positive, axis=-1)
    padded = np.zeros((*packed.shape[:-1], words * 8), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)


def _words(dimension: int) -> int:
    return -(-dimension // 64)


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


def _smallest(distances: NDArray[np.uint16], limit: int) -> Places:
    """Where the smallest are; of those at the edge the last, which are the youngest."""
    step = len(distances) // SAMPLE
    if step > 1:
        # A sample says about where they end; the few that are left are looked at one by one.
        sample = np.sort(distances[::step])
        within = np.flatnonzero(distances <= sample[min(limit * 9 // (8 * step) + 8, len(sample) - 1)])
        if len(within) >= limit:
            return within[_smallest_of_few(distances[within], limit)]
    return _smallest_of_few(distances, limit)


def _smallest_of_few(distances: NDArray[np.uint16], limit: int) -> Places:
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
