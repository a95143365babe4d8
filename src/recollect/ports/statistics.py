"""Leafs through what is remembered, as a person does who looks for nothing in particular."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from recollect.domain.memory_details import Sort, Use
from recollect.domain.scope import Scope


class Browsing(Protocol):
    def census(self, scope: Scope, *, contains: str | None = None) -> Mapping[Sort, int]:
        """How many memories there are of each sort, or of those that have these letters in them."""

    def uses(self, scope: Scope, memory_id: str, *, limit: int) -> Sequence[Use]:
        """The last recalls in which a memory was considered, the newest first."""
