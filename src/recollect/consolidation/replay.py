"""Works out what is known from what was said, as if it had been heard in order; for what was said anew, or unsaid."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.reconciliation import Contest, Echo, Join, Reinforce, Replace, decide
from recollect.domain.extraction import Fact
from recollect.domain.memory import Change, Memory, Origin, Span, Standing
from recollect.domain.message import Message
from recollect.domain.policy import Keep

#: How near two texts are, if anybody knows.
Likeness: TypeAlias = Callable[[str, str], float | None]

#: What a user wrote is theirs, and is not worked out again.
THEIRS = frozenset({Origin.MANUAL, Origin.IMPORT})
#: What a user does to a memory to make it theirs.
BY_HAND = frozenset({Change.UPDATE, Change.RESTORE})
#: Only these come of what was said; the others come of what was done.
HEARD = frozenset({Standing.ACTIVE, Standing.SUPERSEDED, Standing.CONTESTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A fact as it stood in one message."""

    memory: Memory
    negated: bool = False

    @classmethod
    def of(cls, message: Message, fact: Fact, origin: Origin, *, name: str, now: datetime) -> "Saying":
        memory = Memory(
            id=name,
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
            seen_at=message.created_at,
            spans=(Span(message_id=message.id, start=fact.start, end=fact.end),),
        )
        return cls(memory=memory, negated=fact.negated)

    @property
    def key(self) -> tuple[object, ...]:
        """A copy of a message, in a chat that branched off, says nothing new."""
        return (self.memory.created_at, self.memory.fact_hash, *((s.start, s.end) for s in self.memory.spans))


def is_theirs(memory: Memory, changes: Collection[Change]) -> bool:
    """Whether the user wrote it, corrected it, pinned it or brought it back: then it stays, whatever becomes of
    the messages it was learned from.
    """
    return memory.origin in THEIRS or memory.pinned or not BY_HAND.isdisjoint(changes)


def replay(
    known: Sequence[Memory],
    sayings: Iterable[Saying],
    *,
    buried: Mapping[str, datetime],
    likeness: Likeness,
    policy: Keep,
    now: datetime,
) -> list[Memory]:
    """What is known in the end, beginning with what is known anyway; sayings come in the order they were said."""
    state = {memory.id: memory for memory in known}
    heard: set[tuple[object, ...]] = set()
    for saying in sayings:
        said = saying.memory
        buried_at = buried.get(said.fact_hash)
        forgotten = buried_at is not None and said.seen_at <= buried_at
        if saying.key in heard:
            _credit(state, said)
        elif not forgotten and not _rests(state, said):
            _hear(state, saying, likeness, policy, now)
        heard.add(saying.key)
    return list(state.values())


def _hear(state: dict[str, Memory], saying: Saying, likeness: Likeness, policy: Keep, now: datetime) -> None:
    said = saying.memory
    active = [memory for memory in state.values() if memory.standing is Standing.ACTIVE]
    active.sort(key=lambda memory: memory.seen_at, reverse=True)
    near = ((memory, likeness(memory.text, said.text)) for memory in active)
    decision = decide(
        said,
        negated=saying.negated,
        equal=next((memory for memory in active if memory.fact_hash == said.fact_hash), None),
        slot=[m for m in active if said.attribute is not None and m.attribute == said.attribute],
        near=sorted(near, key=lambda pair: -(pair[1] or 0.0)),
        policy=policy,
        now=now,
    )
    match decision:
        case Join(memory=memory) | Reinforce(memory=memory) | Contest(memory=memory):
            state[memory.id] = memory
        case Echo():
            pass
        case Replace(memory=memory, old=old):
            state[old.id] = old
            if memory is not None:
                state[memory.id] = memory


def _rests(state: Mapping[str, Memory], said: Memory) -> bool:
    """Learning from the same words twice teaches nothing."""
    return any(
        set(said.spans) <= set(memory.spans)
        and (memory.fact_hash == said.fact_hash or memory.attribute == said.attribute is not None)
        for memory in state.values()
    )


def _credit(state: dict[str, Memory], copy: Memory) -> None:
    """A copy stands behind what its original taught."""
    for memory in state.values():
        if memory.fact_hash == copy.fact_hash or memory.attribute == copy.attribute is not None:
            state[memory.id] = replace(memory, spans=tuple(dict.fromkeys((*memory.spans, *copy.spans))))
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What to write so that what was known becomes what is known now."""

    gone: tuple[Memory, ...]
    changed: tuple[Memory, ...]  #: as they are now, with the id and version they had
    new: tuple[Memory, ...]


def difference(before: Sequence[Memory], after: Sequence[Memory]) -> Difference:
    """Pair what says the same before and after, so that a memory keeps its id through a correction elsewhere."""
    names = _paired(before, after)
    renamed = [
        replace(
            memory, id=names.get(memory.id, memory.id), superseded_by=_renamed(memory.superseded_by, names)
        )
        for memory in after
    ]
    olds = {memory.id: memory for memory in before}
    kept = {memory.id for memory in renamed}
    stayed = (replace(m, version=olds[m.id].version) for m in renamed if m.id in olds)
    return Difference(
        gone=tuple(memory for memory in before if memory.id not in kept),
        changed=tuple(m for m in stayed if replace(m, updated_at=olds[m.id].updated_at) != olds[m.id]),
        new=tuple(memory for memory in renamed if memory.id not in olds),
    )


def _renamed(name: str | None, names: Mapping[str, str]) -> str | None:
    return None if name is None else names.get(name, name)


def _paired(before: Sequence[Memory], after: Sequence[Memory]) -> dict[str, str]:
    """The old id for each new one that says the same, in the same words first, then from the same source."""
    staying = {memory.id for memory in after}
    free = {memory.id: memory for memory in before if memory.id not in staying}
    known = {memory.id for memory in before}
    fresh = [memory for memory in after if memory.id not in known]
    names: dict[str, str] = {}
    for alike in (_same_words, _same_source):
        for memory in fresh:
            if memory.id not in names:
                match = next((old for old in free.values() if alike(old, memory)), None)
                if match is not None:
                    names[memory.id] = match.id
                    del free[match.id]
    return names


def _same_words(old: Memory, new: Memory) -> bool:
    return old.fact_hash == new.fact_hash and old.standing is new.standing


def _same_source(old: Memory, new: Memory) -> bool:
    return bool(set(old.spans) & set(new.spans)) and old.fact_hash == new.fact_hash
