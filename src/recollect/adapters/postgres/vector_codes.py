"""
Codes of vectors: one bit per dimension, in blocks that a search reads whole.

A user with `MIN_PACKED_VECTORS` or more has codes. A bit tells whether the coordinate is above the centroid of the
user's vectors, so that all codes are written again when the centroid is computed again. The nearest by Hamming distance
contain the nearest by cosine (see `storage/quantization.py`), and are scored with their vectors. Codes of passages that
were deleted or changed are removed in the same statement (`postings.py`).

Cost: 60 bytes per vector of 384 dimensions, read by each search of all chats: 6 MB for 100,000, which takes less time
than a comparison of all vectors in the server, since that costs 0.3 µs for each row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.adapters.postgres.rows import Connection, Row, array_literal, execute
from recollect.storage.bm25 import IntArray
from recollect.storage.passages import PASSAGE_KINDS
from recollect.storage.quantization import pack_words, smallest_distances

#: A user with fewer vectors has no codes: comparing the vectors takes about as long.
MIN_PACKED_VECTORS = 3_000
#: A block with this many vectors is full.
FULL_BLOCK_VECTORS = 128
#: `bit_send` begins with the number of bits.
CODE_HEADER_BYTES = 4

SELECT_BLOCKS = "SELECT numbers, codes FROM vector_blocks WHERE user_id = $1 AND model = $2"
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
    INSERT INTO vector_blocks (user_id, model, block, first_no, last_no, vectors, numbers, codes)
    SELECT $1, $2, block, min(passage_no), max(passage_no), count(*),
        string_agg(int8send(passage_no), ''::bytea ORDER BY passage_no), string_agg(code, ''::bytea ORDER BY passage_no)
    FROM numbered GROUP BY block
"""
MARK_PACKED = "UPDATE centroids SET is_packed = true WHERE user_id = $1 AND model = $2"
#: Appends to the last block, without the codes that it may have of these passages.
APPEND_CODES = f"""
    INSERT INTO vector_blocks AS b (user_id, model, block, first_no, last_no, vectors, numbers, codes)
    SELECT $1, $2, coalesce(max(l.block + (l.vectors >= {FULL_BLOCK_VECTORS})::integer), 0), min(v.passage_no),
        max(v.passage_no), count(*), string_agg(int8send(v.passage_no), ''::bytea ORDER BY v.passage_no),
        string_agg(bit_send(binary_quantize(v.embedding - c.centroid::halfvec)), ''::bytea ORDER BY v.passage_no)
    FROM vectors v JOIN centroids c ON c.user_id = v.user_id AND c.model = v.model
    LEFT JOIN LATERAL (
        SELECT block, vectors FROM vector_blocks WHERE user_id = $1 AND model = $2 ORDER BY block DESC LIMIT 1
    ) l ON true
    WHERE v.user_id = $1 AND v.model = $2 AND c.is_packed AND v.passage_no = ANY($3::text::bigint[])
    HAVING count(*) > 0
    ON CONFLICT (user_id, model, block) DO UPDATE SET first_no = least(b.first_no, excluded.first_no),
        last_no = greatest(b.last_no, excluded.last_no), vectors = b.vectors + excluded.vectors,
        numbers = b.numbers || excluded.numbers, codes = b.codes || excluded.codes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCodes:
    """The codes of a user's vectors, in any order. A passage may occur twice, after its vector was replaced."""

    passages: IntArray
    words: NDArray[np.uint64]  #: one row per vector

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> "VectorCodes":
        blocks = list(rows)
        passages = np.frombuffer(b"".join(numbers for numbers, _ in blocks), dtype=">i8").astype(np.int64)
        codes = np.frombuffer(b"".join(codes for _, codes in blocks), dtype=np.uint8)
        packed = codes.reshape(len(passages), len(codes) // max(len(passages), 1))
        return cls(passages=passages, words=pack_words(packed[:, CODE_HEADER_BYTES:]))

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


def pack_vectors(db: Connection, user: str, model: str) -> None:
    """Write the codes of all of a user's vectors anew, relative to the current centroid."""
    execute(db, DELETE_BLOCKS, (user, model))
    execute(db, INSERT_BLOCKS, (user, model))
    execute(db, MARK_PACKED, (user, model))


def append_codes(db: Connection, user: str, model: str, passages: Iterable[int]) -> None:
    """Add the codes of these passages' vectors, if the user has codes."""
    execute(db, APPEND_CODES, (user, model, array_literal(passages)))
