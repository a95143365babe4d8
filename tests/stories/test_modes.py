"""Off means off: nothing injected, nothing learned, nothing kept; per call, per chat and per user."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.results import texts

from recollect import Memory
from recollect.domain.outcomes import Rejected
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import TEMPORARY_CHAT_PREFIX, Scope
from recollect.errors import InvalidInput
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

FACT = "I live in Lisbon."
QUESTION = "Where do I live?"
TEMPORARY_CHAT = f"{TEMPORARY_CHAT_PREFIX}1"


@pytest.fixture
def memory(open_store: OpenStore) -> Iterator[Memory]:
    with Memory(
        store=open_store(), embedder=LetterEmbedder(), clock=FrozenClock(), settings={"worker": False}
    ) as opened:
        opened.add({"role": "user", "content": "I love jazz."}, chat_id="before", sync=True)
        yield opened


def add_fact(memory: Memory, chat: str, mode: str | None = None) -> bool:
    """Say a fact; whether it was stored."""
    [stored] = memory.add({"role": "user", "content": FACT}, chat_id=chat, mode=mode).messages
    memory.flush()
    return stored.is_stored


def is_injected(memory: Memory, chat: str, mode: str | None = None) -> bool:
    return "jazz" in memory.context("What music do I love?", chat_id=chat, mode=mode).text


@pytest.mark.spec("A1", "A2")
@pytest.mark.parametrize(
    ("mode", "listens", "recalls"),
    [("on", True, True), ("collect_only", True, False), ("recall_only", False, True), ("off", False, False)],
)
@pytest.mark.parametrize("where", ["call", "chat", "user"])
def test_a_mode_holds_for_a_call_a_chat_or_a_user(
    memory: Memory, mode: str, listens: bool, recalls: bool, where: str
) -> None:
    call = mode if where == "call" else None
    if where == "chat":
        memory.chats.set_mode("c", mode)
    if where == "user":
        now = memory.application.clock.now()
        store_of(memory.application).preferences.set("default", "memory.mode", mode, now=now)

    assert is_injected(memory, "c", call) is recalls
    assert add_fact(memory, "c", call) is listens
    assert any("Lisbon" in text for text in texts(memory.get_all())) is listens


def test_a_call_wins_over_the_chat_which_wins_over_the_user(memory: Memory) -> None:
    now = memory.application.clock.now()
    store_of(memory.application).preferences.set("default", "memory.mode", "off", now=now)
    memory.chats.set_mode("c", "recall_only")

    assert [is_injected(memory, "d"), is_injected(memory, "c"), is_injected(memory, "c", "off")] == [
        False,
        True,
        False,
    ]
    memory.chats.set_mode("c", None)
    assert not is_injected(memory, "c")


@pytest.mark.spec("W1")
@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_a_temporary_chat_leaves_no_trace_in_the_file(memory: Memory) -> None:
    before = memory.maintenance.stats()
    stored = add_fact(memory, TEMPORARY_CHAT)
    block = memory.context("Zanzibar, where is it?", chat_id=TEMPORARY_CHAT)
    found = memory.search("Zanzibar again", chat_id=TEMPORARY_CHAT)
    services, policy = memory.application.services, memory.application.policy("default", chat=TEMPORARY_CHAT)
    rows = list(
        services.turns.stream_turn(Scope("default", TEMPORARY_CHAT), "I was in Zanzibar", policy, model=None)
    )
    path = Path(store_of(memory.application).location())
    memory.close()
    written = b"".join(p.read_bytes() for p in path.parent.iterdir() if p.is_file())

    assert not stored
    assert block.text == ""
    assert found.results == ()
    assert block.receipt.skipped_sources == (Reason(ReasonCode.RECALL_OFF, {"mode": "off"}),)
    assert len(rows) == 3
    assert b"Zanzibar" not in written
    assert TEMPORARY_CHAT.encode() not in written
    assert before.messages == 1


def test_nothing_switches_memory_on_in_a_temporary_chat(memory: Memory) -> None:
    assert not add_fact(memory, TEMPORARY_CHAT, "on")
    assert not is_injected(memory, TEMPORARY_CHAT, "on")


def test_a_text_to_be_remembered_is_declined_where_memory_is_off(memory: Memory) -> None:
    [declined] = memory.add("I hate olives", chat_id=TEMPORARY_CHAT).results

    assert isinstance(declined, Rejected)
    assert declined.memory is None
    assert declined.reason == Reason(ReasonCode.NOT_COLLECTING, {"mode": "off"})
    assert not any("olives" in text for text in texts(memory.get_all()))


def test_an_unknown_mode_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="collect_only"):
        memory.chats.set_mode("c", "sometimes")


@pytest.mark.spec("A1")
def test_no_model_is_asked_where_memory_does_not_listen(open_store: OpenStore) -> None:
    model = ScriptedChatModel("[]")
    with Memory(
        store=open_store(), chat_model=model, embedder=LetterEmbedder(), settings={"worker": False}
    ) as memory:
        add_fact(memory, "c", "off")
        add_fact(memory, "c", "recall_only")

        assert model.calls == []
        add_fact(memory, "c")
        assert len(model.calls) == 1


@pytest.mark.spec("C-4", "C6")
@pytest.mark.parametrize(
    ("preset", "left"), [("default", 9), ("smart", 6), ("companion", 6)], ids=["full", "gated", "none"]
)
def test_what_was_said_is_kept_whole_or_gated_or_not_at_all(
    open_store: OpenStore, preset: str, left: int
) -> None:
    with Memory(
        store=open_store(), embedder=LetterEmbedder(), settings={"worker": False, "preset": preset}
    ) as memory:
        memory.add({"role": "user", "content": "I decided that my project uses SQLite."}, chat_id="c")
        memory.add({"role": "user", "content": "I decided that my project uses Python."}, chat_id="c")
        for number in range(7):
            memory.add({"role": "user", "content": f"ok {number}"}, chat_id="c")
        memory.flush()
        if preset == "companion":
            memory.chats.summarize("c")

        assert memory.maintenance.stats().messages == left
        assert len(memory.get_all()) == 2
