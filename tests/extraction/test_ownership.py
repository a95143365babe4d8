"""Whose fact a model extracted, and how near it is to its message."""

import pytest

from recollect.domain.extraction import Extraction, Fact
from recollect.domain.memory import Kind
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.nearness import FAR_REASON, judge_nearness
from recollect.extraction.ownership import find_owner_conflict
from recollect.extraction.validation import UNMATCHED_REASON


@pytest.mark.parametrize(
    ("fact", "cited", "language"),
    [
        ("Ran the marathon in 3:05", "My boss keeps bragging that he ran the marathon in 3:05.", "en"),
        ("Passou em medicina", "minha cunhada passou em medicina e ninguém aguenta ela", "pt"),
        ("O usuário perdeu o emprego", "meu melhor amigo, o Caio, perdeu o emprego", "pt"),
    ],
)
def test_a_fact_about_somebody_else_is_not_the_users(fact: str, cited: str, language: str) -> None:
    reason = find_owner_conflict(fact, cited, None, language)

    assert reason is not None
    assert reason.code is ReasonCode.ABOUT_SOMEONE_ELSE


@pytest.mark.parametrize(
    ("fact", "cited"),
    [
        ("Has a brother living in Osaka", "My brother lives in Osaka."),
        ("Father was a carpenter", "My dad was a carpenter."),
        ("Started sertraline", "My psychiatrist put me on sertraline."),
    ],
)
def test_a_fact_that_names_the_other_person_is_kept(fact: str, cited: str) -> None:
    assert find_owner_conflict(fact, cited, None, "en") is None


def make_extraction(reason: Reason | None) -> Extraction:
    fact = Fact(
        text="É vegetariana", kind=Kind.PREFERENCE, weight=0.9, start=0, end=10, quarantine_reason=reason
    )
    return Extraction(
        importance=80,
        facts=(fact,) if reason is None else (),
        quarantined_facts=() if reason is None else (fact,),
    )


@pytest.mark.parametrize(("similarity", "reason"), [(0.8, None), (0.5, UNMATCHED_REASON)])
def test_a_near_meaning_releases_a_reworded_fact(similarity: float, reason: Reason | None) -> None:
    result = judge_nearness(
        make_extraction(UNMATCHED_REASON),
        "não como carne nem peixe",
        lambda _one, _other: similarity,
        cosine_floor=0.45,
    )

    assert [fact.quarantine_reason for fact in (*result.facts, *result.quarantined_facts)] == [reason]


@pytest.mark.parametrize(("similarity", "reason"), [(0.8, None), (0.2, FAR_REASON), (None, None)])
def test_a_fact_far_from_its_message_is_held_back(similarity: float | None, reason: Reason | None) -> None:
    result = judge_nearness(
        make_extraction(None), "qual é a capital?", lambda _one, _other: similarity, cosine_floor=0.45
    )

    assert [fact.quarantine_reason for fact in (*result.facts, *result.quarantined_facts)] == [reason]
