import pytest

from recollect.errors import ProviderBusy
from recollect.ports.chat_model import ModelMessage
from recollect.testing.chat_models import RecordedCall, ScriptedChatModel

REQUEST_MESSAGES = (ModelMessage(role="user", content="Hello"),)


def test_answers_come_in_order_and_the_last_one_stays() -> None:
    model = ScriptedChatModel("one", lambda turns: f"two, {turns[-1].content}")

    assert [model.complete(REQUEST_MESSAGES, max_tokens=9).text for _ in range(3)] == [
        "one",
        "two, Hello",
        "two, Hello",
    ]


def test_every_call_is_recorded_as_it_was_made() -> None:
    model = ScriptedChatModel()
    model.complete(REQUEST_MESSAGES, max_tokens=9, schema={"type": "object"}, timeout=2.0)
    list(model.stream(REQUEST_MESSAGES, max_tokens=8))

    assert model.calls == [
        RecordedCall(messages=REQUEST_MESSAGES, max_tokens=9, schema={"type": "object"}, timeout=2.0),
        RecordedCall(messages=REQUEST_MESSAGES, max_tokens=8, is_streaming=True),
    ]


def test_errors_come_first_and_once() -> None:
    model = ScriptedChatModel("fine")
    model.fail_next(ProviderBusy())

    with pytest.raises(ProviderBusy):
        model.complete(REQUEST_MESSAGES, max_tokens=9)
    assert model.complete(REQUEST_MESSAGES, max_tokens=9).text == "fine"
