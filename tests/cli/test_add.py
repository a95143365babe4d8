import pytest
from tests.cli.runner import InProcessCli

BICYCLE_TEXT = "I ride a red bicycle to work every day"


def test_a_text_is_remembered_as_it_is(cli: InProcessCli) -> None:
    result = cli("add", *BICYCLE_TEXT.split())

    assert result.exit_code == 0
    assert result.stdout.startswith("Remembered (")
    assert result.stdout.endswith(f"): {BICYCLE_TEXT}\n")
    assert cli.json("memories", "list")["results"][0]["memory"] == BICYCLE_TEXT


def test_adding_a_text_again_reinforces_the_memory(cli: InProcessCli) -> None:
    cli("add", BICYCLE_TEXT)
    text_result, payload = cli("add", BICYCLE_TEXT), cli.json("add", BICYCLE_TEXT)

    assert text_result.stdout.startswith("Already known, stated 2 times")
    assert payload["results"][0]["event"] == "REINFORCE"
    assert len(cli.json("memories", "list")["results"]) == 1


def test_a_text_is_read_from_standard_input(cli: InProcessCli) -> None:
    payload = cli.json("add", "-", stdin=f"{BICYCLE_TEXT}\n".encode())

    assert payload["results"][0]["memory"] == BICYCLE_TEXT
    assert payload["degraded"] == []


@pytest.mark.parametrize(
    ("raw", "stored_text"),
    [
        (b"caf\xe9 au lait, please", "caf\ufffd au lait, please"),
        (b"nul \0 byte in here", "nul  byte in here"),
        ("emoji 🦄 and 漢字 stay".encode(), "emoji 🦄 and 漢字 stay"),
    ],
)
def test_invalid_bytes_are_stored_with_replacement_characters(
    cli: InProcessCli, raw: bytes, stored_text: str
) -> None:
    assert cli.json("add", "-", stdin=raw)["results"][0]["memory"] == stored_text


def test_lone_surrogates_on_the_command_line_are_stored_as_replacement_characters(cli: InProcessCli) -> None:
    assert cli.json("add", "na\udcefve me")["results"][0]["memory"] == "na\ufffdve me"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b"])
def test_a_text_without_anything_visible_is_refused(cli: InProcessCli, text: str) -> None:
    result = cli("add", text, "--json")

    assert result.exit_code == 2
    assert result.payload["error"]["type"] == "EmptyText"


def test_a_text_above_ten_megabytes_is_refused_and_nothing_is_stored(cli: InProcessCli) -> None:
    result = cli("add", "-", "--json", stdin=b"word " * 2_000_001)

    assert result.exit_code == 2
    assert result.payload["error"]["type"] == "TextTooLong"
    assert cli.json("maintenance", "stats")["messages"] == 0


def test_a_message_is_stored_in_its_chat_and_learned_from(cli: InProcessCli) -> None:
    response = cli.json(
        "add", "--role", "user", "--chat", "work", "We decided to use PostgreSQL for the billing service"
    )
    text_result = cli("add", "--role", "user", "--chat", "work", "I am vegetarian and I live in Porto")

    assert response["messages"][0]["chat_id"] == "work"
    assert (response["messages"][0]["role"], response["messages"][0]["considered"]) == ("user", True)
    assert any("PostgreSQL" in each["memory"] for each in response["results"])
    assert text_result.stdout.startswith("Stored in chat work as user; extraction done (")
    assert "\nLearned (" in text_result.stdout


def test_a_trivial_message_is_stored_without_extraction(cli: InProcessCli) -> None:
    result = cli("add", "--role", "user", "ok")

    assert result.exit_code == 0
    assert result.stdout.startswith("Stored in chat default as user; extraction skipped (")
    assert cli.json("maintenance", "stats")["messages"] == 1


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool"])
def test_a_message_may_have_any_of_the_four_roles(cli: InProcessCli, role: str) -> None:
    assert cli.json("add", "--role", role, "some words")["messages"][0]["role"] == role


def test_an_unknown_role_is_refused(cli: InProcessCli) -> None:
    result = cli("add", "--role", "boss", "some words", "--json")

    assert result.exit_code == 2
    assert result.payload["error"]["type"] == "UnknownRole"


def test_background_jobs_are_done_when_the_command_returns(cli: InProcessCli) -> None:
    cli("add", BICYCLE_TEXT)
    stats = cli.json("maintenance", "stats")

    assert (stats["jobs"], stats["pending_vectors"]) == ({}, 0)
    assert stats["vectors"] == 2


def test_with_no_wait_background_jobs_are_left_to_a_worker(cli: InProcessCli) -> None:
    cli("add", "--no-wait", BICYCLE_TEXT)
    before = cli.json("maintenance", "stats")
    cli("worker", "--once")
    after = cli.json("maintenance", "stats")

    assert (before["pending_vectors"], before["vectors"]) == (2, 0)
    assert (after["pending_vectors"], after["vectors"]) == (0, 2)


def test_without_its_model_a_text_is_stored_with_lexical_search_only(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    added, payload = cli("add", BICYCLE_TEXT), cli.json("add", "I prefer trams when it rains")

    assert added.exit_code == 0
    assert "keyword search only" in added.stderr
    assert "pip install" in added.stderr
    assert [each["code"] for each in payload["degraded"]] == ["without_vector", "job_failed"]
    assert cli.json("maintenance", "stats")["memories"] == 2


def test_without_a_configured_embedder_there_is_no_warning(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    result = cli("add", BICYCLE_TEXT, "--json")

    assert (result.exit_code, result.payload["degraded"], result.stderr) == (0, [], "")


def test_pending_passages_are_embedded_once_the_model_is_available(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", BICYCLE_TEXT)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    result = cli("add", "I prefer trams when it rains")

    assert "Warning" not in result.stderr
    assert cli.json("maintenance", "stats")["pending_vectors"] == 0


@pytest.mark.parametrize(("mode", "name"), [("off", "off"), ("recall_only", "recall only")])
def test_nothing_is_stored_in_a_mode_that_does_not_collect(cli: InProcessCli, mode: str, name: str) -> None:
    text = cli("add", BICYCLE_TEXT, "--mode", mode)
    payload = cli.json("add", BICYCLE_TEXT, "--mode", mode)
    message = cli.json("add", "--role", "user", BICYCLE_TEXT, "--mode", mode)

    assert (text.exit_code, text.stdout) == (0, f"Not stored: the memory mode is “{name}”.\n")
    assert payload["results"] == [
        {
            "id": None,
            "memory": BICYCLE_TEXT,
            "event": "NONE",
            "reason": {
                "code": "not_collecting",
                "params": {"mode": mode},
                "text": f"the memory mode is “{name}”",
            },
        }
    ]
    assert (message["messages"][0]["stored"], message["results"]) == (False, [])
    assert (cli.json("maintenance", "stats")["messages"], cli.json("maintenance", "stats")["memories"]) == (
        0,
        0,
    )


def test_an_unknown_mode_is_refused(cli: InProcessCli) -> None:
    result = cli("add", BICYCLE_TEXT, "--mode", "maybe")

    assert result.exit_code == 2
    assert "memory.mode cannot be 'maybe'" in result.stderr


def test_redactions_are_reported(cli: InProcessCli) -> None:
    result = cli("add", "--role", "user", "My card is 4111 1111 1111 1111, please remember it")

    assert "4111" not in cli("chats", "messages", "default").stdout
    assert "Redacted before storing: payment card." in result.stderr
