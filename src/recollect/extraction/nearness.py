"""
Nearness of meaning: compare a model's facts with the sentences of their message by embedding.

A fact that shares no word with its message is held back until an embedding says that its meaning is near a sentence. A
fact that is far from all of them is held back. The service computes the vectors; without an embedder nothing changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.sentence_units import split_units
from recollect.extraction.validation import UNMATCHED_REASON

#: Share of the way from the cosine of unrelated texts to 1, from which on the meaning of a fact is in its message.
REWORDED_SHARE = 0.27
#: A fact whose cosine is so far below that of unrelated texts is about something else, whatever words both share.
UNRELATED_MARGIN = 0.05
FAR_REASON = Reason(ReasonCode.MEANING_NOT_IN_MESSAGE)

#: Cosine of two texts; None without their vectors.
Similarity = Callable[[str, str], float | None]


def texts_to_compare(extraction: Extraction, source_text: str) -> list[str]:
    """Return the texts whose vectors `judge_nearness` needs; none if there are no facts."""
    facts = [fact.text for fact in _compared(extraction)]
    return list(dict.fromkeys([*facts, *_sentences(source_text)])) if facts else []


def judge_nearness(
    extraction: Extraction, source_text: str, similarity: Similarity, *, cosine_floor: float
) -> Extraction:
    """
    Hold back the facts that are far from their message, and release reworded ones that are near.

    `cosine_floor` is the cosine of unrelated texts, which differs between embedding models.
    """
    sentences = _sentences(source_text)
    if not sentences or not _compared(extraction):
        return extraction
    judged = [
        _judge(fact, sentences, similarity, cosine_floor)
        for fact in (*extraction.facts, *extraction.quarantined_facts)
    ]
    return replace(
        extraction,
        facts=tuple(fact for fact in judged if fact.quarantine_reason is None),
        quarantined_facts=tuple(fact for fact in judged if fact.quarantine_reason is not None),
    )


def _compared(extraction: Extraction) -> list[Fact]:
    return [
        fact
        for fact in (*extraction.facts, *extraction.quarantined_facts)
        if fact.quarantine_reason in {None, UNMATCHED_REASON}
    ]


def _judge(fact: Fact, sentences: Sequence[str], similarity: Similarity, cosine_floor: float) -> Fact:
    if fact.quarantine_reason not in {None, UNMATCHED_REASON}:
        return fact
    similarities = [value for sentence in sentences if (value := similarity(fact.text, sentence)) is not None]
    if not similarities:
        return fact
    nearest = max(similarities)
    if fact.quarantine_reason is None:
        return (
            fact
            if nearest >= cosine_floor - UNRELATED_MARGIN
            else replace(fact, quarantine_reason=FAR_REASON)
        )
    is_near = nearest >= cosine_floor + REWORDED_SHARE * (1 - cosine_floor)
    return replace(fact, quarantine_reason=None) if is_near else fact


def _sentences(source_text: str) -> list[str]:
    return list(
        dict.fromkeys([unit.text for unit in split_units(source_text)] + [source_text.strip()[:1000]])
    )
