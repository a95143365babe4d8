"""The library through its public interface, on real files."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, assert_type

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect import AsyncMemory, Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.context.labels import NOTICES
from recollect.domain.diagnostics import StoreStats
from recollect.domain.job import JobKind, JobState
from recollect.domain.memory import Kind, MemoryVersion, Origin
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.message import Message
from recollect.domain.outcomes import AddResult, New, Reinforced, Rejected
from recollect.domain.policy import PRESETS
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.recall import ContextResult, SearchResults
from recollect.domain.receipt import Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.errors import (
    ConfigError,
    EmptyText,
    InvalidInput,
    NotFound,
    ProviderBusy,
    RecollectError,
    Refused,
    StoreError,
    TextTooLong,
    UnknownRole,
)
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

VEGETARIAN = "I'm vegetarian and hate cilantro"
LISBON_MESSAGE = {"role": "user", "content": "I live in Lisbon."}
QUICK_SETTINGS = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolate tests from the settings of the user who runs them."""
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "RAG_"))]:
        monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory(
        tmp_path / "memory.db", user_id="ana", embedder=HashingEmbedder(), clock=clock, ids=CountingIds()
    ) as opened:
        yield opened


def make_message(content: object, role: str = "user", **extra: object) -> dict[str, object]:
    return {"role": role, "content": content, **extra}


def texts(results: Iterable[StoredMemory | ReceiptItem]) -> list[str]:
    return [each.text for each in results]


def add_memory(memory: Memory, text: str) -> str:
    return memory.add(text).memories[0].id


def stored_messages(memory: Memory, added: AddResult) -> list[Message]:
    """Return the messages that were added, as stored."""
    return [store_of(memory.application).messages.get(Scope("ana"), each.id) for each in added.messages]


# Adding


def test_a_text_is_remembered_as_it_is(memory: Memory) -> None:
    [outcome] = memory.add(VEGETARIAN, tags=["food", "home"]).results

    assert isinstance(outcome, New)
    added = outcome.memory
    assert (added.text, added.user) == (VEGETARIAN, "ana")
    assert (added.tags, added.kind, added.origin) == (("food", "home"), Kind.PREFERENCE, Origin.MANUAL)
    assert memory.get(added.id) == added


@pytest.mark.spec("C-17", "F4")
def test_the_same_text_again_reinforces_the_one_memory(memory: Memory, clock: FrozenClock) -> None:
    [first] = memory.add(VEGETARIAN, tags=["food"]).memories
    clock.advance(timedelta(days=1))
    [outcome] = memory.add(f"  {VEGETARIAN.upper()}. ", tags="home").results

    assert isinstance(outcome, Reinforced)
    again = outcome.memory
    assert (again.id, again.times_stated) == (first.id, 2)
    assert again.last_stated_at > first.last_stated_at
    assert again.tags == ("food", "home")
    assert texts(memory.get_all()) == [VEGETARIAN]


def test_a_kind_can_be_given(memory: Memory) -> None:
    assert memory.add("the server room is cold", kind="decision").memories[0].kind is Kind.DECISION


def test_one_message_or_a_list_is_stored_and_not_yet_learned_from(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings={"worker": False, "embedder": "hashing"}) as memory:
        one = memory.add(LISBON_MESSAGE, chat_id="trip")
        two = memory.add(
            [make_message("And where do you live?", "assistant"), make_message("ok")], chat_id="trip"
        )

        assert one.results == two.results == ()
        [ingested] = one.messages
        assert (ingested.is_new, ingested.is_queued, ingested.is_stored) == (True, True, True)
        assert ingested.reason == Reason(ReasonCode.KEEP_PHRASE, {"phrase": "i live in"})
        assert ingested.redacted_kinds == ()
        assert (ingested.message.chat, ingested.message.role) == ("trip", "user")
        assert ingested.message.tokens == estimate_tokens("I live in Lisbon.")
        assert [each.message.role for each in two.messages] == ["assistant", "user"]
        assert memory.get_all() == []


@pytest.mark.spec("B1")
def test_sync_returns_learned_memories_with_their_source(memory: Memory) -> None:
    answer = memory.add([LISBON_MESSAGE, make_message("Good morning")], chat_id="trip", sync=True)
    learned = {each.text: each for each in answer.memories}
    [first, _] = answer.messages

    assert "lives in Lisbon" in learned
    assert New(memory=learned["lives in Lisbon"]) in answer.results
    assert {span.message_id for span in learned["lives in Lisbon"].spans} == {first.id}


def test_sync_reports_known_facts(memory: Memory) -> None:
    memory.add(LISBON_MESSAGE, sync=True)
    answer = memory.add(LISBON_MESSAGE, sync=True)

    assert {type(each) for each in answer.results} == {Reinforced}


def test_sync_says_that_a_message_it_knows_has_taught_nothing_new(memory: Memory) -> None:
    once = {**LISBON_MESSAGE, "id": "m1"}
    first = memory.add(once, sync=True)
    again = memory.add(once, sync=True)

    assert [type(each) for each in first.results] == [New]
    assert [type(each) for each in again.results] == [Rejected]
    assert texts(first.memories) == texts(again.memories) == ["lives in Lisbon"]


def test_a_fact_that_one_message_tells_twice_is_still_new(memory: Memory) -> None:
    answer = memory.add(make_message("I live in Porto. Yes, I live in Porto."), sync=True)

    assert {type(each) for each in answer.results} == {New}


def test_without_sync_a_worker_learns_in_the_background(memory: Memory) -> None:
    memory.add(LISBON_MESSAGE)

    assert memory.flush() is True
    assert "lives in Lisbon" in texts(memory.get_all())


def test_tool_calls_and_their_clipped_output_are_kept(memory: Memory) -> None:
    calls = [{"id": "call_1", "function": {"name": "cat", "arguments": '{"path": "ação.log"}'}}]
    log = "é" * 3000
    answer = memory.add(
        [make_message(None, "assistant", tool_calls=calls), make_message(log, "tool", tool_call_id="call_1")],
        chat_id="ops",
    )
    call, output = stored_messages(memory, answer)

    assert call.tool_calls is not None
    assert json.loads(call.tool_calls) == calls
    assert "ação" in call.tool_calls
    assert (call.content, output.tool_call_id, output.original_bytes) == ("", "call_1", 6000)
    assert len(output.content) < 2200
    assert memory.add(make_message(log, "tool")).messages[0].message.original_bytes == 6000


def test_the_text_parts_of_a_message_are_its_content(memory: Memory) -> None:
    parts = [
        {"type": "text", "text": "Look at my garden"},
        {"type": "image_url", "image_url": {"url": "data:..."}},
        {"type": "text", "text": "with roses"},
    ]
    [message] = stored_messages(memory, memory.add(make_message(parts)))

    assert message.content == "Look at my garden\nwith roses"


@pytest.mark.parametrize(
    ("given_at", "stored_at"),
    [
        ("2025-06-01T10:00:00+02:00", datetime(2025, 6, 1, 8, tzinfo=UTC)),
        ("2025-06-01T10:00:00Z", datetime(2025, 6, 1, 10, tzinfo=UTC)),
        ("2025-06-01", datetime(2025, 6, 1, tzinfo=UTC)),
        (1_748_772_000, datetime(2025, 6, 1, 10, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (datetime(2025, 6, 1, 10), datetime(2025, 6, 1, 10, tzinfo=UTC)),  # noqa: DTZ001
        (None, MONDAY),
        ("", MONDAY),
    ],
)
def test_a_message_may_have_its_own_timestamp(memory: Memory, given_at: object, stored_at: datetime) -> None:
    [message] = stored_messages(memory, memory.add(make_message("hello", created_at=given_at)))

    assert message.created_at == stored_at
    assert message.created_at.tzinfo is UTC


def test_a_message_with_a_known_id_is_not_stored_again(memory: Memory) -> None:
    first = memory.add([make_message("first", id="m1"), make_message("second", id=2)])
    again = memory.add(
        [make_message("first", id="m1"), make_message("third", id=3), make_message("no id", id="")]
    )

    assert [each.is_new for each in first.messages] == [True, True]
    assert [each.is_new for each in again.messages] == [False, True, True]
    assert again.messages[0].id == first.messages[0].id
    assert memory.maintenance.stats().messages == 4


@pytest.mark.spec("A9", "C-22")
def test_users_never_see_each_other(memory: Memory) -> None:
    mine = add_memory(memory, VEGETARIAN)
    memory.add("Bruno hates olives", user_id="bruno")
    memory.flush()

    assert texts(memory.get_all(user_id="bruno")) == ["Bruno hates olives"]
    assert texts(memory.search("vegetarian cilantro", user_id="bruno")) == ["Bruno hates olives"]
    assert "cilantro" not in str(memory.context("vegetarian", user_id="bruno"))
    for verb in (memory.get, memory.delete, memory.history):
        with pytest.raises(NotFound):
            verb(mine, user_id="bruno")
    with pytest.raises(NotFound):
        memory.update(mine, "eats everything", user_id="bruno")


@pytest.mark.spec("A9")
def test_without_a_user_there_is_one_default_user(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        [added] = memory.add(VEGETARIAN).memories

        assert added.user == "default"
        assert texts(memory.get_all(user_id="default")) == [VEGETARIAN]


# Asking


def test_search_gives_scores_and_the_parts_they_are_made_of(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.add("my sister plays the cello")
    memory.flush()
    answer = memory.search("vegetarian dinner")
    best = answer.results[0]

    assert (best.text, best.source, best.kind) == (VEGETARIAN, "memory", "preference")
    assert best.parts.keys() >= {"dense", "lexical", "identifier", "weight", "recency"}
    assert [each.score for each in answer] == sorted((each.score for each in answer), reverse=True)
    assert answer.degradations == ()


def test_search_is_limited_by_the_call(memory: Memory) -> None:
    for number in range(4):
        memory.add(f"soup number {number}")

    assert len(memory.search("soup")) == 4
    assert len(memory.search("soup", limit=2)) == 2


def test_search_as_of_returns_what_was_known_then(memory: Memory, clock: FrozenClock) -> None:
    memory.add("soup with leeks")
    clock.advance(timedelta(days=2))
    memory.add("soup with beans")

    assert texts(memory.search("soup", as_of=MONDAY + timedelta(days=1))) == ["soup with leeks"]
    assert texts(memory.search("soup", as_of="2026-03-03")) == ["soup with leeks"]


def test_context_gives_the_text_its_size_and_the_receipt(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.flush()
    answer = memory.context("what can I cook?", chat_id="kitchen")
    receipt = answer.receipt

    assert answer.text == f"{NOTICES['en']}\n\n## Relevant memory\n- User (2026-03-02): {VEGETARIAN}"
    assert answer.tokens == estimate_tokens(answer.text) == receipt.tokens
    assert (receipt.hybrid, receipt.chunking, receipt.budget) == (True, True, 1000)
    assert receipt.query == "what can I cook?"
    # A stored receipt has the block's items, not its text.
    stored = memory.receipts.get(receipt.id)
    assert stored == memory.receipts.get()
    assert (stored.text, stored.query, stored.tokens) == ("", receipt.query, receipt.tokens)
    assert [(each.id, each.disposition) for each in stored.items] == [
        (each.id, each.disposition) for each in receipt.items
    ]


def test_a_search_leaves_a_receipt_as_well(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    answer = memory.search("vegetarian")
    receipt = memory.receipts.get(answer.receipt.id)

    assert texts(answer) == [VEGETARIAN]
    assert [(item.disposition, item.reason) for item in receipt.items] == [
        ("returned", None),
        ("left_out", Reason(ReasonCode.SAME_AS_MEMORY)),
    ]


@pytest.mark.spec("N6", "Y6")
@QUICK_SETTINGS
@given(
    said_by_user=st.lists(
        st.text(
            st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=200
        ),
        min_size=1,
        max_size=6,
    ),
    question=st.sampled_from(["soup", "sopa de feijão", "汤和米饭", "суп и хлеб", "شوربة", "🍲?"]),
    budget=st.integers(0, 250),
    form=st.sampled_from(["facts", "smart", "companion", "dev", "agent", "xml", "messages"]),
)
def test_the_budget_holds_in_any_script_and_format(
    memory: Memory, said_by_user: list[str], question: str, budget: int, form: str
) -> None:
    for text in said_by_user:
        memory.add(make_message(f"{question} {text}"), chat_id="kitchen")
    answer = memory.context(question, chat_id="kitchen", budget=budget, settings={"context.format": form})

    assert estimate_tokens(answer.text) <= budget
    assert answer.tokens == estimate_tokens(answer.text)


def test_why_not_explains_why_a_memory_is_not_recalled(memory: Memory) -> None:
    recalled = add_memory(memory, VEGETARIAN)
    gone = add_memory(memory, "hates olives")
    memory.delete(gone)
    memory.flush()

    used, forgotten = (memory.receipts.why_not("vegetarian", each) for each in (recalled, gone))
    assert used.reason == Reason(ReasonCode.RECALLED)
    assert forgotten.reason == Reason(ReasonCode.NOT_ACTIVE, {"status": "forgotten"})
    assert forgotten.cause == Reason(ReasonCode.BY_USER)
    with pytest.raises(NotFound):
        memory.receipts.why_not("vegetarian", "nobody")


# Changing


def test_an_update_keeps_the_old_words_in_the_history(memory: Memory, clock: FrozenClock) -> None:
    known = add_memory(memory, "lives in Lisbon")
    clock.advance(timedelta(days=1))
    saved = memory.update(known, "lives in Porto")
    memory.flush()

    assert (saved.text, saved.version) == ("lives in Porto", 2)
    assert [(each.change, each.old_text, each.text) for each in memory.history(known)] == [
        ("ADD", None, "lives in Lisbon"),
        ("UPDATE", "lives in Lisbon", "lives in Porto"),
    ]
    assert texts(memory.search("Porto")) == ["lives in Porto"]
    assert "lives in Lisbon" not in texts(memory.search("Lisbon"))


def test_a_deleted_memory_is_found_no_more_not_even_by_the_words_it_came_from(memory: Memory) -> None:
    known = add_memory(memory, VEGETARIAN)
    memory.flush()
    gone = memory.delete(known)

    assert gone.status == "forgotten"
    assert memory.get_all() == []
    assert texts(memory.search("vegetarian cilantro")) == []
    assert memory.history(known)[-1].change == "DELETE"


def test_delete_all_asks_whose_and_forgets_that_user_only(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.add("hates olives", user_id="bruno")

    with pytest.raises(Refused, match="user_id"):
        memory.delete_all()
    assert memory.delete_all(user_id="bruno") == 1
    assert texts(memory.get_all(user_id="bruno")) == []
    assert texts(memory.get_all()) == [VEGETARIAN]


def test_get_all_can_be_narrowed_and_read_by_the_page(memory: Memory, clock: FrozenClock) -> None:
    for number in range(5):
        clock.advance(timedelta(minutes=1))
        memory.add(f"fact number {number}", tags=["odd"] if number % 2 else [], chat_id=f"chat {number % 2}")

    assert texts(memory.get_all(limit=2, offset=1)) == ["fact number 3", "fact number 2"]
    assert texts(memory.get_all(tag="odd")) == ["fact number 3", "fact number 1"]
    assert texts(memory.get_all(chat_id="chat 1")) == ["fact number 3", "fact number 1"]


def test_stats_count_what_is_stored(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.add(LISBON_MESSAGE, chat_id="trip", sync=True)
    stats = memory.maintenance.stats()

    counts = (stats.messages, stats.chats, stats.chunks, stats.summaries, stats.pending_vectors)
    assert counts == (2, 2, 0, 0, 0)
    assert stats.memories == len(texts(memory.get_all()))


# Opening and closing


def test_added_memories_survive_reopening(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "memory.db"
    with Memory(path, embedder=HashingEmbedder()) as memory:
        memory.add(VEGETARIAN)
    with Memory(str(path), embedder=HashingEmbedder()) as memory:
        assert texts(memory.get_all()) == [VEGETARIAN]


def test_closing_twice_is_no_mistake_and_using_it_afterwards_is(memory: Memory) -> None:
    memory.close()
    memory.close()

    with pytest.raises(StoreError):
        memory.add(VEGETARIAN)


def test_closing_leaves_no_thread_behind(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        memory.add(VEGETARIAN)
        memory.search("what does she eat?")

        assert {*threading.enumerate()} - before
    assert not {*threading.enumerate()} - before


def test_an_error_in_the_block_closes_it_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Memory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        raise KeyError
    with pytest.raises(StoreError):
        memory.add(VEGETARIAN)


def test_two_memories_may_share_a_file(memory: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", user_id="ana", embedder=HashingEmbedder()) as other:
        other.add(VEGETARIAN)

        assert texts(memory.get_all()) == texts(other.get_all()) == [VEGETARIAN]


def test_it_works_from_eight_threads_at_once(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", embedder=HashingEmbedder()) as memory:

        def chat(number: int) -> None:
            user = f"user {number % 4}"
            for turn in range(4):
                memory.add(
                    make_message(f"I live in town {number} since {turn}"), user_id=user, chat_id=f"c{number}"
                )
                memory.add(f"fact {turn} of {number}", user_id=user)
                memory.search("town", user_id=user)
                memory.context("where do I live?", user_id=user, chat_id=f"c{number}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(chat, range(8)))
        memory.flush()
        counted = [memory.maintenance.stats(user_id=f"user {number}") for number in range(4)]

        assert [each.messages for each in counted] == [16] * 4
        assert [each.pending_vectors for each in counted] == [0] * 4
        assert all(each.jobs == {} for each in counted)


# Settings


@pytest.mark.spec("Q16", "Q17")
def test_a_call_wins_over_a_preference_which_wins_over_the_environment_without_a_restart(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def budget(**call: object) -> object:
        return memory.context("soup", settings=call).receipt.budget

    before = budget()
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "900")
    by_environment = budget()
    store_of(memory.application).preferences.set("ana", "context.budget", "800", now=clock.now())
    by_preference = budget()
    by_call = budget(**{"context.budget": 700})
    store_of(memory.application).preferences.set("ana", "context.budget", None, now=clock.now())

    assert (before, by_environment, by_preference, by_call, budget()) == (1000, 900, 800, 700, 900)


@pytest.mark.spec("Q17")
def test_a_flag_is_toggled_while_it_runs(memory: Memory, clock: FrozenClock) -> None:
    memory.add(VEGETARIAN)
    on = memory.context("vegetarian").text
    store_of(memory.application).preferences.set("ana", "recall.enabled", "false", now=clock.now())
    off = memory.context("vegetarian").text
    others = memory.context("vegetarian", user_id="bruno").receipt

    assert (on, off) == (f"{NOTICES['en']}\n\n## Relevant memory\n- User (2026-03-02): {VEGETARIAN}", "")
    assert others.preset == "default"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_setting_like_any_other(tmp_path: Path, preset: str) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(), settings={"preset": preset}) as memory:
        receipt = memory.context("soup").receipt
        called = memory.context("soup", settings={"preset": "agent"}).receipt

    assert receipt.preset == preset
    assert called.preset == "agent"


def test_settings_given_at_the_start_hold_for_every_call(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(), settings={"recall.limit": 1}) as memory:
        memory.add("soup one")
        memory.add("soup two")

        assert len(memory.search("soup")) == 1
        assert len(memory.search("soup", limit=2)) == 2


# Wrong input


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ("", EmptyText),
        (" \u200b\n", EmptyText),
        (make_message(""), EmptyText),
        (make_message([{"type": "image_url"}]), EmptyText),
        ({"role": "user"}, EmptyText),
        (make_message("x", "nobody"), UnknownRole),
        ({"content": "x"}, InvalidInput),
        (["x"], InvalidInput),
        (None, InvalidInput),
        (5, InvalidInput),
        (b"bytes", InvalidInput),
        (make_message(5), InvalidInput),
        (make_message("x", created_at="yesterday"), InvalidInput),
        (make_message("x", created_at=float("nan")), InvalidInput),
        (make_message("x", created_at=True), InvalidInput),
        (make_message("x", created_at="0001-01-01T00:00:00+23:59"), InvalidInput),
        (make_message("x", created_at="9999-12-31T23:59:59-23:59"), InvalidInput),
        (make_message("x", created_at=1_772_355_600_000), InvalidInput),
        (make_message("x", id="\ud800"), InvalidInput),
        (make_message("x", "tool", tool_call_id="\ud800"), InvalidInput),
        (make_message("x", "assistant", tool_calls=[object()]), InvalidInput),
        ("a" * 10_000_001, TextTooLong),
    ],
    ids=lambda value: str(value)[:40],
)
def test_invalid_input_is_rejected_and_nothing_is_stored(
    memory: Memory, messages: object, error: type[RecollectError]
) -> None:
    with pytest.raises(error):
        memory.add(messages)  # type: ignore[arg-type]
    assert memory.maintenance.stats().messages == 0


def test_one_bad_message_of_a_list_stores_none_of_them(memory: Memory) -> None:
    with pytest.raises(UnknownRole):
        memory.add([LISBON_MESSAGE, make_message("x", "nobody")])
    assert memory.maintenance.stats().messages == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "mood"},
        {"tags": ["\ud800"]},
        {"tags": [""]},
        {"user_id": ""},
        {"chat_id": "a\nb"},
        {"user_id": "x" * 257},
    ],
    ids=str,
)
def test_a_name_that_is_none_is_refused(memory: Memory, arguments: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        memory.add(VEGETARIAN, **arguments)


def test_broken_characters_are_mended_not_refused(memory: Memory) -> None:
    [added] = memory.add("caf\ud800 au\0 lait").memories
    memory.add(make_message("soup", "assistant", tool_calls=[{"name": "\ud800"}]))
    memory.flush()

    assert added.text == "caf\ufffd au lait"
    assert texts(memory.search("\ud800 lait\0"))[0] == "caf\ufffd au lait"
    assert "lait" in str(memory.context("\udfff lait").text)
    assert memory.receipts.get().query == "\ufffd lait"


def test_whatever_was_added_can_be_asked_about(memory: Memory) -> None:
    for moment in ("0002-01-01T00:00:00+00:00", "9998-12-30T00:00:00+00:00"):
        memory.add(make_message("soup at the end of the calendar", created_at=moment))
    memory.flush()

    assert len(memory.search("soup")) == 2


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.search("x", limit=0), ConfigError),
        (lambda m: m.search("x", settings={"recall.alfa": 1}), ConfigError),
        (lambda m: m.search("x", as_of="never"), InvalidInput),
        (lambda m: m.context("x", budget=-1), ConfigError),
        (lambda m: m.get("nobody"), NotFound),
        (lambda m: m.update("nobody", "x"), NotFound),
        (lambda m: m.delete("nobody"), NotFound),
        (lambda m: m.history("nobody"), NotFound),
        (lambda m: m.receipts.get("nobody"), NotFound),
        (lambda m: m.receipts.get(), NotFound),
    ],
)
def test_an_invalid_query_raises_a_recollect_error(
    memory: Memory, call: Callable[[Memory], object], error: type[RecollectError]
) -> None:
    with pytest.raises(error):
        call(memory)


def test_an_update_to_nothing_changes_nothing(memory: Memory) -> None:
    known = add_memory(memory, VEGETARIAN)

    with pytest.raises(EmptyText):
        memory.update(known, "  ")
    assert memory.get(known).text == VEGETARIAN


def test_an_unknown_chat_is_empty(memory: Memory) -> None:
    assert memory.context("soup", chat_id="never seen").text == ""
    assert memory.search("soup", chat_id="never seen").results == ()
    assert memory.get_all(chat_id="never seen") == []


def test_a_misspelt_setting_is_named_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Did you mean preset"):
        Memory(tmp_path / "m.db", settings={"presset": "dev"})


@pytest.mark.spec("C-19", "T4")
def test_an_embedder_that_is_down_never_stops_an_add_and_the_work_waits(
    tmp_path: Path, clock: FrozenClock
) -> None:
    embedder = FailingEmbedder(ProviderBusy("down"), HashingEmbedder())
    with Memory(tmp_path / "m.db", embedder=embedder, clock=clock, settings={"worker": False}) as memory:
        memory.add(VEGETARIAN)
        memory.flush()
        waiting = store_of(memory.application).jobs.count_by_state(Scope("default"))
        found = memory.search("vegetarian")
        embedder.heal()
        clock.advance(timedelta(minutes=10))
        memory.flush()

        assert waiting == {(JobKind.EMBED, JobState.READY): 1}
        assert texts(found) == [VEGETARIAN]
        assert found.degradations == (Reason(ReasonCode.DENSE_SEARCH_FAILED, {"detail": "down"}),)
        assert memory.maintenance.stats().pending_vectors == 0


# AsyncMemory


def public_methods(kind: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(verb)
        for name, verb in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


NAMESPACES = [
    name for name, value in vars(Memory).items() if isinstance(value, cached_property) and name[0] != "_"
]


def test_async_memory_opens_like_memory() -> None:
    assert inspect.signature(AsyncMemory) == inspect.signature(Memory)


@pytest.mark.parametrize("namespace", ["", *NAMESPACES])
def test_async_memory_has_the_same_verbs(tmp_path: Path, namespace: str) -> None:
    opened = AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder(), settings={"worker": False})
    sync, twin = type(opened.sync), type(opened)
    if namespace:
        sync, twin = type(getattr(opened.sync, namespace)), type(getattr(opened, namespace))
    asyncio.run(opened.close())
    verbs = public_methods(sync)

    assert len(verbs) > 2
    assert public_methods(twin).keys() == verbs.keys()
    assert all(inspect.iscoroutinefunction(getattr(twin, name)) for name in verbs)
    assert all(getattr(twin, name).__doc__ == getattr(sync, name).__doc__ for name in verbs)


def test_async_memory_hands_on_everything_it_is_opened_with(tmp_path: Path, clock: FrozenClock) -> None:
    embedder, model, ids = HashingEmbedder(), ScriptedChatModel(), CountingIds()
    opened = AsyncMemory(
        tmp_path / "m.db",
        user_id="ana",
        embedder=embedder,
        chat_model=model,
        clock=clock,
        ids=ids,
        settings={"preset": "dev"},
    )
    runtime = opened.sync.application
    parts = (runtime.embedder, runtime.chat_model, runtime.clock, runtime.ids)
    asyncio.run(opened.close())

    assert parts == (embedder, model, clock, ids)
    assert runtime.settings.resolve().policy.preset == "dev"
    assert runtime.settings.resolve().machine.user == "ana"


def test_async_memory_remembers_and_answers(tmp_path: Path) -> None:
    async def story() -> tuple[SearchResults, StoreStats]:
        async with AsyncMemory(tmp_path / "m.db", user_id="ana", embedder=HashingEmbedder()) as memory:
            await asyncio.gather(*(memory.add(f"soup number {number}") for number in range(6)))
            await memory.flush()
            return await memory.search("soup", limit=10), await memory.maintenance.stats()

    found, stats = asyncio.run(story())

    assert sorted(texts(found)) == [f"soup number {number}" for number in range(6)]
    assert stats.memories == 6


def test_an_error_comes_through_to_the_awaiting_caller(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
            await memory.get("nobody")

    with pytest.raises(NotFound):
        asyncio.run(story())


def test_the_api_is_typed(memory: Memory) -> None:
    assert_type(memory.add(VEGETARIAN), AddResult)
    assert_type(memory.add(VEGETARIAN).memories, tuple[StoredMemory, ...])
    assert_type(memory.search("soup", limit=1), SearchResults)
    assert_type(memory.search("soup").results, tuple[ReceiptItem, ...])
    assert_type([passage.relevance for passage in memory.search("soup")], list[float | None])
    assert_type(memory.context("soup"), ContextResult)
    assert_type(memory.context("soup").text, str)
    assert_type(memory.context("soup").receipt, Receipt)
    assert_type(memory.get_all(), Sequence[StoredMemory])
    assert_type(memory.history(add_memory(memory, VEGETARIAN)), Sequence[MemoryVersion])
    assert_type(memory.receipts.get(), Receipt)
    assert_type(memory.chats.messages("kitchen"), Sequence[Message])
    assert_type(memory.maintenance.stats(), StoreStats)
    assert_type(memory.flush(), bool)

    async def never_called(other: AsyncMemory) -> None:
        assert_type(await other.search("soup"), SearchResults)
        assert_type(await other.chats.messages("kitchen"), Sequence[Message])
        assert_type(await other.flush(), bool)
        task: Coroutine[None, None, StoreStats] = other.maintenance.stats()
        await task

    assert (Path(recollect.__file__).parent / "py.typed").exists()
    assert callable(never_called)


# Importing


HEAVY_MODULES = ("numpy", "onnxruntime", "apsw", "httpx2", "pydantic", "tokenizers")


@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ("import recollect", HEAVY_MODULES),
        ("import recollect; recollect.__version__; recollect.Policy()", HEAVY_MODULES),
        (
            "from recollect import Memory, AsyncMemory, errors",
            ("numpy", "onnxruntime", "pydantic", "tokenizers", "recollect.extraction", "recollect.retrieval"),
        ),
    ],
)
def test_importing_loads_no_more_than_is_asked_for(line: str, absent: tuple[str, ...]) -> None:
    code = f"{line}; import sys; print(*(name for name in {absent!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert done.stdout.split() == []


def test_a_name_that_is_not_there_is_missed_as_in_any_module() -> None:
    assert sorted(recollect.__all__) == ["AsyncMemory", "Memory", "Policy", "errors"]
    assert all(getattr(recollect, name) for name in recollect.__all__)
    with pytest.raises(AttributeError, match="Memories"):
        recollect.Memories  # noqa: B018


# Metadata


def test_metadata_is_stored_with_messages_and_what_is_learned_from_them(memory: Memory) -> None:
    added = memory.add(
        [LISBON_MESSAGE, {**make_message("I hate olives."), "metadata": {"source": "phone"}}],
        chat_id="trip",
        metadata={"project": "move", "source": "web"},
        sync=True,
    )
    learned = {each.text: each.metadata for each in added.memories}

    assert [each.metadata for each in memory.chats.messages("trip")] == [
        {"project": "move", "source": "web"},
        {"project": "move", "source": "phone"},
    ]
    assert learned["lives in Lisbon"] == {"project": "move", "source": "web"}
    assert {"project": "move", "source": "phone"} in learned.values()


def test_a_search_returns_metadata_and_is_restricted_by_it(memory: Memory) -> None:
    memory.add("soup for the shop", metadata={"project": "shop", "stars": 5})
    memory.add("soup for the blog", metadata={"project": "blog"})
    memory.add("soup for nothing")
    memory.flush()
    found = memory.search("soup", metadata={"project": "shop"})

    assert {(each.text, each.metadata["project"]) for each in found} == {("soup for the shop", "shop")}
    assert texts(memory.get_all(metadata={"project": "blog"})) == ["soup for the blog"]
    assert memory.search("soup", metadata={"project": "shop", "stars": 4}).results == ()


def test_metadata_of_a_memory_is_replaced_and_restored_by_an_undo(memory: Memory) -> None:
    [known] = memory.add(VEGETARIAN, metadata={"project": "shop"}).memories
    changed = memory.update(known.id, metadata={"stars": 5})
    memory.memories.undo()

    assert (changed.text, changed.metadata, changed.version) == (VEGETARIAN, {"stars": 5}, 2)
    assert memory.get(known.id).metadata == {"project": "shop"}
    with pytest.raises(InvalidInput, match="Nothing to change"):
        memory.update(known.id)


def test_a_fact_that_is_stated_again_has_the_metadata_of_both(memory: Memory) -> None:
    memory.add(VEGETARIAN, metadata={"project": "shop", "stars": 5})
    [known] = memory.add(VEGETARIAN, metadata={"project": "blog", "stars": 5}).memories

    assert known.metadata == {"project": ["shop", "blog"], "stars": 5}
    assert texts(memory.get_all(metadata={"project": "shop"})) == [VEGETARIAN]
    assert texts(memory.get_all(metadata={"project": "blog"})) == [VEGETARIAN]


def test_metadata_survives_an_edited_message_and_an_undo(memory: Memory) -> None:
    [message] = memory.add(LISBON_MESSAGE, metadata={"project": "move"}, sync=True).messages
    memory.chats.edit(message.id, "I live in Porto.")
    memory.flush()
    [porto] = memory.get_all()
    memory.update(porto.id, "lives near Porto")
    memory.memories.undo()

    assert porto.metadata == memory.get(porto.id).metadata == {"project": "move"}


@pytest.mark.parametrize(
    "metadata",
    [
        ["a list"],
        {1: "number"},
        {"x": object()},
        {"x": float("nan")},
        {"x": "\ud800"},
        {"x": "a\0"},
        {"x": "y" * 5000},
    ],
    ids=lambda value: str(value)[:20],
)
def test_metadata_that_cannot_be_stored_is_refused(memory: Memory, metadata: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"[Mm]etadata"):
        memory.add(VEGETARIAN, metadata=metadata)
    assert memory.maintenance.stats().messages == 0


def test_a_filter_with_a_nested_value_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="'project'"):
        memory.search("soup", metadata={"project": {"name": "shop"}})
