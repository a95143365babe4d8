from datetime import timedelta

import pytest
from tests.retrieval.examples import a_candidate, a_scored_candidate

from recollect.domain.memory import Memory, MemoryStatus, SourceSpan
from recollect.domain.message import Role
from recollect.retrieval.provenance import mark_ended, states
from recollect.testing.clock import MONDAY

MOVED_AT = MONDAY + timedelta(days=30)


def a_memory(text: str, *, message: str = "m1", is_superseded: bool = True) -> Memory:
    return Memory(
        id=text,
        user="ana",
        text=text,
        created_at=MONDAY,
        updated_at=MONDAY,
        last_stated_at=MONDAY,
        status=MemoryStatus.SUPERSEDED if is_superseded else MemoryStatus.ACTIVE,
        valid_to=MOVED_AT if is_superseded else None,
        spans=(SourceSpan(message_id=message, start=0, end=10),),
    )


def test_an_outdated_message_says_which_of_its_facts_ended() -> None:
    message = a_candidate("I'm Inês and I live in Lisbon.", id="m1", role=Role.USER)._replace(outdated=True)
    memories = [
        a_memory("lives in Lisbon"),
        a_memory("name: Inês", is_superseded=False),
        a_memory("lives in Faro", message="m2"),
    ]

    [marked] = mark_ended([a_scored_candidate(message)], memories)

    assert marked.candidate.ended_facts == (("lives in Lisbon", MOVED_AT),)
    assert marked.candidate.outdated


def test_an_excerpt_without_the_ended_fact_is_not_outdated() -> None:
    excerpt = a_candidate("My cat is called Bolota.", id="m1", role=Role.USER)._replace(outdated=True)

    [marked] = mark_ended([a_scored_candidate(excerpt)], [a_memory("lives in Lisbon")])

    assert (marked.candidate.outdated, marked.candidate.ended_facts) == (False, ())


@pytest.mark.parametrize(
    ("text", "fact", "is_stated"),
    [
        ("my name is Ana and I'm 34", "is 34 years old", True),
        ("my name is Ana and I'm 34", "name: Ana", True),
        ("my name is Ana and I'm 35", "is 34 years old", False),
        ("the rent is 34 euros a night there", "has two cats, Tom and Mia", False),
    ],
)
def test_a_text_states_a_fact_by_its_words_or_its_numbers(text: str, fact: str, is_stated: bool) -> None:
    assert states(text, fact) is is_stated
