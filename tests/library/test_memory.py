"""The library through its public interface, on real files."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, assert_type

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect import AsyncMemory, Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.context.labels import NOTICES
from recollect.domain.job import JobKind, JobState
from recollect.domain.policy import PRESETS
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
from recollect.serialization.serializers import JsonObject
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import FailingEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

VEGETARIAN = "I'm vegetarian and hate cilantro"
LISBON_MESSAGE = {"role": "user", "content": "I live in Lisbon."}
#: The keys of mem0's results, kept for its callers.
MEM0_KEYS = {"id", "memory", "user_id", "created_at", "updated_at"}
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


def rows(answer: JsonObject, key: str = "results") -> list[dict[str, Any]]:
    """Return the `results` list of a response."""
    listed = answer[key]
    assert isinstance(listed, list)
    return [row for row in listed if isinstance(row, dict)]


def texts(answer: JsonObject) -> list[str]:
    return [row["memory"] for row in rows(answer)]


def row(answer: JsonObject, key: str = "results") -> dict[str, Any]:
    [only] = rows(answer, key)
    return only


def add_memory(memory: Memory, text: str) -> str:
    return str(row(memory.add(text))["id"])


def stored_messages(memory: Memory, answer: JsonObject) -> list[Any]:
    """Return the messages of a response, as stored."""
    scope = Scope("ana")
    return [store_of(memory.application).messages.get(scope, each["id"]) for each in rows(answer, "messages")]


# Adding


def test_a_text_is_remembered_as_it_is_and_comes_back_in_the_shape_of_mem0(memory: Memory) -> None:
    added = row(memory.add(VEGETARIAN, tags=["food", "home"]))

    assert added.keys() >= {*MEM0_KEYS, "event"}
    assert (added["memory"], added["event"], added["user_id"]) == (VEGETARIAN, "ADD", "ana")
    assert (added["tags"], added["kind"], added["origin"]) == (["food", "home"], "preference", "manual")
    assert memory.get(str(added["id"])) == {k: v for k, v in added.items() if k != "event"}


@pytest.mark.spec("C-17", "F4")
def test_the_same_text_again_reinforces_the_one_memory(memory: Memory, clock: FrozenClock) -> None:
    first = row(memory.add(VEGETARIAN, tags=["food"]))
    clock.advance(timedelta(days=1))
    again = row(memory.add(f"  {VEGETARIAN.upper()}. ", tags="home"))

    assert (again["id"], again["event"], again["times_stated"]) == (first["id"], "REINFORCE", 2)
    assert again["last_stated_at"] > first["last_stated_at"]
    assert again["tags"] == ["food", "home"]
    assert texts(memory.get_all()) == [VEGETARIAN]


def test_a_kind_can_be_given(memory: Memory) -> None:
    assert row(memory.add("the server room is cold", kind="decision"))["kind"] == "decision"


def test_one_message_or_a_list_is_stored_and_not_yet_learned_from(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings={"worker": False, "embedder": "hashing"}) as memory:
        one = memory.add(LISBON_MESSAGE, chat_id="trip")
        two = memory.add(
            [make_message("And where do you live?", "assistant"), make_message("ok")], chat_id="trip"
        )

        assert one["results"] == two["results"] == []
        assert row(one, "messages") == {
            "id": row(one, "messages")["id"],
            "chat_id": "trip",
            "role": "user",
            "new": True,
            "considered": True,
            "reason": "keep phrase: i live in",
            "tokens": estimate_tokens("I live in Lisbon."),
            "clipped_from": None,
            "masked": [],
            "stored": True,
        }
        assert [each["role"] for each in rows(two, "messages")] == ["assistant", "user"]
        assert memory.get_all() == {"results": []}


@pytest.mark.spec("B1")
def test_sync_returns_learned_memories_with_their_source(memory: Memory) -> None:
    answer = memory.add([LISBON_MESSAGE, make_message("Good morning")], chat_id="trip", sync=True)
    learned = {each["memory"]: each for each in rows(answer)}
    [first, _] = rows(answer, "messages")

    assert "lives in Lisbon" in learned
    assert learned["lives in Lisbon"]["event"] == "ADD"
    assert {source["message_id"] for source in learned["lives in Lisbon"]["sources"]} == {first["id"]}


def test_sync_reports_known_facts(memory: Memory) -> None:
    memory.add(LISBON_MESSAGE, sync=True)
    answer = memory.add(LISBON_MESSAGE, sync=True)

    assert {each["event"] for each in rows(answer)} == {"REINFORCE"}


def test_sync_says_that_a_message_it_knows_has_taught_nothing_new(memory: Memory) -> None:
    once = {**LISBON_MESSAGE, "id": "m1"}
    first = memory.add(once, sync=True)
    again = memory.add(once, sync=True)

    assert [(each["memory"], each["event"]) for each in rows(first)] == [("lives in Lisbon", "ADD")]
    assert [(each["memory"], each["event"]) for each in rows(again)] == [("lives in Lisbon", "NONE")]


def test_a_fact_that_one_message_tells_twice_is_still_new(memory: Memory) -> None:
    answer = memory.add(make_message("I live in Porto. Yes, I live in Porto."), sync=True)

    assert {each["event"] for each in rows(answer)} == {"ADD"}


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

    assert json.loads(call.tool_calls) == calls
    assert "ação" in call.tool_calls
    assert (call.content, output.tool_call_id, output.original_bytes) == ("", "call_1", 6000)
    assert len(output.content) < 2200
    assert row(memory.add(make_message(log, "tool")), "messages")["clipped_from"] == 6000


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

    assert [each["new"] for each in rows(first, "messages")] == [True, True]
    assert [each["new"] for each in rows(again, "messages")] == [False, True, True]
    assert rows(again, "messages")[0]["id"] == rows(first, "messages")[0]["id"]
    assert memory.stats()["messages"] == 4


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
        added = row(memory.add(VEGETARIAN))

        assert added["user_id"] == "default"
        assert texts(memory.get_all(user_id="default")) == [VEGETARIAN]


# Asking


def test_search_gives_scores_and_the_parts_they_are_made_of(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.add("my sister plays the cello")
    memory.flush()
    answer = memory.search("vegetarian dinner")
    best = rows(answer)[0]

    assert best["memory"] == VEGETARIAN
    assert best.keys() >= {"id", "memory", "score", "parts", "source", "kind", "created_at", "chat_id"}
    assert best["parts"].keys() >= {"dense", "lexical", "identifier", "weight", "recency"}
    assert [each["score"] for each in rows(answer)] == sorted(
        (each["score"] for each in rows(answer)), reverse=True
    )
    assert answer["degraded"] == []


def test_search_is_limited_by_the_call(memory: Memory) -> None:
    for number in range(4):
        memory.add(f"soup number {number}")

    assert len(rows(memory.search("soup"))) == 4
    assert len(rows(memory.search("soup", limit=2))) == 2


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
    receipt = answer["receipt"]
    assert isinstance(receipt, dict)

    assert answer["text"] == f"{NOTICES['en']}\n\n## Relevant memory\n- {VEGETARIAN}"
    assert answer["tokens"] == estimate_tokens(str(answer["text"])) == receipt["tokens"]
    assert receipt["flags"] == {"hybrid": True, "chunking": True, "tokenBudget": 1000}
    assert receipt["query"] == "what can I cook?"
    # A stored receipt has the block's items, not its text.
    assert memory.why() == {**receipt, "text": ""} == memory.why(str(receipt["id"]))


def test_a_search_leaves_a_receipt_as_well(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    answer = memory.search("vegetarian")
    receipt = memory.why(str(answer["receipt"]))

    assert texts(answer) == [VEGETARIAN]
    assert [(item["fate"], item["reason"]) for item in rows(receipt, "items")] == [
        ("returned", None),
        ("left_out", "a memory says the same"),
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

    assert estimate_tokens(str(answer["text"])) <= budget
    assert answer["tokens"] == estimate_tokens(str(answer["text"]))


def test_why_not_explains_why_a_memory_is_not_recalled(memory: Memory) -> None:
    recalled = add_memory(memory, VEGETARIAN)
    gone = add_memory(memory, "hates olives")
    memory.delete(gone)
    memory.flush()

    assert memory.why_not("vegetarian", recalled)["reason"] == "it is recalled"
    assert memory.why_not("vegetarian", gone)["reason"] == "it is forgotten: by the user"
    with pytest.raises(NotFound):
        memory.why_not("vegetarian", "nobody")


# Changing


def test_an_update_keeps_the_old_words_in_the_history(memory: Memory, clock: FrozenClock) -> None:
    known = add_memory(memory, "lives in Lisbon")
    clock.advance(timedelta(days=1))
    saved = memory.update(known, "lives in Porto")
    memory.flush()

    assert (saved["memory"], saved["version"]) == ("lives in Porto", 2)
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in memory.history(known)] == [
        ("ADD", None, "lives in Lisbon"),
        ("UPDATE", "lives in Lisbon", "lives in Porto"),
    ]
    assert texts(memory.search("Porto")) == ["lives in Porto"]
    assert "lives in Lisbon" not in texts(memory.search("Lisbon"))


def test_a_deleted_memory_is_found_no_more_not_even_by_the_words_it_came_from(memory: Memory) -> None:
    known = add_memory(memory, VEGETARIAN)
    memory.flush()
    gone = memory.delete(known)

    assert gone["status"] == "forgotten"
    assert memory.get_all() == {"results": []}
    assert texts(memory.search("vegetarian cilantro")) == []
    assert memory.history(known)[-1]["event"] == "DELETE"


def test_delete_all_asks_whose_and_forgets_that_user_only(memory: Memory) -> None:
    memory.add(VEGETARIAN)
    memory.add("hates olives", user_id="bruno")

    with pytest.raises(Refused, match="user_id"):
        memory.delete_all()
    assert memory.delete_all(user_id="bruno") == {"deleted": 1}
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
    stats = memory.stats()

    assert {key: stats[key] for key in ("messages", "chats", "chunks", "summaries", "pending_vectors")} == {
        "messages": 2,
        "chats": 2,
        "chunks": 0,
        "summaries": 0,
        "pending_vectors": 0,
    }
    assert stats["memories"] == len(texts(memory.get_all()))


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
        counted = [memory.stats(user_id=f"user {number}") for number in range(4)]

        assert [each["messages"] for each in counted] == [16] * 4
        assert [each["pending_vectors"] for each in counted] == [0] * 4
        assert all(each["jobs"] == {} for each in counted)


# Settings


@pytest.mark.spec("Q16", "Q17")
def test_a_call_wins_over_a_preference_which_wins_over_the_environment_without_a_restart(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def budget(**call: object) -> object:
        return memory.context("soup", settings=call)["receipt"]["budget"]  # type: ignore[index,call-overload]

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
    on = memory.context("vegetarian")["text"]
    store_of(memory.application).preferences.set("ana", "recall.enabled", "false", now=clock.now())
    off = memory.context("vegetarian")["text"]
    others = memory.context("vegetarian", user_id="bruno")["receipt"]

    assert (on, off) == (f"{NOTICES['en']}\n\n## Relevant memory\n- {VEGETARIAN}", "")
    assert isinstance(others, dict)
    assert others["preset"] == "default"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_setting_like_any_other(tmp_path: Path, preset: str) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(), settings={"preset": preset}) as memory:
        receipt = memory.context("soup")["receipt"]
        called = memory.context("soup", settings={"preset": "agent"})["receipt"]

    assert isinstance(receipt, dict)
    assert isinstance(called, dict)
    assert receipt["preset"] == preset
    assert called["preset"] == "agent"


def test_settings_given_at_the_start_hold_for_every_call(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(), settings={"recall.limit": 1}) as memory:
        memory.add("soup one")
        memory.add("soup two")

        assert len(rows(memory.search("soup"))) == 1
        assert len(rows(memory.search("soup", limit=2))) == 2


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
    assert memory.stats()["messages"] == 0


def test_one_bad_message_of_a_list_stores_none_of_them(memory: Memory) -> None:
    with pytest.raises(UnknownRole):
        memory.add([LISBON_MESSAGE, make_message("x", "nobody")])
    assert memory.stats()["messages"] == 0


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
    added = row(memory.add("caf\ud800 au\0 lait"))
    memory.add(make_message("soup", "assistant", tool_calls=[{"name": "\ud800"}]))
    memory.flush()

    assert added["memory"] == "caf\ufffd au lait"
    assert texts(memory.search("\ud800 lait\0"))[0] == "caf\ufffd au lait"
    assert "lait" in str(memory.context("\udfff lait")["text"])
    assert memory.why()["query"] == "\ufffd lait"


def test_whatever_was_added_can_be_asked_about(memory: Memory) -> None:
    for moment in ("0002-01-01T00:00:00+00:00", "9998-12-30T00:00:00+00:00"):
        memory.add(make_message("soup at the end of the calendar", created_at=moment))
    memory.flush()

    assert len(rows(memory.search("soup"))) == 2


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
        (lambda m: m.why("nobody"), NotFound),
        (lambda m: m.why(), NotFound),
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
    assert memory.get(known)["memory"] == VEGETARIAN


def test_an_unknown_chat_is_empty(memory: Memory) -> None:
    assert memory.context("soup", chat_id="never seen")["text"] == ""
    assert memory.search("soup", chat_id="never seen")["results"] == []
    assert memory.get_all(chat_id="never seen") == {"results": []}


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
        assert (texts(found), found["degraded"]) == ([VEGETARIAN], ["lexical only: down"])
        assert memory.stats()["pending_vectors"] == 0


# AsyncMemory


def public_methods(kind: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(verb)
        for name, verb in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_async_memory_has_the_same_verbs_and_opens_alike() -> None:
    assert public_methods(AsyncMemory).keys() == public_methods(Memory).keys()
    assert inspect.signature(AsyncMemory) == inspect.signature(Memory)
    assert all(
        inspect.iscoroutinefunction(getattr(AsyncMemory, name)) for name in public_methods(AsyncMemory)
    )
    assert all(
        getattr(AsyncMemory, name).__doc__ == getattr(Memory, name).__doc__ for name in public_methods(Memory)
    )


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
    runtime = opened.memory.application
    given = (runtime.embedder, runtime.chat_model, runtime.clock, runtime.ids)
    asyncio.run(opened.close())

    assert given == (embedder, model, clock, ids)
    assert runtime.settings.resolve().policy.preset == "dev"
    assert runtime.settings.resolve().machine.user == "ana"


def test_async_memory_remembers_and_answers(tmp_path: Path) -> None:
    async def story() -> tuple[JsonObject, JsonObject]:
        async with AsyncMemory(tmp_path / "m.db", user_id="ana", embedder=HashingEmbedder()) as memory:
            await asyncio.gather(*(memory.add(f"soup number {number}") for number in range(6)))
            await memory.flush()
            return await memory.search("soup", limit=10), await memory.stats()

    found, stats = asyncio.run(story())

    assert sorted(texts(found)) == [f"soup number {number}" for number in range(6)]
    assert stats["memories"] == 6


def test_an_error_comes_through_to_the_awaiting_caller(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
            await memory.get("nobody")

    with pytest.raises(NotFound):
        asyncio.run(story())


def test_the_api_is_typed(memory: Memory) -> None:
    assert_type(memory.add(VEGETARIAN), JsonObject)
    assert_type(memory.search("soup", limit=1), JsonObject)
    assert_type(memory.history(add_memory(memory, VEGETARIAN)), list[JsonObject])
    assert_type(memory.flush(), bool)

    async def never_called(other: AsyncMemory) -> None:
        assert_type(await other.search("soup"), JsonObject)
        assert_type(await other.flush(), bool)
        task: Coroutine[None, None, JsonObject] = other.stats()
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
            ("numpy", "onnxruntime", "pydantic", "tokenizers"),
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
