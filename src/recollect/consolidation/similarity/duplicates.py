"""Detect and merge duplicate memories; texts that differ in a significant word are not duplicates."""

import re
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from recollect.consolidation.similarity.implications import implies
from recollect.consolidation.similarity.statement import Statement, parse_statement, shared_language
from recollect.consolidation.similarity.transitions import is_job_at_employer
from recollect.domain.memory import Memory, normalize_fact
from recollect.domain.metadata import merge_metadata
from recollect.domain.policy import ConsolidationPolicy
from recollect.text.analyzer import stem

#: A note that imported facts may end with: "Vegetariano (reforçado em 240101)".
_REINFORCED_NOTE_PATTERN = re.compile(r"\.? \((?:reinforced on|reforçado em) \d{6}\)\Z")


def is_duplicate(a: Memory, b: Memory, cosine: float | None, policy: ConsolidationPolicy) -> bool:
    """
    Whether two memories of one user state the same fact.

    A high cosine is not enough: "likes cats" is near "likes dogs", and "likes coffee" near its negation. One statement
    must begin with all significant words of the other and only add to them, and both must have the same polarity. With
    attributes, or without vectors, the significant words must be equal. Implications need no such check.
    """
    a_text, b_text = _strip_note(a.text), _strip_note(b.text)
    if a.user != b.user:
        return False
    if normalize_fact(a_text) == normalize_fact(b_text):
        return True
    if a.speaker is not b.speaker:
        return False
    if implies(a_text, b_text) or implies(b_text, a_text) or _is_same_job(a, b):
        return True
    if a.attribute and b.attribute and a.attribute != b.attribute:
        return False
    is_similar = (
        cosine is not None and cosine >= policy.duplicate_cosine and not (a.attribute and b.attribute)
    )
    return _statements_agree(a_text, b_text, exact=not is_similar)


def _is_same_job(a: Memory, b: Memory) -> bool:
    return (is_job_at_employer(a, b) or is_job_at_employer(b, a)) and parse_statement(
        a.text, "en"
    ).is_negated == parse_statement(b.text, "en").is_negated


def more_specific(a: Memory, b: Memory) -> Memory:
    """Return the memory that implies the other, else the one with more significant words, else the older one."""
    a_text, b_text = _strip_note(a.text), _strip_note(b.text)
    if implies(a_text, b_text) != implies(b_text, a_text):
        return a if implies(a_text, b_text) else b
    language = shared_language(a_text, b_text)
    return min(
        a,
        b,
        key=lambda m: (-len(set(parse_statement(_strip_note(m.text), language).words)), m.created_at, m.id),
    )


def merge_memories(primary: Memory, secondary: Memory, now: datetime) -> Memory:
    """Return the primary text with the sources, times_stated and tags of both and the greater weight."""
    older = min(primary, secondary, key=lambda memory: memory.created_at)
    start_times = [moment for moment in (primary.valid_from, secondary.valid_from) if moment]
    expiry_times = [moment for moment in (primary.expires_at, secondary.expires_at) if moment]
    return replace(
        primary,
        chat=older.chat,
        created_at=older.created_at,
        updated_at=now,
        last_stated_at=max(primary.last_stated_at, secondary.last_stated_at),
        weight=max(primary.weight, secondary.weight),
        times_stated=primary.times_stated + secondary.times_stated,
        pinned=primary.pinned or secondary.pinned,
        tags=tuple(dict.fromkeys((*primary.tags, *secondary.tags))),
        metadata=merge_metadata(primary.metadata, secondary.metadata),
        spans=tuple(dict.fromkeys((*primary.spans, *secondary.spans))),
        valid_from=min(start_times, default=None),
        expires_at=max(expiry_times) if len(expiry_times) == 2 else None,
    )


@lru_cache(maxsize=8192)
def _strip_note(text: str) -> str:
    return _REINFORCED_NOTE_PATTERN.sub("", text)


def _statements_agree(a_text: str, b_text: str, *, exact: bool) -> bool:
    language = shared_language(a_text, b_text)
    a, b = _parse_stems(a_text, language), _parse_stems(b_text, language)
    if a.statement.is_negated != b.statement.is_negated:
        return False
    shorter, longer = sorted((a, b), key=lambda parsed: len(parsed.stems))
    count = len(shorter.stems)
    if not count or (exact and count != len(longer.stems)):
        return False
    return shorter.stems == longer.stems[:count] and longer.statement.only_adds_after(count)


class _StemmedStatement(NamedTuple):
    statement: Statement
    stems: tuple[str, ...]


# Cached because each new fact is compared with the same hundred known ones.
@lru_cache(maxsize=8192)
def _parse_stems(text: str, language: str) -> _StemmedStatement:
    statement = parse_statement(text, language)
    # Stemming would equate "lived" with "lives".
    stems = (word if word.endswith("ed") else stem(word, language) for word in statement.words)
    return _StemmedStatement(statement, tuple(stems))
