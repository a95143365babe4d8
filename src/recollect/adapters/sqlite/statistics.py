"""How much is remembered of what, and when it was recalled, in SQLite."""

from collections.abc import Mapping, Sequence

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.receipts import SqliteReceipts
from recollect.adapters.sqlite.rows import fetch, where
from recollect.domain.candidate import Source
from recollect.domain.memory import Band, Kind, Origin, Standing
from recollect.domain.memory_details import Sort, Use
from recollect.domain.scope import Scope

#: What `Band.of` says, of a row.
BAND = """
    CASE WHEN m.weight < 0.005 THEN 'trivial' WHEN m.weight < 0.305 THEN 'temporary'
    WHEN m.weight < 0.705 THEN 'context' ELSE 'critical' END
"""
#: All four as one text: SQLite groups by one column in two thirds of the time that four take.
SORT = f"m.standing || ' ' || m.kind || ' ' || m.origin || ' ' || {BAND}"
#: Letters, whatever their case: SQLite's own functions know the case of ASCII only, which is enough to leaf by.
CONTAINS = "instr(lower(m.text), lower(?)) > 0"


class SqliteBrowsing:
    def __init__(self, database: Database, receipts: SqliteReceipts) -> None:
        self._database = database
        self._receipts = receipts

    def census(self, scope: Scope, *, contains: str | None = None) -> Mapping[Sort, int]:
        with self._database.reading() as db:
            clause, values = where(
                {"m.user_no = ?": self._database.user(db, scope.user), CONTAINS: contains or None}
            )
            rows = fetch(db, f"SELECT {SORT}, count(*) FROM memories m {clause} GROUP BY 1", values)
        return {_sort(*words.split()): number for words, number in rows}

    def uses(self, scope: Scope, memory_id: str, *, limit: int) -> Sequence[Use]:
        found = self._receipts.naming(scope, memory_id, limit=limit)
        return [
            Use(
                receipt_id=receipt.id,
                at=receipt.created_at,
                chat=receipt.chat,
                query=receipt.query,
                fate=item.fate,
                score=item.score,
            )
            for receipt in found
            for item in receipt.items
            if item.source is Source.MEMORY and item.id == memory_id
        ]


def _sort(standing: str, kind: str, origin: str, band: str) -> Sort:
    return Sort(standing=Standing(standing), kind=Kind(kind), origin=Origin(origin), band=Band(band))
