"""Which of the relevant candidates are returned: cutoff, duplicates, reranking, limits."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact, a_scored_candidate, distinct_candidates, shares

from recollect.domain.candidate import Candidate, Rejection, ScoredCandidate, Source
from recollect.domain.message import ChunkKind
from recollect.domain.policy import RecallPolicy, load_preset
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.relevance import Judgement
from recollect.retrieval.selection import (
    SelectedCandidates,
    apply_rerank,
    deduplicate,
    drop_below_cutoff,
    limit_results,
    limit_selection,
    shortlist,
)

NO_SOURCES: frozenset[Source] = frozenset()
LIMIT_CODES = {ReasonCode.OVER_LIMIT, ReasonCode.OVER_MEMORY_LIMIT, ReasonCode.OVER_MESSAGE_LIMIT}


def texts(scored_candidates: Sequence[ScoredCandidate]) -> list[str]:
    return [r.candidate.text for r in scored_candidates]


def reasons_by_text(rejections: Sequence[Rejection]) -> dict[str, Reason]:
    return {each.scored.candidate.text: each.reason for each in rejections}


def test_what_scores_far_below_the_best_is_over_the_cliff() -> None:
    ranked = [
        a_scored_candidate(a_candidate("best"), 0.8),
        a_scored_candidate(a_candidate("near"), 0.2),
        a_scored_candidate(a_candidate("far"), 0.19),
    ]
    near, far = drop_below_cutoff(ranked, 0.25, exempt_sources=NO_SOURCES)

    assert texts(near) == ["best", "near"]
    assert reasons_by_text(far) == {"far": Reason(ReasonCode.BELOW_CUTOFF, {"share": 0.25})}


@given(scores=st.lists(shares, max_size=6), share=shares)
def test_the_best_is_never_over_the_cliff_and_nobody_is_lost(scores: list[float], share: float) -> None:
    ranked = [a_scored_candidate(a_candidate(str(place)), score) for place, score in enumerate(scores)]
    near, far = drop_below_cutoff(ranked, share, exempt_sources=NO_SOURCES)
    least = share * max(scores, default=0.0)

    assert [r for r in ranked if r.score >= least] == near
    assert len(near) + len(far) == len(ranked)
    assert bool(near) == bool(ranked)


def test_no_cliff_and_spared_sources_keep_all() -> None:
    ranked = [a_scored_candidate(a_candidate("best"), 0.8), a_scored_candidate(a_fact("far"), 0.0)]

    assert drop_below_cutoff(ranked, 0.0, exempt_sources=NO_SOURCES) == (ranked, [])
    assert drop_below_cutoff(ranked, 0.9, exempt_sources=frozenset({Source.MEMORY})) == (ranked, [])


@pytest.mark.spec("F5")
def test_a_chunk_stands_for_its_whole_message_even_if_it_ranks_below_it() -> None:
    whole = a_candidate("whole", id="m1")
    piece = a_candidate("piece", id="m1#2", source=Source.CHUNK, parent_id="m1", chunk_kind=ChunkKind.CODE)
    other = a_candidate("other", id="m2")
    kept, dropped = deduplicate(
        [a_scored_candidate(whole), a_scored_candidate(other), a_scored_candidate(piece)]
    )

    assert texts(kept) == ["other", "piece"]
    assert reasons_by_text(dropped) == {"whole": Reason(ReasonCode.COVERED_BY_CHUNK)}


@pytest.mark.spec("F5")
def test_a_memory_stands_for_the_message_with_the_same_words() -> None:
    said = a_candidate("I am  VEGETARIAN.")
    fact = a_fact("i am vegetarian")
    kept, dropped = deduplicate(
        [a_scored_candidate(said), a_scored_candidate(fact), a_scored_candidate(a_candidate("I am hungry"))]
    )

    assert texts(kept) == ["i am vegetarian", "I am hungry"]
    assert reasons_by_text(dropped) == {"I am  VEGETARIAN.": Reason(ReasonCode.SAME_AS_MEMORY)}


@settings(max_examples=40)
@given(listed=distinct_candidates)
def test_collapsing_loses_nobody_and_never_a_memory(listed: list[Candidate]) -> None:
    ranked = [a_scored_candidate(each) for each in listed]
    kept, dropped = deduplicate(ranked)

    assert sorted(r.candidate.key for r in [*kept, *(each.scored for each in dropped)]) == sorted(
        c.key for c in listed
    )
    assert all(r.candidate.source is not Source.MEMORY for r in (each.scored for each in dropped))
    assert kept == [r for r in ranked if r in kept]


@pytest.mark.spec("K13")
def test_three_facts_and_two_messages_are_handed_on_whatever_else_ranks_higher() -> None:
    policy = load_preset("agent").recall
    ranked = [a_scored_candidate(a_fact(f"fact {n}")) for n in range(5)] + [
        a_scored_candidate(a_candidate(f"said {n}")) for n in range(4)
    ]
    kept, dropped = limit_results(ranked, policy)

    assert texts(kept) == ["fact 0", "fact 1", "fact 2", "said 0", "said 1"]
    assert reasons_by_text(dropped) == {
        "fact 3": Reason(ReasonCode.OVER_MEMORY_LIMIT, {"count": 3}),
        "fact 4": Reason(ReasonCode.OVER_MEMORY_LIMIT, {"count": 3}),
        "said 2": Reason(ReasonCode.OVER_LIMIT, {"rank": 8, "limit": 5}),
        "said 3": Reason(ReasonCode.OVER_LIMIT, {"rank": 9, "limit": 5}),
    }


@given(
    mix=st.lists(st.booleans(), max_size=12),
    limit=st.integers(1, 8),
    facts=st.integers(0, 5),
    history=st.integers(0, 5),
)
def test_the_cut_keeps_the_best_within_its_caps_and_says_why_of_everybody_else(
    mix: list[bool], limit: int, facts: int, history: int
) -> None:
    ranked = [
        a_scored_candidate((a_fact if fact else a_candidate)(str(place))) for place, fact in enumerate(mix)
    ]
    kept, dropped = limit_results(
        ranked, replace(RecallPolicy(), limit=limit, max_memories=facts, max_messages=history)
    )
    known = [r for r in kept if r.candidate.kind]

    assert len(kept) <= limit
    assert len(known) <= (facts or limit)
    assert len(kept) - len(known) <= (history or limit)
    assert kept == [r for r in ranked if r in kept]
    assert sorted([*kept, *(each.scored for each in dropped)], key=ranked.index) == ranked
    assert {each.reason.code for each in dropped} <= LIMIT_CODES


@given(
    relevant=st.lists(st.booleans(), max_size=8),
    scores=st.lists(shares, min_size=8, max_size=8),
    cutoff=shares,
    limit=st.integers(1, 4),
)
def test_every_candidate_is_returned_or_rejected_with_a_reason(
    relevant: list[bool], scores: list[float], cutoff: float, limit: int
) -> None:
    judged = [
        Judgement(
            scored=a_scored_candidate(a_candidate(str(place)), score),
            rejection_reason=None if is_relevant else Reason(ReasonCode.STATES_NOTHING),
        )
        for place, (is_relevant, score) in enumerate(zip(relevant, scores, strict=False))
    ]
    selection = limit_selection(
        shortlist(judged, relative_cutoff=cutoff), replace(RecallPolicy(), limit=limit)
    )
    rejected = [each.scored for each in selection.rejections]

    assert len(selection.candidates) <= limit
    assert sorted(texts([*selection.candidates, *rejected])) == sorted(str(n) for n in range(len(judged)))
    assert all(each.reason for each in selection.rejections)


def test_reranking_moves_the_scored_candidates_only() -> None:
    first, second, third = (a_scored_candidate(a_candidate(name), 0.5) for name in "abc")
    selection = apply_rerank(SelectedCandidates(candidates=(first, second, third)), [None, 1.0], 0.4)

    assert texts(selection.candidates) == ["b", "a", "c"]
    assert [r.score for r in selection.candidates] == [0.9, 0.5, 0.5]
    assert selection.candidates[0].parts["reread"] == 1.0
