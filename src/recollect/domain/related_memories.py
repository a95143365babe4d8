"""Stored memories that new facts may concern."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedMemories:
    """What new memories are compared with, read at once. See `Memories.related_to`."""

    memories: tuple[Memory, ...] = ()  #: in the order in which they were stored
    #: Ids and cosines of the memories nearest to each new memory, nearest first, by the new memory's id.
    nearest: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
