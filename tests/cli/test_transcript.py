import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.runner import InProcessCli

from recollect.cli.transcript import Transcript
from recollect.errors import InvalidInput

HISTORY = (
    {"role": "user", "content": "I am vegetarian and I live in Porto", "chat_id": "dinner"},
    {"role": "assistant", "content": "Noted, no meat then.", "chat_id": "dinner", "id": "a-1"},
    {"role": "user", "content": "ok"},
    {"role": "user", "content": "We decided to ship on Friday", "created_at": "2026-03-01T09:30:00+00:00"},
)


def write_transcript(path: Path, messages: Sequence[object] = HISTORY, *, as_list: bool = False) -> Path:
    lines = json.dumps(messages) if as_list else "\n".join(json.dumps(each) for each in messages)
    path.write_text(lines, "utf-8")
    return path


@pytest.mark.parametrize("as_list", [False, True])
def test_a_file_of_messages_is_stored_and_learned_from(cli: InProcessCli, as_list: bool) -> None:
    file = write_transcript(cli.folder / "history.json", as_list=as_list)
    payload = cli.json("add", "--file", file)

    assert payload.pop("learned") >= 2
    assert payload == {
        "file": str(file), "messages": 4, "new": 4, "known": 0, "unheard": 0, "considered": 3, "skipped": [],
        "degraded": [],
    }  # fmt: skip
    assert {each["id"]: each["messages"] for each in cli.json("chats")["results"]} == {
        "dinner": 2,
        "history": 2,
    }
    assert (
        cli.json("chats", "messages", "history")["results"][1]["created_at"]
        == "2026-03-01T09:30:00.000+00:00"
    )


def test_the_summary_line_counts_new_stored_and_queued_messages(cli: InProcessCli) -> None:
    file = write_transcript(cli.folder / "history.jsonl")
    first_result, second_result = cli("add", "--file", file), cli("add", "--file", file)

    assert first_result.stdout.startswith("4 messages: 4 new, 0 already stored; 3 queued for extraction.\n")
    assert second_result.stdout == (
        "4 messages: 0 new, 4 already stored; 0 queued for extraction.\n0 memories learned.\n"
    )


def test_adding_a_file_again_stores_only_appended_messages(cli: InProcessCli) -> None:
    file = write_transcript(cli.folder / "history.jsonl")
    cli("add", "--file", file)
    write_transcript(file, [*HISTORY, {"role": "user", "content": "And I have a sister in Braga"}])
    payload = cli.json("add", "--file", file)

    assert (payload["new"], payload["known"]) == (1, 4)


def test_the_same_text_in_two_files_is_two_messages(cli: InProcessCli) -> None:
    hello = [{"role": "user", "content": "hello again"}]
    cli("add", "--file", write_transcript(cli.folder / "one.jsonl", hello))
    payload = cli.json("add", "--file", write_transcript(cli.folder / "two.jsonl", hello))

    assert payload["new"] == 1


def test_the_chat_option_applies_to_messages_without_chat_id(cli: InProcessCli) -> None:
    cli("add", "--file", write_transcript(cli.folder / "history.jsonl"), "--chat", "inbox")

    assert {each["id"] for each in cli.json("chats")["results"]} == {"dinner", "inbox"}


def test_more_messages_than_a_batch_are_all_stored_in_order(cli: InProcessCli) -> None:
    texts = [f"ok {number}" for number in range(250)]
    file = write_transcript(cli.folder / "long.jsonl", [{"role": "user", "content": text} for text in texts])
    payload = cli.json("add", "--file", file)
    messages = cli.json("chats", "messages", "long", "--limit", "300")["results"]

    assert payload["new"] == 250
    assert [each["content"] for each in messages] == texts


def test_messages_that_cannot_be_stored_are_reported_and_the_others_stored(cli: InProcessCli) -> None:
    messages = [*HISTORY, {"role": "user", "content": ""}, {"role": "user", "content": "x" * 10_000_001}]
    result = cli("add", "--file", write_transcript(cli.folder / "history.jsonl", messages))

    assert result.exit_code == 0
    assert result.stdout.startswith(
        "6 messages: 4 new, 0 already stored, 2 skipped; 3 queued for extraction."
    )
    assert "skipped line 5: The text is empty." in result.stderr
    assert "skipped line 6: The text has 10,000,001 bytes" in result.stderr


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"role": "user"', "line 5 of history.jsonl is not valid JSON"),
        ('["role"]', "line 5 of history.jsonl is not a message"),
        ('{"content": "x"}', "A message needs a role and content"),
        ('{"role": "boss", "content": "x"}', "Unknown role 'boss'"),
        ('{"role": "user", "content": 5}', "The content of a message is text"),
        ('{"role": "user", "content": "x", "created_at": "soon"}', "'soon' is not a time"),
    ],
)
def test_an_invalid_line_is_reported_and_nothing_is_stored(cli: InProcessCli, line: str, error: str) -> None:
    file = write_transcript(Path("history.jsonl"))
    file.write_text(file.read_text("utf-8") + "\n" + line, "utf-8")
    result = cli("add", "--file", "history.jsonl")

    assert result.exit_code == 2
    assert error in result.stderr
    assert cli.json("maintenance", "stats")["messages"] == 0


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_an_unreadable_file_is_invalid_input(cli: InProcessCli, name: str) -> None:
    result = cli("add", "--file", name)

    assert result.exit_code == 2
    assert f"Cannot read {name}" in result.stderr


def test_invalid_utf8_and_a_byte_order_mark_are_accepted(cli: InProcessCli) -> None:
    file = cli.folder / "odd.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"role": "user", "content": "first of them"}\r\n\r\n{"role":"user","content":"caf\xe9"}'
    )
    payload = cli.json("add", "--file", file)
    messages = cli.json("chats", "messages", "odd")["results"]

    assert (payload["new"], payload["skipped"]) == (2, [])
    assert [each["content"] for each in messages] == ["first of them", "caf\ufffd"]


MESSAGE_STRATEGY = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": st.text()},
    optional={"chat_id": st.sampled_from(["a", "b"]), "id": st.uuids().map(str)},
)


@given(
    messages=st.lists(MESSAGE_STRATEGY, min_size=1, max_size=8), more=st.lists(MESSAGE_STRATEGY, max_size=4)
)
def test_ids_do_not_depend_on_later_messages(
    tmp_path_factory: pytest.TempPathFactory, messages: list[object], more: list[object]
) -> None:
    path = tmp_path_factory.mktemp("ids") / "history.jsonl"
    first = [entry.draft.client_id for entry in Transcript(path=write_transcript(path, messages))]
    later = [entry.draft.client_id for entry in Transcript(path=write_transcript(path, [*messages, *more]))]

    assert later[: len(first)] == first
    assert None not in first


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_as_invalid_input(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "history.jsonl"
    path.write_bytes(content)
    with suppress(InvalidInput):
        assert all(entry.chat for entry in Transcript(path=path))


def test_messages_of_a_chat_with_memory_off_are_counted_and_not_stored(
    cli: InProcessCli,
) -> None:
    lines = [
        {"role": "user", "content": "I live in Porto", "chat_id": chat} for chat in ("home", "temporary-x")
    ]
    (cli.folder / "two.json").write_text(json.dumps(lines), "utf-8")
    text_result = cli("add", "--file", "two.json")

    assert (
        "2 messages: 1 new, 0 already stored, 1 not stored (memory is off in their chat);"
        " 1 queued for extraction." in text_result.stdout
    )
    assert [each["id"] for each in cli.json("chats")["results"]] == ["home"]
