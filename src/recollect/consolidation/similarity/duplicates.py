"""Two memories that say the same become one, and nothing that differs in a word that counts is lost."""

import re
from dataclasses import replace
from datetime import date, datetime

from recollect.consolidation.similarity.implications import implies
from recollect.consolidation.similarity.statement import Statement, language_of, read
from recollect.consolidation.similarity.transitions import employs
from recollect.domain.memory import Memory, normalised
from recollect.domain.policy import Keep
from recollect.text.analyzer import stem

_REINFORCED = {"en": "reinforced on", "pt": "reforçado em"}
_NOTE = re.compile(rf"\.? \((?:{'|'.join(_REINFORCED.values())}) \d{{6}}\)\Z")


def same(a: Memory, b: Memory, cosine: float | None, policy: Keep) -> bool:
    """
    Whether two memories of one person say the same.

    Near vectors are not enough: "likes cats" lies near "likes dogs", and "likes coffee" near its negation. One must
    begin with every word of the other that counts and only add to it, and both must affirm or both deny. What fills
    a slot must be equal. Without vectors only equal words will do. What one implies needs no such proof.
    """
    a_text, b_text = _bare(a.text), _bare(b.text)
    if a.user != b.user:
        return False
    if normalised(a_text) == normalised(b_text):
        return True
    if a.speaker is not b.speaker:
        return False
    if implies(a_text, b_text) or implies(b_text, a_text) or _one_job(a, b):
        return True
    if a.attribute and b.attribute and a.attribute != b.attribute:
        return False
    near = cosine is not None and cosine >= policy.similar and not (a.attribute and b.attribute)
    return _agree(a_text, b_text, exactly=not near)


def _one_job(a: Memory, b: Memory) -> bool:
    return (employs(a, b) or employs(b, a)) and read(a.text, "en").denied == read(b.text, "en").denied


def broader(a: Memory, b: Memory) -> Memory:
    """The one that says more: what implies the other, else what has more words that count, else the older."""
    a_text, b_text = _bare(a.text), _bare(b.text)
    if implies(a_text, b_text) != implies(b_text, a_text):
        return a if implies(a_text, b_text) else b
    language = language_of(a_text, b_text)
    return min(a, b, key=lambda m: (-len(set(read(_bare(m.text), language).words)), m.created_at, m.id))


def fused(broader: Memory, other: Memory, now: datetime) -> Memory:
    """The broader text with all that is known about both: sources, sightings, tags, and the greater weight."""
    first = min(broader, other, key=lambda memory: memory.created_at)
    since = [moment for moment in (broader.valid_from, other.valid_from) if moment]
    until = [moment for moment in (broader.expires_at, other.expires_at) if moment]
    return replace(
        broader,
        chat=first.chat,
        created_at=first.created_at,
        updated_at=now,
        seen_at=max(broader.seen_at, other.seen_at),
        weight=max(broader.weight, other.weight),
        sightings=broader.sightings + other.sightings,
        pinned=broader.pinned or other.pinned,
        tags=tuple(dict.fromkeys((*broader.tags, *other.tags))),
        spans=tuple(dict.fromkeys((*broader.spans, *other.spans))),
        valid_from=min(since, default=None),
        expires_at=max(until) if len(until) == 2 else None,
    )


def with_reinforcement(text: str, seen: date, locale: str) -> str:
    """Say when it was last heard: "Vegetariano (reforçado em 240101)". A note that is there is brought up to date."""
    note = _REINFORCED.get(locale, _REINFORCED["en"])
    return f"{_bare(text).rstrip('.')} ({note} {seen:%y%m%d})"


def _bare(text: str) -> str:
    return _NOTE.sub("", text)


def _agree(a_text: str, b_text: str, *, exactly: bool) -> bool:
    language = language_of(a_text, b_text)
    a, b = read(a_text, language), read(b_text, language)
    if a.denied != b.denied:
        return False
    shorter, longer = sorted((a, b), key=lambda statement: len(statement.words))
    count = len(shorter.words)
    if not count or (exactly and count != len(longer.words)):
        return False
    return _stems(shorter, language) == _stems(longer, language)[:count] and longer.goes_on_after(count)


def _stems(statement: Statement, language: str) -> list[str]:
    # A stem would make "lived" of "lives".
    return [word if word.endswith("ed") else stem(word, language) for word in statement.words]
