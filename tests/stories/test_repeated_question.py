"""A question that was asked before is nearer to itself than any answer; it must not hide the answer."""

from pathlib import Path

import pytest

from recollect import Memory


@pytest.mark.spec("K11")
def test_a_question_asked_in_earlier_chats_still_finds_its_answer(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings={"worker": False}) as memory:
        for chat, text in (
            ("1", "I moved to Porto in March, before that I lived in Lisbon"),
            ("2", "I have two cats, Tom and Mia"),
            ("2", "we deploy the webshop to Hetzner"),
            ("1", "where do I live?"),
            ("2", "where do I live?"),
            ("3", "where do I live?"),
        ):
            memory.add([{"role": "user", "content": text}], chat_id=chat)
        memory.flush()

        block = memory.context("Where do I live?", chat_id="4")

    texts = [item.text for item in block.receipt.injected_items]
    assert any("Porto" in text for text in texts)
    assert not any("cats" in text or "Hetzner" in text or "?" in text for text in texts)
