"""Port for browsing memories: facet counts and past recalls."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from recollect.domain.memory_details import MemoryFacet, RecallUse
from recollect.domain.scope import Scope


class Statistics(Protocol):
    def count_by_facet(self, scope: Scope, *, contains: str | None = None) -> Mapping[MemoryFacet, int]:
        """Count memories by facet, optionally only those whose text contains a substring."""

    def recall_uses(self, scope: Scope, memory_id: str, *, limit: int) -> Sequence[RecallUse]:
        """Return the last recalls that had the memory among their candidates, newest first."""
