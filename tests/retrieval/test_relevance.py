"""Which scored candidates have to do with the query at all."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact, a_scored_candidate

from recollect.domain.candidate import ScoredCandidate, Source
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.relevance import Judgement, judge
from recollect.retrieval.scoring.table import SCORERS

NO_SOURCES: frozenset[Source] = frozenset()


def judge_all(
    scored: Sequence[ScoredCandidate], floor: float, *, exempt_sources: frozenset[Source] = NO_SOURCES
) -> list[Judgement]:
    return judge(scored, SCORERS["blend"], cosine_floor=floor, exempt_sources=exempt_sources)


def relevant_texts(judged: Sequence[Judgement]) -> list[str]:
    return [each.scored.candidate.text for each in judged if each.is_relevant]


def reasons_by_text(judged: Sequence[Judgement]) -> dict[str, Reason | None]:
    return {each.scored.candidate.text: each.rejection_reason for each in judged if not each.is_relevant}


@pytest.mark.spec("K10", "TR-20")
def test_what_only_its_vector_brought_is_dropped_below_the_floor_with_the_numbers_said() -> None:
    judged = judge_all(
        [
            a_scored_candidate(a_candidate("at", dense=0.5)),
            a_scored_candidate(a_candidate("below", dense=0.49)),
        ],
        0.5,
    )

    assert relevant_texts(judged) == ["at"]
    assert reasons_by_text(judged) == {
        "below": Reason(ReasonCode.BELOW_COSINE_FLOOR, {"cosine": 0.49, "floor": 0.5})
    }


@pytest.mark.spec("K16")
@given(dense=st.none() | st.floats(-1, 1), lexical=st.floats(0, 30), floor=st.floats(-1, 1))
def test_what_shares_words_with_the_question_is_never_dropped_for_its_vector(
    dense: float | None, lexical: float, floor: float
) -> None:
    judged = judge_all(
        [a_scored_candidate(a_candidate("word", dense=dense, lexical=lexical))],
        floor,
    )

    assert (relevant_texts(judged), len(judged)) == (["word"], 1)


def test_spared_sources_are_not_held_against_the_floor() -> None:
    ranked = [
        a_scored_candidate(a_fact("fact", dense=0.1)),
        a_scored_candidate(a_candidate("said", dense=0.1)),
    ]
    judged = judge_all(ranked, 0.5, exempt_sources=frozenset({Source.MEMORY}))

    assert (relevant_texts(judged), list(reasons_by_text(judged))) == (["fact"], ["said"])


@given(
    scores=st.lists(st.tuples(st.none() | st.floats(-1, 1), st.none() | st.floats(0, 20)), max_size=8),
    floor=st.floats(-1, 1),
)
def test_every_candidate_is_judged_in_its_place(
    scores: list[tuple[float | None, float | None]], floor: float
) -> None:
    scored = [
        a_scored_candidate(a_candidate(str(place), dense=dense, lexical=lexical))
        for place, (dense, lexical) in enumerate(scores)
    ]

    assert [each.scored for each in judge_all(scored, floor)] == scored
