"""The calibrated judgement: what is relevant, what states nothing, and what is left of a message."""

from collections.abc import Sequence
from datetime import UTC, datetime

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.relevance import (
    Judgement,
    TrivialityTest,
    apply_readings,
    doubtful_excerpts,
    judge_excerpts,
    rate_relevance,
    select_relevant,
)
from recollect.retrieval.relevance_model import (
    INTENTS,
    TOPIC_NAMES,
    RelevanceModel,
    load_relevance_model,
    profile_query,
)

#: An excerpt is relevant if it covers the words of the query.
COVERAGE_MODEL = RelevanceModel(
    embedder="test",
    weights={"bias": -5.0, "coverage": 10.0},
    reading={"bias": 0.0, "cross-encoder": 1.0},
    heads={},
    idf={},
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def message(text: str, *, role: Role = Role.USER, cosine: float = 0.7) -> ScoredCandidate:
    candidate = Candidate(
        source=Source.MESSAGE,
        id=text[:8],
        text=text,
        created_at=NOW,
        last_stated_at=NOW,
        tokens=20,
        role=role,
        cosine=cosine,
    )
    return ScoredCandidate(candidate=candidate, score=1.0)


def is_never_trivial(_: Candidate) -> bool:
    return False


def select(
    question: str,
    scored: Sequence[ScoredCandidate],
    *,
    threshold: float,
    is_trivial: TrivialityTest = is_never_trivial,
) -> list[Judgement]:
    query = profile_query(question, None, COVERAGE_MODEL)
    judged = judge_excerpts(scored, query, COVERAGE_MODEL, is_trivial=is_trivial)
    return select_relevant(scored, judged, query, threshold=threshold)


def test_irrelevant_messages_are_left_out_with_their_probability() -> None:
    scored = [message("my rent is 640 a month"), message("the whippet is called Biscuit")]

    relevant, irrelevant = select("what is my rent", scored, threshold=0.5)

    assert relevant.rejection_reason is None
    assert irrelevant.rejection_reason == Reason(
        ReasonCode.BELOW_RELEVANCE, {"relevance": 0.01, "threshold": 0.5}
    )


def test_what_is_far_less_relevant_than_the_best_is_left_out() -> None:
    scored = [message("my rent is 640 a month"), message("the whippet is called Biscuit")]

    judged = select("what is my rent", scored, threshold=0.005)

    assert [each.is_relevant for each in judged] == [True, False]
    assert judged[1].rejection_reason == Reason(
        ReasonCode.BELOW_RELEVANCE, {"relevance": 0.01, "threshold": 0.5}
    )


def test_a_message_is_reduced_to_what_it_states() -> None:
    scored = [message("Good morning! My rent is 640 a month. Is that a lot?")]

    [judged] = select("what is my rent", scored, threshold=0.5)

    assert judged.scored.candidate.text == "Good morning! My rent is 640 a month."


def test_questions_and_trivial_messages_state_nothing() -> None:
    judged = select(
        "what is my rent",
        [message("what is my rent?"), message("my rent")],
        threshold=0.5,
        is_trivial=lambda candidate: candidate.text == "my rent",
    )

    assert {each.rejection_reason for each in judged} == {Reason(ReasonCode.STATES_NOTHING)}


def test_the_cross_encoder_reads_the_most_probable_excerpts_with_their_speaker() -> None:
    scored = [
        message("the whippet is called Biscuit"),
        message("my rent is 640 a month"),
        message("a rent of 640 is normal", role=Role.ASSISTANT),
    ]
    query = profile_query("what is my rent", None, COVERAGE_MODEL)
    judged = judge_excerpts(scored, query, COVERAGE_MODEL, is_trivial=is_never_trivial)

    assert {each.text for each in doubtful_excerpts(judged, 2)} == {
        "user: my rent is 640 a month",
        "assistant: a rent of 640 is normal",
    }
    assert len(doubtful_excerpts([*judged, *judged], 2)) == 2
    assert len(doubtful_excerpts(judged, 8)) == 2
    assert doubtful_excerpts(judged, 0) == []


def read_rents(*scores: float | None, count: int) -> list[float]:
    """Return the probabilities of three statements about a rent, of which `count` are read."""
    texts = ("my rent is 640 a month", "my rent was 600 a month", "my rent, they say")
    scored = [message(text) for text in texts]
    query = profile_query("what is my rent", None, COVERAGE_MODEL)
    judged = judge_excerpts(scored, query, COVERAGE_MODEL, is_trivial=is_never_trivial)
    doubtful = doubtful_excerpts(judged, count)
    return [each.probability for each in apply_readings(judged, doubtful, scores, COVERAGE_MODEL)]


def test_the_score_of_the_cross_encoder_decides_what_it_has_read() -> None:
    before = read_rents(count=0)

    assert [round(each, 3) for each in read_rents(0.1, 0.2, 0.3, count=3)] == [0.1, 0.2, 0.3]
    assert read_rents(None, None, None, count=3) == before


def test_what_was_not_read_is_not_more_probable_than_what_was() -> None:
    assert [round(each, 3) for each in read_rents(0.3, 0.2, count=2)] == [0.3, 0.2, 0.2]


def test_the_same_statement_is_read_once() -> None:
    scored = [message("my rent is 640 a month"), message("Rent: 640 a month", role=Role.ASSISTANT)]
    query = profile_query("what is my rent", None, COVERAGE_MODEL)
    judged = judge_excerpts(scored, query, COVERAGE_MODEL, is_trivial=is_never_trivial)
    doubtful = doubtful_excerpts(judged, 8)

    assert len(doubtful) == 1
    assert len({each.probability for each in apply_readings(judged, doubtful, [0.7], COVERAGE_MODEL)}) == 1


def test_search_keeps_order_and_text_and_shows_the_relevance() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)
    scored = [message("the whippet is called Biscuit"), message("my rent is 640 a month. ok?")]

    rated = rate_relevance(scored, judge_excerpts(scored, query, COVERAGE_MODEL, is_trivial=is_never_trivial))

    assert [each.candidate for each in rated] == [each.candidate for each in scored]
    assert [round(each.parts["relevance"], 2) for each in rated] == [0.01, 0.99]


def test_the_installed_model_has_a_head_for_each_intent_and_topic_and_a_record() -> None:
    model = load_relevance_model()

    assert set(model.heads) == {*INTENTS, *TOPIC_NAMES}
    assert "bias" in model.weights
    assert {"bias", "features", "cross-encoder"} <= set(model.reading)


def test_an_entry_of_a_list_needs_half_the_probability() -> None:
    candidates = [message("my rent is 640 a month"), message("the whippet is called Biscuit")]

    def relevant(question: str, threshold: float) -> list[bool]:
        return [each.is_relevant for each in select(question, candidates, threshold=threshold)]

    query = profile_query("all my rents", None, COVERAGE_MODEL)
    judged = judge_excerpts(candidates, query, COVERAGE_MODEL, is_trivial=is_never_trivial)
    probability = judged[0].probability

    assert relevant("all my rents", 1.5 * probability) == [True, False]
    assert relevant("my old rents", 1.5 * probability) == [False, False]
