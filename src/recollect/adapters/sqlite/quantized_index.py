"""Vectors side by side in memory: as bits for a quick first look, and whole as long as they are not too many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

BitMatrix: TypeAlias = NDArray[np.uint64]
Int8Matrix: TypeAlias = NDArray[np.int8]
FloatArray: TypeAlias = NDArray[np.float32]
KindArray: TypeAlias = NDArray[np.uint8]
IntArray: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.intp]
Scalar = TypeVar("Scalar", bound=np.generic)

#: Vectors looked at twice for each one wanted: by the number of signs that agree, then by what each comes to.
RESCORE_FACTOR = 4
#: But at least so many: of the real vectors of 42,000 turns 99.9 % of the ten nearest and 99 % of the fifty nearest are
#: among them.
MIN_RESCORED_VECTORS = 768
#: Vectors looked at in one go: small enough to stay in the processor's cache.
BLOCK_VECTORS = 65_536
#: Words of 64 bits whose differences, added up, fit into a byte.
WORDS_PER_BYTE_SUM = 3
#: Of many numbers so many tell about where the smallest end.
DISTANCE_SAMPLE_SIZE = 4_096

#: What lies further from the middle than this counts as if it lay here. Where all is about one thing, anything else
#: lies far out, and that alone does not make it an answer.
MAX_CENTROID_BONUS = 0.15
#: The middle of fewer vectors says nothing about the next one.
MIN_VECTORS_FOR_CENTROID = 64
#: The kind of what was deleted.
DELETED_KIND = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorQuery:
    """A question's vector, and how far nearness to the middle of all vectors is held against one."""

    vector: FloatArray
    centroid: FloatArray
    centroid_penalty: float

    def score(self, matrix: Int8Matrix, scales: FloatArray) -> FloatArray:
        """Cosines of vectors, a row for each, less what nearness to the middle lends them."""
        vectors = matrix.astype(np.float32)
        scores: FloatArray = np.vecdot(vectors, self.vector) * scales
        if self.centroid_penalty:
            excess = np.vecdot(vectors, self.centroid) * scales - np.vdot(self.centroid, self.centroid)
            scores -= np.float32(self.centroid_penalty) * np.maximum(excess, -MAX_CENTROID_BONUS)
        return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageIndex:
    """Where the first so many passages stand."""

    passages: IntArray  #: in order
    positions: Positions

    @classmethod
    def build(cls, passages: IntArray) -> "PassageIndex":
        positions = np.argsort(passages, kind="stable")
        return cls(passages=passages[positions], positions=positions)

    def positions_of(self, passages: IntArray) -> Positions:
        """Where those stand that are here; of a passage that is here twice, the younger one."""
        if not len(self.passages):
            return self.positions
        insertion_points = np.searchsorted(self.passages, passages, side="right") - 1
        positions: Positions = self.positions[insertion_points[self.passages[insertion_points] == passages]]
        return positions


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizedVectors:
    """
    What is kept of each vector: on which side of the middle it lies in each dimension, and what it stands for.

    The youngest stand last. Nothing in it changes; there may be room behind them for more.
    """

    centroid: FloatArray  #: of all vectors
    bits: BitMatrix  #: the first words of all vectors, then the second ones: so they are counted in long strides
    numbers: IntArray
    passages: IntArray
    kinds: KindArray
    chats: IntArray
    scales: FloatArray
    int8: Int8Matrix | None  #: a row for each; None when they are too many
    index: PassageIndex
    kinds_present: frozenset[int] = frozenset()  #: the kinds that there are

    @classmethod
    def empty(cls, dimension: int) -> "QuantizedVectors":
        no_numbers = np.empty(0, dtype=np.int64)
        return cls(
            centroid=np.zeros(dimension, dtype=np.float32),
            bits=np.empty((_words_per_vector(dimension), 0), dtype=np.uint64),
            numbers=no_numbers,
            passages=no_numbers,
            kinds=np.empty(0, dtype=np.uint8),
            chats=no_numbers,
            scales=np.empty(0, dtype=np.float32),
            int8=np.empty((0, dimension), dtype=np.int8),
            index=PassageIndex.build(no_numbers),
        )

    @property
    def nbytes(self) -> int:
        columns = (self.bits, self.numbers, self.passages, self.kinds, self.chats, self.scales)
        more = (self.index.passages, self.index.positions, *(() if self.int8 is None else (self.int8,)))
        return sum(column.nbytes for column in (*columns, *more))

    def prefix(self, size: int) -> "QuantizedVectors":
        rows = slice(size)
        return replace(
            self,
            bits=self.bits[:, rows],
            numbers=self.numbers[rows],
            passages=self.passages[rows],
            kinds=self.kinds[rows],
            chats=self.chats[rows],
            scales=self.scales[rows],
            int8=None if self.int8 is None else self.int8[rows],
        )

    def with_capacity(self, capacity: int) -> "QuantizedVectors":
        return replace(
            self,
            bits=_grow(self.bits, capacity, axis=1),
            numbers=_grow(self.numbers, capacity),
            passages=_grow(self.passages, capacity),
            kinds=_grow(self.kinds, capacity),
            chats=_grow(self.chats, capacity),
            scales=_grow(self.scales, capacity),
            int8=None if self.int8 is None else _grow(self.int8, capacity),
        )

    def with_deleted(self, positions: Positions) -> "QuantizedVectors":
        kinds = self.kinds.copy()
        kinds[positions] = DELETED_KIND
        return replace(self, kinds=kinds, kinds_present=self.kinds_present | {DELETED_KIND})

    def make_query(self, vector: FloatArray, centroid_penalty: float) -> VectorQuery:
        return VectorQuery(
            vector=vector,
            centroid=self.centroid,
            centroid_penalty=centroid_penalty if len(self.numbers) >= MIN_VECTORS_FOR_CENTROID else 0.0,
        )

    def nearest(
        self, query: VectorQuery, *, limit: int, kinds: Sequence[int], chats: IntArray | None
    ) -> Positions:
        """Where the nearest vectors stand, unordered; where only bits are kept, those that seem to be."""
        excluded_mask = self._exclusion_mask(kinds, chats)
        size = len(self.numbers) - (0 if excluded_mask is None else int(np.count_nonzero(excluded_mask)))
        direction = query.vector - query.centroid
        rescored_count = max(RESCORE_FACTOR * limit, MIN_RESCORED_VECTORS)
        if size > rescored_count:
            distances = _hamming_distances(self.bits, pack_bits(direction > 0, len(self.bits)))
            if excluded_mask is not None:
                distances[excluded_mask] = len(direction) + 1
            candidates = _argsmallest(distances, rescored_count)
        else:
            candidates = np.arange(size) if excluded_mask is None else np.flatnonzero(~excluded_mask)
        if size <= limit:
            return candidates
        scores = (
            _sign_agreement(self.bits[:, candidates], direction)
            if self.int8 is None
            else self.score(candidates, query)
        )
        best: Positions = candidates[np.argpartition(-scores, limit - 1)[:limit]]
        return best

    def score(self, positions: Positions, query: VectorQuery) -> FloatArray:
        """How near the vectors there are, if they are kept whole."""
        assert self.int8 is not None
        # Rows are picked in half the time that an index of them takes.
        return query.score(self.int8.take(positions, axis=0), self.scales[positions])

    def positions_of(self, passages: IntArray) -> Positions:
        """Where the vectors of these passages stand, as far as there are any; unordered."""
        positions, indexed_count = self.index.positions_of(passages), len(self.index.positions)
        if indexed_count < len(self.passages):
            later_positions = (
                PassageIndex.build(self.passages[indexed_count:]).positions_of(passages) + indexed_count
            )
            positions = np.concatenate([positions, later_positions])
        live_positions: Positions = positions[self.kinds[positions] != DELETED_KIND]
        return live_positions

    def _exclusion_mask(self, kinds: Sequence[int], chats: IntArray | None) -> NDArray[np.bool_] | None:
        """Which are of another kind or chat than wanted; None if it is none of them."""
        masks = [self.kinds == kind for kind in self.kinds_present.difference(kinds)]
        if chats is not None:
            masks.append(self.chats != chats[0] if len(chats) == 1 else ~np.isin(self.chats, chats))
        if not masks:
            return None
        excluded_mask: NDArray[np.bool_] = np.logical_or.reduce(masks)
        return excluded_mask if excluded_mask.any() else None


def pack_bits(positive: NDArray[np.bool_], words: int) -> BitMatrix:
    """64 to a word."""
    packed = np.packbits(positive, axis=-1)
    padded = np.zeros((*packed.shape[:-1], words * 8), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)


def _words_per_vector(dimension: int) -> int:
    return -(-dimension // 64)


def _hamming_distances(bits: BitMatrix, query_bits: BitMatrix) -> NDArray[np.uint16]:
    """In how many bits each vector differs from the question."""
    size = bits.shape[1]
    distances = np.zeros(size, dtype=np.uint16)
    difference = np.empty(min(size, BLOCK_VECTORS), np.uint64)
    counts, sums = np.empty((2, min(size, BLOCK_VECTORS)), np.uint8)
    for start in range(0, size, BLOCK_VECTORS):
        total = distances[start : start + BLOCK_VECTORS]
        block = slice(len(total))
        # Bytes add up several times as fast as wider numbers.
        for first in range(0, len(bits), WORDS_PER_BYTE_SUM):
            sums[block] = 0
            for word in range(first, min(first + WORDS_PER_BYTE_SUM, len(bits))):
                np.bitwise_xor(
                    bits[word, start : start + BLOCK_VECTORS], query_bits[word], out=difference[block]
                )
                np.add(sums[block], np.bitwise_count(difference[block], out=counts[block]), out=sums[block])
            total += sums[block]
    return distances


def _argsmallest(distances: NDArray[np.uint16], limit: int) -> Positions:
    """Where the smallest are; of those at the edge the last, which are the youngest."""
    step = len(distances) // DISTANCE_SAMPLE_SIZE
    if step > 1:
        # A sample says about where they end; the few that are left are looked at one by one.
        sample = np.sort(distances[::step])
        candidates = np.flatnonzero(distances <= sample[min(limit * 9 // (8 * step) + 8, len(sample) - 1)])
        if len(candidates) >= limit:
            return candidates[_argsmallest_exact(distances[candidates], limit)]
    return _argsmallest_exact(distances, limit)


def _argsmallest_exact(distances: NDArray[np.uint16], limit: int) -> Positions:
    edge = int(np.searchsorted(np.cumsum(np.bincount(distances)), limit))
    nearer = np.flatnonzero(distances < edge)
    return np.concatenate([nearer, np.flatnonzero(distances == edge)[len(nearer) - limit :]])


def _sign_agreement(bits: BitMatrix, direction: FloatArray) -> FloatArray:
    """How much the signs agree with those wanted, each counting as much as it is wanted."""
    packed = np.ascontiguousarray(bits.T).view(np.uint8)
    positive = np.unpackbits(packed, axis=1, count=len(direction)).astype(np.float32)
    # A dot product a row stays on this thread; a matrix product would wait for busy cores.
    agreement: FloatArray = np.vecdot(positive, direction)
    return agreement


def _grow(column: NDArray[Scalar], capacity: int, *, axis: int = 0) -> NDArray[Scalar]:
    shape = list(column.shape)
    shape[axis] = capacity - column.shape[axis]
    return np.concatenate([column, np.empty(shape, column.dtype)], axis=axis)
