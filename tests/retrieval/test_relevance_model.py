"""The calibrated judgement: what is relevant, what states nothing, and what is left of a message."""

from datetime import UTC, datetime

from recollect.domain.candidate import Candidate, ScoredCandidate, Source
from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.retrieval.relevance import estimate_relevance, select_relevant
from recollect.retrieval.relevance_model import (
    INTENTS,
    TOPIC_NAMES,
    RelevanceModel,
    load_relevance_model,
    profile_query,
)

#: An excerpt is relevant if it covers the words of the query.
COVERAGE_MODEL = RelevanceModel(embedder="test", weights={"bias": -5.0, "coverage": 10.0}, heads={}, idf={})
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


def test_irrelevant_messages_are_left_out_with_their_probability() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)

    relevant, irrelevant = select_relevant(
        [message("my rent is 640 a month"), message("the whippet is called Biscuit")],
        query,
        COVERAGE_MODEL,
        threshold=0.5,
        is_trivial=is_never_trivial,
    )

    assert relevant.rejection_reason is None
    assert irrelevant.rejection_reason == Reason(
        ReasonCode.BELOW_RELEVANCE, {"relevance": 0.01, "threshold": 0.5}
    )


def test_what_is_far_less_relevant_than_the_best_is_left_out() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)

    judged = select_relevant(
        [message("my rent is 640 a month"), message("the whippet is called Biscuit")],
        query,
        COVERAGE_MODEL,
        threshold=0.005,
        is_trivial=is_never_trivial,
    )

    assert [each.is_relevant for each in judged] == [True, False]
    assert judged[1].rejection_reason == Reason(
        ReasonCode.BELOW_RELEVANCE, {"relevance": 0.01, "threshold": 0.5}
    )


def test_a_message_is_reduced_to_what_it_states() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)

    [judged] = select_relevant(
        [message("Good morning! My rent is 640 a month. Is that a lot?")],
        query,
        COVERAGE_MODEL,
        threshold=0.5,
        is_trivial=is_never_trivial,
    )

    assert judged.scored.candidate.text == "Good morning! My rent is 640 a month."


def test_questions_and_trivial_messages_state_nothing() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)

    judged = select_relevant(
        [message("what is my rent?"), message("my rent")],
        query,
        COVERAGE_MODEL,
        threshold=0.5,
        is_trivial=lambda candidate: candidate.text == "my rent",
    )

    assert {each.rejection_reason for each in judged} == {Reason(ReasonCode.STATES_NOTHING)}


def test_search_keeps_order_and_text_and_shows_the_relevance() -> None:
    query = profile_query("what is my rent", None, COVERAGE_MODEL)
    scored = [message("the whippet is called Biscuit"), message("my rent is 640 a month. ok?")]

    judged = estimate_relevance(scored, query, COVERAGE_MODEL, is_trivial=is_never_trivial)

    assert [each.scored.candidate for each in judged] == [each.candidate for each in scored]
    assert [round(each.scored.parts["relevance"], 2) for each in judged] == [0.01, 0.99]


def test_the_installed_model_has_a_head_for_each_intent_and_topic_and_a_record() -> None:
    model = load_relevance_model()

    assert set(model.heads) == {*INTENTS, *TOPIC_NAMES}
    assert "bias" in model.weights


def test_an_entry_of_a_list_needs_half_the_probability() -> None:
    candidates = [message("my rent is 640 a month"), message("the whippet is called Biscuit")]

    def relevant(question: str, threshold: float) -> list[bool]:
        query = profile_query(question, None, COVERAGE_MODEL)
        judged = select_relevant(
            candidates, query, COVERAGE_MODEL, threshold=threshold, is_trivial=is_never_trivial
        )
        return [each.is_relevant for each in judged]

    probability = estimate_relevance(
        candidates,
        profile_query("all my rents", None, COVERAGE_MODEL),
        COVERAGE_MODEL,
        is_trivial=is_never_trivial,
    )[0].probability
    assert probability is not None

    assert relevant("all my rents", 1.5 * probability) == [True, False]
    assert relevant("my old rents", 1.5 * probability) == [False, False]
