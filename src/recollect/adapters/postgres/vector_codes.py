"""
Codes of vectors: one bit per dimension, in blocks that a search reads whole.

A user with `MIN_PACKED_VECTORS` or more has codes. A bit tells whether the coordinate is above the centroid of the
user's vectors, so that all codes are written again when the centroid is computed again. The nearest by Hamming distance
contain the nearest by cosine (see `storage/quantization.py`), and are scored with their vectors. Codes of passages that
were deleted or changed are removed in the same statement (`postings.py`).

A process keeps the codes that it has read. Each search reads the versions of the blocks in its snapshot, and then those
blocks whose version it does not have, so that what was kept cannot be stale. In a write transaction nothing is kept,
since a rollback would give a version back.

Cost: 60 bytes per vector of 384 dimensions, at first: 6 MB for 100,000. Then 12 bytes per block of 128 vectors. To
compare all vectors in the server costs 0.3 to 0.4 µs for each.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.adapters.postgres.rows import Connection, array_literal, execute, fetch
from recollect.storage.bm25 import IntArray
from recollect.storage.passages import PASSAGE_KINDS
from recollect.storage.quantization import pack_words, smallest_distances

#: A user with fewer vectors has no codes: comparing the vectors takes about as long.
MIN_PACKED_VECTORS = 3_000
#: A block with this many vectors is full.
FULL_BLOCK_VECTORS = 128
#: `bit_send` begins with the number of bits.
CODE_HEADER_BYTES = 4
#: Memory of the codes that a process keeps, of the users who searched last: of a million vectors of 384 dimensions.
MAX_CACHED_BYTES = 128_000_000
VERSION_TYPE = np.dtype([("block", ">i4"), ("version", ">i8")])

#: One value for all blocks: number and version of each.
SELECT_VERSIONS = """
    SELECT string_agg(int4send(block) || int8send(version), ''::bytea ORDER BY block) FROM vector_blocks
    WHERE user_id = $1 AND model = $2
"""
SELECT_BLOCKS = """
    SELECT block, numbers, codes FROM vector_blocks
    WHERE user_id = $1 AND model = $2 AND block = ANY($3::text::integer[])
"""
#: The code of a query; no row if the user has no codes of this model and dimension.
SELECT_QUERY_CODE = """
    SELECT bit_send(binary_quantize($3::halfvec - centroid::halfvec)) FROM centroids
    WHERE user_id = $1 AND model = $2 AND dimension = $4 AND is_packed
"""
DELETE_BLOCKS = "DELETE FROM vector_blocks WHERE user_id = $1 AND model = $2"
INSERT_BLOCKS = f"""
    WITH numbered AS (
        SELECT v.passage_no, bit_send(binary_quantize(v.embedding - c.centroid::halfvec)) AS code,
            ((row_number() OVER (ORDER BY v.passage_no) - 1) / {FULL_BLOCK_VECTORS})::integer AS block
        FROM vectors v JOIN centroids c ON c.user_id = v.user_id AND c.model = v.model
        WHERE v.user_id = $1 AND v.model = $2
    )
    INSERT INTO vector_blocks (user_id, model, block, first_no, last_no, vectors, version, numbers, codes)
    SELECT $1, $2, block, min(passage_no), max(passage_no), count(*), $3::bigint,
        string_agg(int8send(passage_no), ''::bytea ORDER BY passage_no), string_agg(code, ''::bytea ORDER BY passage_no)
    FROM numbered GROUP BY block
"""
MARK_PACKED = "UPDATE centroids SET is_packed = true WHERE user_id = $1 AND model = $2"
#: Appends to the last block, without the codes that it may have of these passages.
APPEND_CODES = f"""
    INSERT INTO vector_blocks AS b (user_id, model, block, first_no, last_no, vectors, version, numbers, codes)
    SELECT $1, $2, coalesce(max(l.block + (l.vectors >= {FULL_BLOCK_VECTORS})::integer), 0), min(v.passage_no),
        max(v.passage_no), count(*), $4::bigint, string_agg(int8send(v.passage_no), ''::bytea ORDER BY v.passage_no),
        string_agg(bit_send(binary_quantize(v.embedding - c.centroid::halfvec)), ''::bytea ORDER BY v.passage_no)
    FROM vectors v JOIN centroids c ON c.user_id = v.user_id AND c.model = v.model
    LEFT JOIN LATERAL (
        SELECT block, vectors FROM vector_blocks WHERE user_id = $1 AND model = $2 ORDER BY block DESC LIMIT 1
    ) l ON true
    WHERE v.user_id = $1 AND v.model = $2 AND c.is_packed AND v.passage_no = ANY($3::text::bigint[])
    HAVING count(*) > 0
    ON CONFLICT (user_id, model, block) DO UPDATE SET first_no = least(b.first_no, excluded.first_no),
        last_no = greatest(b.last_no, excluded.last_no), vectors = b.vectors + excluded.vectors,
        version = b.version + 1, numbers = b.numbers || excluded.numbers, codes = b.codes || excluded.codes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """The codes of some vectors."""

    version: int
    passages: IntArray
    words: NDArray[np.uint64]  #: one row per vector


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCodes:
    """The codes of a user's vectors, in any order. A passage may occur twice, after its vector was replaced."""

    versions: bytes
    blocks: Mapping[int, CodeBlock]
    passages: IntArray
    words: NDArray[np.uint64]  #: one row per vector

    @property
    def nbytes(self) -> int:
        """The bytes in memory: the blocks, and the same once more in one piece."""
        return 2 * (self.passages.nbytes + self.words.nbytes)

    def nearest(self, query_code: bytes, limit: int, kinds: Sequence[int]) -> IntArray:
        """Return the passages of these kinds whose codes are nearest to the query, unordered: `limit`, or all."""
        query = pack_words(np.frombuffer(query_code, dtype=np.uint8)[np.newaxis, CODE_HEADER_BYTES:])
        distances = np.bitwise_count(self.words ^ query).sum(axis=1, dtype=np.uint16)
        passages = self.passages
        if len(kinds) < len(PASSAGE_KINDS):
            mask = np.isin(passages % len(PASSAGE_KINDS), kinds)
            passages, distances = passages[mask], distances[mask]
        if len(passages) <= limit:
            return passages
        return passages[smallest_distances(distances, limit)]


class VectorCodesCache:
    """Codes that this process has read, by user and model."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._cached: OrderedDict[tuple[str, str], VectorCodes] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, db: Connection, user: str, model: str, versions: bytes, *, keeps: bool) -> VectorCodes:
        """Return the codes with these versions, which the transaction has read; keep them if they are committed."""
        with self._lock:
            cached = self._cached.get((user, model)) if keeps else None
            if cached is not None:
                self._cached.move_to_end((user, model))
        if cached is not None and cached.versions == versions:
            return cached
        codes = _read_codes(db, user, model, versions, cached.blocks if cached is not None else {})
        if keeps:
            with self._lock:
                self._cached[user, model] = codes
                self._cached.move_to_end((user, model))
                while (
                    len(self._cached) > 1
                    and sum(each.nbytes for each in self._cached.values()) > self._max_bytes
                ):
                    self._cached.popitem(last=False)
        return codes


def _read_codes(
    db: Connection, user: str, model: str, versions: bytes, known: Mapping[int, CodeBlock]
) -> VectorCodes:
    expected = {int(block): int(version) for block, version in np.frombuffer(versions, dtype=VERSION_TYPE)}
    blocks = {
        block: known[block]
        for block, version in expected.items()
        if block in known and known[block].version == version
    }
    missing = array_literal(block for block in expected if block not in blocks)
    for block, numbers, data in fetch(db, SELECT_BLOCKS, (user, model, missing), binary=True):
        passages = np.frombuffer(numbers, dtype=">i8").astype(np.int64)
        packed = np.frombuffer(data, dtype=np.uint8).reshape(
            len(passages), len(data) // max(len(passages), 1)
        )
        blocks[block] = CodeBlock(
            version=expected[block], passages=passages, words=pack_words(packed[:, CODE_HEADER_BYTES:])
        )
    filled = [block for block in blocks.values() if len(block.passages)]
    return VectorCodes(
        versions=versions,
        blocks=blocks,
        passages=np.concatenate([block.passages for block in filled] or [np.empty(0, dtype=np.int64)]),
        words=np.concatenate([block.words for block in filled] or [np.empty((0, 1), dtype=np.uint64)]),
    )


def pack_vectors(db: Connection, user: str, model: str) -> None:
    """Write the codes of all of a user's vectors anew, relative to the current centroid."""
    execute(db, DELETE_BLOCKS, (user, model))
    execute(db, INSERT_BLOCKS, (user, model, _new_version()))
    execute(db, MARK_PACKED, (user, model))


def append_codes(db: Connection, user: str, model: str, passages: Iterable[int]) -> None:
    """Add the codes of these passages' vectors, if the user has codes."""
    execute(db, APPEND_CODES, (user, model, array_literal(passages), _new_version()))


def _new_version() -> int:
    """Return a version that no block has had: they are counted up from random numbers."""
    return secrets.randbits(62)
