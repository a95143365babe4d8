"""
A fact on its way into memory.

A message passes through four types until it is remembered:

- `Extraction`: what an extractor keeps of one message. It is stored, so that a replay needs no second model call.
- `Fact`: one statement of it, with its span. It knows nothing of users, ids or other facts.
- `StatedFact`: the fact as stated by a user in a message, in the form of the memory it would become. Consolidation and
  replay compare memories with memories, so that reinforcing, merging and superseding need one representation. It adds
  only the polarity, which decides what a fact does and is not stored: a retraction ends a memory and is none.
- `FactOutcome`: what happened to the memories. Stores write it, interfaces show it, tests compare it.

Vectors are no part of these types. They are cached by text beside them, and the store compares them.
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.extraction import Fact
from recollect.domain.memory import Memory, Origin, SourceSpan
from recollect.domain.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact as stated in one message, in the form of the memory it would become."""

    memory: Memory
    negated: bool = False

    @classmethod
    def from_fact(
        cls, message: Message, fact: Fact, origin: Origin, *, memory_id: str, now: datetime
    ) -> "StatedFact":
        memory = Memory(
            id=memory_id,
            user=message.user,
            chat=message.chat,
            text=fact.text,
            kind=fact.kind,
            weight=fact.weight,
            origin=origin,
            speaker=message.role,
            attribute=fact.attribute,
            value=fact.value,
            valid_from=fact.valid_from,
            created_at=message.created_at,
            updated_at=now,
            last_stated_at=message.created_at,
            metadata=message.metadata,
            spans=(SourceSpan(message_id=message.id, start=fact.start, end=fact.end),),
        )
        return cls(memory=memory, negated=fact.negated)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the copies of a message in branched chats, so that a copy does not count as stated again."""
        return (self.memory.created_at, self.memory.fact_hash, *((s.start, s.end) for s in self.memory.spans))
