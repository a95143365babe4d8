"""What a new fact does to what is known: it joins, it reinforces, it takes a place, or it is contested."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from recollect.consolidation.similarity.duplicates import broader, fused, same
from recollect.consolidation.similarity.transitions import echoes, reached, takes_back
from recollect.domain.memory import Memory, Standing, normalised
from recollect.domain.message import Role
from recollect.domain.policy import Keep
from recollect.text.analyzer import folded

#: What one has for life: another value is a contradiction, not news.
FOR_LIFE = frozenset({"name", "birthday", "birthplace", "born_in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Nobody had said it before."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforce:
    """It was known. `memory` is what is known now."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """It takes the place of something, which stays in history with the time it held."""

    memory: Memory | None  #: None when a thing merely ended
    old: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """It contradicts what one does not change. Both are kept; the user decides."""

    memory: Memory
    against: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """The assistant says what it was told. That teaches nothing."""

    memory: Memory


Decision: TypeAlias = Join | Reinforce | Replace | Contest | Echo


def decide(
    said: Memory,
    *,
    negated: bool,
    equal: Memory | None,
    slot: Sequence[Memory],
    near: Sequence[tuple[Memory, float | None]],
    policy: Keep,
    now: datetime,
) -> Decision:
    """
    `equal` says the same word for word, `slot` holds the active values of its attribute, `near` what resembles it,
    nearest first, with the cosine where there is one.
    """
    if (echo := _echoed(said, [*([equal] if equal else []), *(known for known, _ in near)])) is not None:
        return Echo(memory=echo)
    if equal is not None:
        return Reinforce(memory=reinforced(equal, said, now))
    if said.attribute is not None and slot:
        return _in_slot(said, slot[0], negated=negated, now=now)
    for known, cosine in near:
        if negated and takes_back(known, said):
            decision: Decision = _taken_back(known, said, now)
        elif reached(known, said):
            decision = Replace(memory=said, old=_ended(known, said, said.id, now))
        elif same(known, said, cosine, policy):
            decision = Reinforce(memory=_merged(known, said, now))
        else:
            continue
        return decision
    return Join(memory=said)


def related(known: Memory, said: Memory, cosine: float | None, policy: Keep) -> bool:
    """Whether what is known has a say in what becomes of what is said, or the other way round."""
    return (
        same(known, said, cosine, policy)
        or takes_back(known, said)
        or takes_back(said, known)
        or reached(known, said)
        or reached(said, known)
        or echoes(known, said)
    )


def _echoed(said: Memory, known: Sequence[Memory]) -> Memory | None:
    if said.speaker is not Role.ASSISTANT:
        return None
    return next((memory for memory in known if echoes(memory, said)), None)


def _taken_back(known: Memory, said: Memory, now: datetime) -> Replace:
    """What ends a slot says nothing else; its words stand behind the end."""
    if said.attribute is None:
        return Replace(memory=said, old=_ended(known, said, said.id, now))
    ended = replace(known, spans=tuple(dict.fromkeys((*known.spans, *said.spans))))
    return Replace(memory=None, old=_ended(ended, said, None, now))


def reinforced(known: Memory, said: Memory, now: datetime) -> Memory:
    """Known, and said again: seen now, once more, as heavy as the heavier of the two, with both sources."""
    return replace(
        known,
        seen_at=max(known.seen_at, said.seen_at),
        updated_at=now,
        sightings=known.sightings + 1,
        weight=max(known.weight, said.weight),
        tags=tuple(dict.fromkeys((*known.tags, *said.tags))),
        spans=tuple(dict.fromkeys((*known.spans, *said.spans))),
    )


def _merged(known: Memory, said: Memory, now: datetime) -> Memory:
    """The broader words, under the id that is known."""
    return replace(fused(broader(known, said), _other(known, said), now), id=known.id, version=known.version)


def _other(known: Memory, said: Memory) -> Memory:
    return said if broader(known, said) is known else known


def _in_slot(said: Memory, known: Memory, *, negated: bool, now: datetime) -> Decision:
    equal = _alike(known.value or known.text, said.value or said.text)
    if negated:
        # Nothing else rests on the words that ended it.
        told = replace(known, spans=tuple(dict.fromkeys((*known.spans, *said.spans))))
        return Replace(memory=None, old=_ended(told, said, None, now)) if equal else Join(memory=said)
    if equal:
        return Reinforce(memory=reinforced(known, said, now))
    if said.attribute in FOR_LIFE:
        reason = f"contradicts {known.text!r}"
        return Contest(memory=replace(said, standing=Standing.CONTESTED, reason=reason), against=known)
    if said.seen_at < known.seen_at:
        # Told late about how it was before: history, not news.
        return Replace(memory=known, old=_ended(said, known, known.id, now))
    return Replace(memory=said, old=_ended(known, said, said.id, now))


def _alike(a: str, b: str) -> bool:
    """Equal, or forms of one word: vegetarian and vegetariana are the same diet in two languages."""
    shorter, longer = sorted((folded(normalised(a)), folded(normalised(b))), key=len)
    return shorter == longer or (
        len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    )


def _ended(old: Memory, news: Memory, successor: str | None, now: datetime) -> Memory:
    return replace(
        old,
        standing=Standing.SUPERSEDED,
        superseded_by=successor,
        valid_to=news.valid_from or news.seen_at,
        updated_at=now,
        reason=f"superseded by {news.text!r}",
    )
