"""Where passages come from: which memories were made from the messages among them, and which of those have ended."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.memory import Memory, MemoryStatus
from recollect.retrieval.excerpts import content_words

MESSAGE_SOURCES = (Source.MESSAGE, Source.CHUNK)
#: Share of a fact's words that a text contains if it states the fact.
MIN_STATED_WORDS = 0.5


def source_message_id(candidate: Candidate) -> str | None:
    """Return the id of the message that a message or chunk is of; None for other passages."""
    return candidate.parent_id or candidate.id if candidate.source in MESSAGE_SOURCES else None


def mark_ended(candidates: Sequence[ScoredCandidate], memories: Sequence[Memory]) -> list[ScoredCandidate]:
    """Return the candidates; messages with those of their facts that are no longer true."""
    ended = [
        memory
        for memory in memories
        if memory.status is MemoryStatus.SUPERSEDED and memory.valid_to is not None
    ]
    return [_mark(scored, ended) for scored in candidates]


def states(text: str, fact: str) -> bool:
    """Return whether a text contains most words of a fact, or all of its numbers: "I'm 34" states "is 34 years old"."""
    words = content_words(fact)
    stated = frozenset().union(*(word.stems for word in content_words(text)))
    missing = [word for word in words if word.stems.isdisjoint(stated)]
    numbers = [word for word in words if word.text.isdecimal()]
    if numbers and not any(word in missing for word in numbers):
        return True
    return len(missing) <= (1 - MIN_STATED_WORDS) * len(words)


def _mark(scored: ScoredCandidate, ended: Sequence[Memory]) -> ScoredCandidate:
    candidate = scored.candidate
    message_id = source_message_id(candidate)
    if not candidate.outdated or message_id is None:
        return scored
    facts = tuple(
        (memory.text, memory.valid_to)
        for memory in ended
        if memory.valid_to is not None
        and any(span.message_id == message_id for span in memory.spans[:1])
        and states(candidate.text, memory.text)
    )
    # What the query asks for may be something else that the message says, and that is still true.
    return replace(scored, candidate=candidate._replace(outdated=bool(facts), ended_facts=facts))
