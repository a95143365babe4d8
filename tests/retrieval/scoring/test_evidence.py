"""What speaks for a passage besides its own words: the messages around it, its chat, its date, its speaker."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.examples import a_candidate, a_fact

from recollect.domain.candidate import Candidate, ChatPosition, ScoredCandidate, Source
from recollect.domain.message import Role
from recollect.domain.policy import RecallPolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.query_features import extract_query_features
from recollect.retrieval.relevance import judge
from recollect.retrieval.scoring.evidence import EvidenceScorer, find_neighbours
from recollect.retrieval.scoring.scorer import Neighbours, ScoringContext, score_candidates
from recollect.testing.clock import MONDAY

COSINE_FLOOR = 0.4
DAY = timedelta(days=1)
DEFAULT_POLICY = RecallPolicy()

candidates = st.builds(
    lambda name, chat, dense, lexical, age: a_candidate(name, dense=dense, lexical=lexical)._replace(
        chat=chat,
        last_stated_at=MONDAY - age * DAY,
        created_at=MONDAY - age * DAY,
    ),
    name=st.text("abc ?", min_size=1, max_size=6),
    chat=st.sampled_from([None, "kitchen", "garden"]),
    dense=st.none() | st.floats(-1, 1),
    lexical=st.none() | st.floats(0, 20),
    age=st.integers(0, 4000),
)
distinct_candidates = st.lists(candidates, unique_by=lambda c: c.key, max_size=8)


def rank(
    pool: Sequence[Candidate],
    question: str = "salmon",
    *,
    neighbours: Neighbours | None = None,
    policy: RecallPolicy = DEFAULT_POLICY,
    trust: float = 1.0,
) -> list[ScoredCandidate]:
    context = ScoringContext(
        query=extract_query_features(question, MONDAY),
        policy=policy,
        now=MONDAY,
        cosine_floor=COSINE_FLOOR,
        lexical_confidence=trust,
        neighbours=neighbours or {},
    )
    return score_candidates(pool, EvidenceScorer(), context)


def texts(ranking: Sequence[ScoredCandidate]) -> list[str]:
    return [r.candidate.text for r in ranking]


def parts_of(ranking: Sequence[ScoredCandidate], text: str) -> Mapping[str, float]:
    [parts] = [r.parts for r in ranking if r.candidate.text == text]
    return parts


def test_a_reply_is_found_by_the_question_it_answers() -> None:
    question = a_candidate("Which fish shall we cook?", dense=0.9, lexical=4.0)
    reply = a_candidate("Trout, as on every Friday", dense=0.42)
    stranger = a_candidate("The tram was late again", dense=0.44)
    around = {question.id: (None, reply.id), reply.id: (question.id, None)}
    found = rank([stranger, reply, question], "What fish do we cook?", neighbours=around)

    assert texts(found).index(reply.text) < texts(found).index(stranger.text)
    assert parts_of(found, reply.text)["answer"] > 0
    assert parts_of(found, stranger.text)["answer"] == 0


def test_a_long_message_is_no_question_for_ending_in_one() -> None:
    long = a_candidate("salmon " * 80 + "Shall I go on?", dense=0.9, lexical=4.0)
    after = a_candidate("Good night then", dense=0.41)
    found = rank([long, after], neighbours={after.id: (long.id, None)})

    assert parts_of(found, after.text)["answer"] == 0
    assert "asks" not in parts_of(found, long.text)


def test_a_statement_lends_nothing_to_the_message_after_it() -> None:
    statement = a_candidate("We cook salmon", dense=0.9, lexical=4.0)
    after = a_candidate("Good night then", dense=0.41)
    found = rank([statement, after], neighbours={after.id: (statement.id, None)})

    assert parts_of(found, after.text)["answer"] == 0


def test_a_message_lends_to_the_one_before_it() -> None:
    match = a_candidate("salmon it is", dense=0.9)
    before = a_candidate("I went to the harbour", dense=0.5)
    elsewhere = a_candidate("I went to the station", dense=0.5)
    found = rank([elsewhere, before, match], neighbours={before.id: (None, match.id)})

    assert texts(found) == [match.text, before.text, elsewhere.text]


def test_of_equals_the_one_in_the_better_chat_comes_first() -> None:
    best = a_candidate("salmon with dill", dense=0.9)._replace(chat="kitchen")
    beside = a_candidate("add it at the end", dense=0.6)._replace(chat="kitchen")
    alone = a_candidate("add it at the edge", dense=0.6)._replace(chat="garden")

    assert texts(rank([alone, beside, best])) == [best.text, beside.text, alone.text]


def test_a_time_in_the_question_lifts_what_was_said_then() -> None:
    then = a_candidate("we went to the lake", dense=0.6)._replace(
        created_at=datetime(2025, 8, 21, tzinfo=UTC)
    )
    later = a_candidate("we went to the lido", dense=0.7)._replace(
        created_at=datetime(2025, 11, 2, tzinfo=UTC)
    )

    assert texts(rank([later, then], "Where did we go on 21 August 2025?")) == [then.text, later.text]
    assert texts(rank([later, then], "Where did we go?")) == [later.text, then.text]


def test_words_said_by_somebody_the_question_names_come_first() -> None:
    hers = a_candidate("Ana: I like rye bread", dense=0.6)
    his = a_candidate("Bob: I like rye bread", dense=0.6)

    assert texts(rank([his, hers], "What does Ana like?")) == [hers.text, his.text]


@pytest.mark.parametrize(
    ("question", "fitting", "other"),
    [
        ("When did she leave?", "she left last week", "she left in a hurry"),
        ("How many cats are there?", "there are three cats", "there are black cats"),
        ("Quando ela saiu?", "ela saiu no domingo", "ela saiu com pressa"),
    ],
)
def test_a_question_for_a_time_or_a_number_prefers_texts_that_hold_one(
    question: str, fitting: str, other: str
) -> None:
    found = rank([a_candidate(other, dense=0.6), a_candidate(fitting, dense=0.6)], question)

    assert texts(found) == [fitting, other]


@pytest.mark.parametrize(
    ("question", "own", "another"),
    [
        ("What do I drink?", "I never drink tea", "She never drinks tea"),
        ("O que eu bebo?", "Bebo chá sem açúcar", "Ela bebe chá sem açúcar"),
    ],
)
def test_a_question_about_the_asker_prefers_what_is_told_of_oneself(
    question: str, own: str, another: str
) -> None:
    found = rank([a_candidate(another, dense=0.6), a_candidate(own, dense=0.6)], question)

    assert texts(found) == [own, another]


def test_questions_and_the_assistants_words_yield_to_statements_of_people() -> None:
    statement = a_candidate("the salmon is fresh", dense=0.6, role=Role.USER)
    question = a_candidate("the salmon is fresh?", dense=0.6, role=Role.USER)
    assistant = a_candidate("this salmon is fresh", dense=0.6, role=Role.ASSISTANT)

    assert texts(rank([assistant, question, statement])) == [
        statement.text,
        question.text,
        assistant.text,
    ]


def test_a_short_memory_is_no_worse_for_being_short_but_a_short_message_is() -> None:
    found = rank([a_fact("is vegan", dense=0.6), a_candidate("oh, vegan", dense=0.6)])

    assert "short" not in parts_of(found, "is vegan")
    assert parts_of(found, "oh, vegan")["short"] > 0


def test_words_count_as_far_as_they_are_trusted() -> None:
    by_chance = a_candidate("the harbour was full of boats", dense=0.5, lexical=3.0)

    assert parts_of(rank([by_chance], trust=0.4), by_chance.text)["lexical"] == pytest.approx(0.4)
    assert parts_of(rank([by_chance], trust=1.0), by_chance.text)["lexical"] == 1.0


def test_what_is_no_longer_so_ranks_below_what_is_a_little_further_away() -> None:
    moved = a_candidate("I live in Lisbon by the river", dense=0.8)._replace(outdated=True)
    now = a_candidate("I live in Porto by the river", dense=0.7)

    assert texts(rank([moved, now])) == [now.text, moved.text]


def test_an_older_memory_ranks_below_an_equal_younger_one() -> None:
    old = a_fact("likes rye", dense=0.6, last_stated_at=MONDAY - 300 * DAY)
    young = a_fact("likes oat", dense=0.6, last_stated_at=MONDAY)

    assert texts(rank([old, young])) == ["likes oat", "likes rye"]


def test_a_chunk_speaks_for_its_message() -> None:
    chunk = a_candidate("and the salmon?", source=Source.CHUNK, parent_id="long", dense=0.9)
    before = a_candidate("I cooked all day", dense=0.5)
    found = rank([chunk, before], neighbours={before.id: (None, "long")})

    assert parts_of(found, before.text)["follow"] > 0


def test_neighbours_know_each_other_from_either_side() -> None:
    question = a_candidate("b", position=ChatPosition(8, 4, 12))
    sides = [a_candidate("a", position=ChatPosition(4)), a_candidate("c", position=ChatPosition(12))]

    assert find_neighbours([question, *sides, a_fact("d")]) == {
        "a": (None, "b"),
        "b": ("a", "c"),
        "c": ("b", None),
    }


def test_who_was_not_found_stands_beside_nobody() -> None:
    assert find_neighbours([a_candidate("b", position=ChatPosition(8, 4, 12))]) == {}


def test_chunks_stand_where_their_message_does() -> None:
    chunks = [
        a_candidate(text, parent_id="long", position=ChatPosition(8, 4)) for text in ("long#0", "long#1")
    ]

    assert find_neighbours([*chunks, a_candidate("a", position=ChatPosition(4))]) == {
        "a": (None, "long"),
        "long": ("a", None),
    }


@given(listed=distinct_candidates)
def test_all_candidates_come_back_once_best_first_and_in_the_same_order_however_given(
    listed: list[Candidate],
) -> None:
    found = rank(listed, "a b c?")

    assert sorted(c.key for c in listed) == sorted(r.candidate.key for r in found)
    assert all(one.score >= other.score for one, other in pairwise(found))
    assert rank(listed[::-1], "a b c?") == found


@given(listed=distinct_candidates)
def test_every_part_is_between_0_and_1_and_the_score_is_made_of_them(listed: list[Candidate]) -> None:
    formula = EvidenceScorer().formula(DEFAULT_POLICY)
    for recollection in rank(listed, "When did I see a, on 3 May 2025?"):
        assert all(0 <= part <= 1 for part in recollection.parts.values())
        assert recollection.score == formula(recollection.parts)


@given(listed=distinct_candidates, better=st.floats(0.5, 1))
def test_a_better_cosine_never_ranks_a_passage_lower(listed: list[Candidate], better: float) -> None:
    one = a_candidate("zzz", dense=0.5)
    before = texts(rank([*listed, one])).index("zzz")
    after = texts(rank([*listed, one._replace(dense=better)])).index("zzz")

    assert after <= before


def test_what_was_only_beside_a_find_is_left_out_unless_it_answers() -> None:
    question = a_candidate("Is the salmon fresh?", dense=0.9, lexical=2.0)
    reply = a_candidate("Caught this very morning, sir")
    beside = a_candidate("Next customer, please come here")
    around = {reply.id: (question.id, None), question.id: (beside.id, reply.id)}
    judged = judge(
        rank([question, reply, beside], neighbours=around), EvidenceScorer(), cosine_floor=COSINE_FLOOR
    )

    assert {each.scored.candidate.text: each.rejection_reason for each in judged} == {
        question.text: None,
        reply.text: None,
        beside.text: Reason(ReasonCode.NEIGHBOUR_ONLY),
    }
