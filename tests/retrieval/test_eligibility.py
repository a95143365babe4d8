"""What of a message may enter a prompt."""

import pytest
from tests.retrieval.examples import a_candidate, a_fact

from recollect.domain.candidate import Source
from recollect.domain.message import ChunkKind, Role
from recollect.domain.policy import TriagePolicy
from recollect.retrieval.eligibility import eligible_text
from recollect.text.triviality import triviality_reason


def is_small_talk(sentence: str, role: Role) -> bool:
    return triviality_reason(sentence, role, TriagePolicy(min_chars=0)) is not None


def eligible(text: str, *, by: Role = Role.USER) -> str:
    return eligible_text(a_candidate(text, role=by), is_small_talk)


@pytest.mark.parametrize(
    "text",
    [
        "Where did I put the keys?",
        "quick one whats the jsonpath to get all images",
        "how do I convert this to celsius",
        "could you recommend something for the car",
        "sugere duas gratuitas",
        "qual é a diferença entre dolo e culpa",
        "thanks!",
        "ok thanks",
        "Bom dia!",
        "haha yes it is",
        "My PIN is 1234, don't store this.",
        "Off the record, I am looking for another job.",
        "Vou pedir demissão na sexta, mas não guarda isso.",
    ],
)
def test_questions_courtesies_and_what_is_off_the_record_stay_out(text: str) -> None:
    assert eligible(text) == ""


@pytest.mark.parametrize(
    "text",
    ["Shall I write it down?", "Would you like help with the invitation?", "De nada, boa semana!"],
)
def test_offers_of_help_stay_out(text: str) -> None:
    assert eligible(text, by=Role.ASSISTANT) == ""


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I'm vegetarian. What can I cook after a late shift?", "I'm vegetarian."),
        ("Thanks! My sister lives in Leeds now.", "My sister lives in Leeds now."),
        ("Who cares, I moved to Porto last week and started at the hospital.",) * 2,
        ("When I was ten we moved to Faro.",) * 2,
        ("Como carne só aos domingos.",) * 2,
        ("Write all my emails in British English, always.",) * 2,
    ],
)
def test_a_message_is_reduced_to_what_it_states(text: str, stated: str) -> None:
    assert eligible(text) == stated


def test_memories_and_code_are_left_whole() -> None:
    code = a_candidate("how do i call f?\n```py\nf()", role=Role.USER)
    chunk = a_candidate("what = 1", role=Role.USER, source=Source.CHUNK, chunk_kind=ChunkKind.CODE)

    assert eligible_text(a_fact("Where is it?", role=Role.USER), is_small_talk) == "Where is it?"
    assert eligible_text(code, is_small_talk) == "how do i call f?\n```py\nf()\n```"
    assert eligible_text(chunk, is_small_talk) == "what = 1"
