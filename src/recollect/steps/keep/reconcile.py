"""What a new fact does to what is known."""

from dataclasses import replace
from datetime import datetime

from recollect.model.memory import Memory


def reinforced(known: Memory, said: Memory, now: datetime) -> Memory:
    """Known, and said again: seen now, once more, as heavy as the heavier of the two, with both sources."""
    return replace(
        known,
        seen_at=max(known.seen_at, now),
        updated_at=now,
        sightings=known.sightings + 1,
        weight=max(known.weight, said.weight),
        tags=tuple(dict.fromkeys((*known.tags, *said.tags))),
        spans=tuple(dict.fromkeys((*known.spans, *said.spans))),
    )
