"""Answers without a language model."""

import pytest

from recollect.context.extractive_answer import quote_memories
from recollect.domain.candidate import Source
from recollect.domain.receipt import Disposition, ReceiptItem
from recollect.testing.clock import MONDAY

ITEM = ReceiptItem(
    source=Source.MEMORY,
    id="m1",
    text="My sister Rosa lives in Porto",
    disposition=Disposition.INJECTED,
    score=1.0,
    parts={},
    tokens=8,
    created_at=MONDAY,
)


def test_a_question_is_answered_with_quotes() -> None:
    assert "My sister Rosa lives in Porto" in quote_memories("Where does Rosa live?", [ITEM])


@pytest.mark.parametrize(
    ("text", "start"),
    [("Hi there!", "Hello!"), ("Oi!", "Olá!"), ("thanks", "You're welcome!"), ("ok", "Tell me")],
)
def test_a_message_without_content_is_answered_in_kind(text: str, start: str) -> None:
    answer = quote_memories(text, [ITEM])

    assert answer.startswith(start)
    assert "Porto" not in answer


def test_a_greeting_before_a_question_is_no_greeting() -> None:
    assert "Porto" in quote_memories("Hi, where does Rosa live?", [ITEM])
