"""Leafs through what is remembered, as a person does who looks for nothing in particular."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from recollect.domain.memory_details import MemoryFacet, RecallUse
from recollect.domain.scope import Scope


class Statistics(Protocol):
    def count_by_facet(self, scope: Scope, *, contains: str | None = None) -> Mapping[MemoryFacet, int]:
        """How many memories there are of each sort, or of those that have these letters in them."""

    def recall_uses(self, scope: Scope, memory_id: str, *, limit: int) -> Sequence[RecallUse]:
        """The last recalls in which a memory was considered, the newest first."""
