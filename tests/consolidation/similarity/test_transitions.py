from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect.consolidation.similarity.duplicates import is_duplicate
from recollect.consolidation.similarity.transitions import fulfils_goal, is_job_at_employer, repeats, retracts
from recollect.domain.memory import Kind, Memory
from recollect.domain.message import Role
from recollect.domain.policy import ConsolidationPolicy

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


def memory(
    text: str, kind: Kind = Kind.PREFERENCE, attribute: str | None = None, value: str | None = None
) -> Memory:
    return Memory(
        id=text,
        user="ana",
        text=text,
        kind=kind,
        created_at=NEW_YEAR,
        updated_at=NEW_YEAR,
        last_stated_at=NEW_YEAR,
        attribute=attribute,
        value=value,
    )


@pytest.mark.parametrize(
    ("known", "said", "back"),
    [
        ("loves black coffee before a run", "doesn't like coffee any more", True),
        ("adora café preto", "não gosta mais de café", True),
        ("loves tea", "doesn't like coffee any more", False),
        ("hates coffee", "doesn't like coffee any more", False),
        ("loves coffee", "likes coffee", False),
        ("drinks coffee", "doesn't like coffee any more", False),
    ],
)
def test_a_taste_is_taken_back_by_its_denial(known: str, said: str, *, back: bool) -> None:
    assert retracts(memory(known), memory(said)) is back


@pytest.mark.parametrize(
    ("goal", "event", "done"),
    [
        (
            "wants to run a half marathon in October (2026-10)",
            "ran the half marathon yesterday (2026-10-11)",
            True,
        ),
        ("quer publicar um livro este ano (2026)", "publicou o livro ontem (2026-05-02)", True),
        ("wants to move to Japan", "moved to Japan last week", True),
        ("wants to run a half marathon", "ran a marathon", False),
        ("wants to learn Japanese", "moved to Japan", False),
        ("wants to travel", "lost the job", False),
    ],
)
def test_a_goal_is_reached_by_what_was_wanted(goal: str, event: str, *, done: bool) -> None:
    assert fulfils_goal(memory(goal, Kind.GOAL), memory(event, Kind.EVENT)) is done


def test_only_a_goal_is_reached_and_only_by_what_happened() -> None:
    goal, event = memory("wants to buy a boat", Kind.GOAL), memory("bought a boat", Kind.EVENT)

    assert fulfils_goal(goal, event)
    assert not fulfils_goal(event, goal)
    assert not fulfils_goal(goal, replace(event, user="bruno"))


JOB_MEMORY = memory("works as a nurse at Mercy Hospital", Kind.BIOGRAPHY, "job", "nurse")
EMPLOYER_MEMORY = memory("works at Mercy Hospital", Kind.BIOGRAPHY, "employer", "Mercy Hospital")
LEFT_EMPLOYER_MEMORY = memory(
    "doesn't work at Mercy Hospital any more", Kind.BIOGRAPHY, "employer", "Mercy Hospital"
)


def test_who_is_a_nurse_at_a_hospital_works_there() -> None:
    elsewhere = replace(EMPLOYER_MEMORY, id="other", text="works at Acme", value="Acme")

    assert is_job_at_employer(JOB_MEMORY, EMPLOYER_MEMORY)
    assert not is_job_at_employer(JOB_MEMORY, elsewhere)
    assert is_duplicate(JOB_MEMORY, EMPLOYER_MEMORY, None, ConsolidationPolicy())
    assert not is_duplicate(JOB_MEMORY, elsewhere, None, ConsolidationPolicy())


def test_who_works_there_no_more_has_not_the_job_any_more() -> None:
    assert retracts(JOB_MEMORY, LEFT_EMPLOYER_MEMORY)
    assert not is_duplicate(JOB_MEMORY, LEFT_EMPLOYER_MEMORY, None, ConsolidationPolicy())


@pytest.mark.parametrize(
    ("said", "echo"),
    [
        ("hates cilantro", True),
        ("You told me that the user hates cilantro, right?", True),
        ("The user hates coriander", False),
    ],
)
def test_an_assistant_that_says_what_is_known_only_echoes(said: str, *, echo: bool) -> None:
    known = memory("hates cilantro")

    assert repeats(known, replace(memory(said), speaker=Role.ASSISTANT)) is echo
    assert not repeats(known, memory(said))
