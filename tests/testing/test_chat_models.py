import pytest

from recollect.errors import ProviderBusy
from recollect.ports.chat_model import Turn
from recollect.testing.chat_models import Asked, ScriptedChatModel

HELLO = (Turn(role="user", content="Hello"),)


def test_answers_come_in_order_and_the_last_one_stays() -> None:
    model = ScriptedChatModel("one", lambda turns: f"two, {turns[-1].content}")

    assert [model.complete(HELLO, max_tokens=9).text for _ in range(3)] == ["one", "two, Hello", "two, Hello"]


def test_every_call_is_recorded_as_it_was_made() -> None:
    model = ScriptedChatModel()
    model.complete(HELLO, max_tokens=9, schema={"type": "object"}, timeout=2.0)
    list(model.stream(HELLO, max_tokens=8))

    assert model.calls == [
        Asked(turns=HELLO, max_tokens=9, schema={"type": "object"}, timeout=2.0),
        Asked(turns=HELLO, max_tokens=8, streamed=True),
    ]


def test_errors_come_first_and_once() -> None:
    model = ScriptedChatModel("fine")
    model.fail_next(ProviderBusy())

    with pytest.raises(ProviderBusy):
        model.complete(HELLO, max_tokens=9)
    assert model.complete(HELLO, max_tokens=9).text == "fine"
