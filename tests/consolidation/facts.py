"""Builders of stated facts and known memories."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.consolidation.known_memories import KnownMemories
from recollect.consolidation.stated_fact import StatedFact
from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind, Memory, Origin
from recollect.domain.message import Message, Role
from recollect.domain.outcomes import Conflicting, FactOutcome, New, Reinforced, Rejected, Superseded
from recollect.testing.builders import a_message
from recollect.testing.clock import MONDAY

HOUR = timedelta(hours=1)
NOW = MONDAY + timedelta(days=30)


def a_said_message(hour: int, *, role: Role = Role.USER) -> Message:
    """Build the message that was sent so many hours after Monday morning."""
    return a_message(f"message of hour {hour}", id=f"m{hour}", role=role, created_at=MONDAY + hour * HOUR)


def state(
    text: str,
    hour: int,
    *,
    kind: Kind = Kind.BIOGRAPHY,
    attribute: str | None = None,
    value: str | None = None,
    negated: bool = False,
    role: Role = Role.USER,
    start: int = 0,
) -> StatedFact:
    """Build a fact stated so many hours after Monday morning. Its memory has the id `TEXT@HOUR`."""
    fact = Fact(
        text=text,
        kind=kind,
        weight=0.5,
        start=start,
        end=start + len(text),
        attribute=attribute,
        value=value,
        negated=negated,
    )
    return StatedFact.from_fact(
        a_said_message(hour, role=role), fact, Origin.RULES, memory_id=f"{text}@{hour}", now=NOW
    )


def known_memories(
    *memories: Memory, nearest: Mapping[str, Sequence[tuple[str, float]]] | None = None
) -> KnownMemories:
    return KnownMemories(memories={memory.id: memory for memory in memories}, nearest=nearest or {})


def a_memory(text: str, hour: int, **changes: object) -> Memory:
    """Build the memory learned from a fact that was stated so many hours after Monday morning."""
    kind, attribute, value = (changes.pop(name, None) for name in ("kind", "attribute", "value"))
    fact = state(
        text,
        hour,
        kind=kind if isinstance(kind, Kind) else Kind.BIOGRAPHY,
        attribute=None if attribute is None else str(attribute),
        value=None if value is None else str(value),
    )
    return replace(fact.memory, **changes)  # type: ignore[arg-type]


def summarize(outcome: FactOutcome) -> tuple[str, ...]:
    """Return the name of an outcome with the texts that it concerns, which table tests compare."""
    match outcome:
        case New(memory=memory):
            return ("new", memory.status.value, memory.text)
        case Reinforced(memory=memory):
            return ("reinforced", memory.text, str(memory.times_stated))
        case Superseded(memory=memory, old=old):
            return ("superseded", old.text, memory.text if memory else "-")
        case Conflicting(memory=memory, against=against):
            return ("conflicting", memory.text, against.text)
        case Rejected(text=text, memory=known):
            return ("rejected", text, known.text if known else "-")


def at_hour(hour: int) -> datetime:
    return MONDAY + hour * HOUR
