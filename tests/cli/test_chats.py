import pytest
from tests.cli.runner import InProcessCli

from recollect.testing.model_server import ModelServer

TEMPORARY_CHAT = "temporary-4f1c"


@pytest.fixture
def cli_with_chat(cli: InProcessCli) -> InProcessCli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight soon")
    cli("add", "--role", "user", "--chat", "work", "ok")
    return cli


def test_chats_are_listed_the_most_recent_first(cli_with_chat: InProcessCli) -> None:
    text_result, payload = cli_with_chat("chats"), cli_with_chat.json("chats")

    assert [(each["id"], each["messages"]) for each in payload["results"]] == [("work", 1), ("trip", 2)]
    assert set(payload["results"][0]) == {"id", "title", "messages", "created_at", "updated_at"}
    assert text_result.stdout.index("work") < text_result.stdout.index("trip")


def test_a_chat_is_shown_with_its_mode(cli_with_chat: InProcessCli) -> None:
    text_result, payload = cli_with_chat("chats", "show", "trip"), cli_with_chat.json("chats", "show", "trip")

    assert (payload["id"], payload["messages"], payload["mode"]) == ("trip", 2, "on")
    assert "messages are stored and memories are recalled" in text_result.stdout


def test_the_messages_of_a_chat_are_shown_in_chronological_order(cli_with_chat: InProcessCli) -> None:
    text_result, payload = (
        cli_with_chat("chats", "messages", "trip"),
        cli_with_chat.json("chats", "messages", "trip"),
    )

    assert [each["role"] for each in payload["results"]] == ["user", "assistant"]
    assert text_result.stdout.index("We decided to fly") < text_result.stdout.index("Then book the flight")


def test_limit_shows_the_last_messages_of_a_chat(cli_with_chat: InProcessCli) -> None:
    result = cli_with_chat("chats", "messages", "trip", "--limit", "1")

    assert "We decided" not in result.stdout
    assert "Showing the last 1 of 2 messages" in result.stderr


def test_deleting_a_chat_without_a_terminal_needs_yes_and_shows_a_preview(
    cli_with_chat: InProcessCli,
) -> None:
    result = cli_with_chat("chats", "delete", "trip")

    assert result.exit_code == 4
    assert "Delete chat trip with 2 messages and 1 memory learned only from it?" in result.stderr
    assert "to fly to Porto" in result.stderr
    assert len(cli_with_chat.json("chats")["results"]) == 2
    assert cli_with_chat.json("maintenance", "stats")["memories"] == 1
    assert cli_with_chat("doctor", "--deep").exit_code == 0


@pytest.mark.spec("V3")
def test_deleting_a_chat_deletes_its_messages_and_the_memories_learned_only_from_it(
    cli_with_chat: InProcessCli,
) -> None:
    [memory] = cli_with_chat.json("memories", "list")["results"]
    result = cli_with_chat("chats", "delete", "trip", "--yes")

    assert result.exit_code == 0
    assert result.stdout == (
        f"Deleted chat trip with 2 messages.\nDeleted memory (decision): {memory['memory']}\n"
    )
    assert [each["id"] for each in cli_with_chat.json("chats")["results"]] == ["work"]
    assert (
        cli_with_chat.json("maintenance", "stats")["messages"],
        cli_with_chat.json("maintenance", "stats")["memories"],
    ) == (1, 0)
    assert cli_with_chat.json("search", "Porto")["results"] == []


def test_memories_with_other_sources_survive_the_deletion_of_a_chat(cli_with_chat: InProcessCli) -> None:
    cli_with_chat("add", "--role", "user", "--chat", "trip", "I live in Braga")
    cli_with_chat("add", "--role", "user", "--chat", "work", "I live in Braga")
    cli_with_chat("add", "--chat", "trip", "My passport is in the drawer")
    cli_with_chat("chats", "delete", "trip", "--yes")

    assert sorted(each["memory"] for each in cli_with_chat.json("memories", "list")["results"]) == [
        "My passport is in the drawer",
        "lives in Braga",
    ]


def test_deleting_a_chat_with_json(cli_with_chat: InProcessCli) -> None:
    payload = cli_with_chat.json("chats", "delete", "work", "--yes")

    assert (payload["id"], payload["messages"], payload["deleted"], payload["gone"]) == ("work", 1, True, [])


@pytest.mark.parametrize(
    "words",
    [
        ("show", "x"),
        ("messages", "x"),
        ("delete", "x", "--yes"),
        ("delete", "--message", "x", "--yes"),
        ("edit", "x", "y"),
        ("branch", "x", "y"),
    ],
)
def test_an_unknown_chat_is_exit_code_3(cli_with_chat: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli_with_chat("chats", *words).exit_code == 3


def test_without_chats_there_is_a_hint(cli: InProcessCli) -> None:
    result = cli("chats")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "No chats yet" in result.stderr


def test_global_options_work_before_a_subcommand(cli_with_chat: InProcessCli) -> None:
    result = cli_with_chat.run_raw("chats", "--db", cli_with_chat.db, "--json", "messages", "work")

    assert result.payload["results"][0]["content"] == "ok"


def message_id(cli: InProcessCli, chat: str, position: int = 0) -> str:
    return str(cli.json("chats", "messages", chat)["results"][position]["id"])


def texts(cli: InProcessCli) -> list[str]:
    return [each["memory"] for each in cli.json("memories", "list")["results"]]


def test_editing_a_message_updates_the_memories_learned_from_it(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    result = cli("chats", "edit", message_id(cli, "home"), "I", "live", "in", "Braga")

    assert result.exit_code == 0
    assert result.stdout == (
        "Edited in chat home: I live in Braga\nDeleted memory (biography): lives in Porto\n"
        "Learned (biography): lives in Braga\n"
    )
    assert texts(cli) == ["lives in Braga"]


def test_editing_a_message_with_json(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    payload = cli.json("chats", "edit", message_id(cli, "home"), "-", stdin=b"ok then")

    assert (payload["considered"], payload["results"]) == (False, [])
    assert [each["memory"] for each in payload["gone"]] == ["lives in Porto"]


def test_deleting_a_message_deletes_the_memories_learned_only_from_it(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    cli("add", "--role", "user", "--chat", "home", "I am vegetarian")
    refused = cli("chats", "delete", "--message", message_id(cli, "home"))
    result = cli("chats", "delete", "--message", message_id(cli, "home"), "--yes")

    assert refused.exit_code == 4
    assert "Delete this message and 1 memory learned only from it?" in refused.stderr
    assert (
        result.stdout
        == "Deleted from chat home: I live in Porto\nDeleted memory (biography): lives in Porto\n"
    )
    assert texts(cli) == ["is vegetarian"]
    assert cli.json("chats", "messages", "home")["messages"] == 1


def test_a_branch_has_the_messages_up_to_the_given_one(cli_with_chat: InProcessCli) -> None:
    result = cli_with_chat("chats", "branch", message_id(cli_with_chat, "trip"), "train")
    cli_with_chat("chats", "delete", "trip", "--yes")

    assert result.stdout == "Created chat train with 1 message.\n"
    assert cli_with_chat.json("chats", "messages", "train")["messages"] == 1
    assert len(texts(cli_with_chat)) == 1


def test_a_branch_needs_an_unused_name(cli_with_chat: InProcessCli) -> None:
    first = message_id(cli_with_chat, "trip")

    assert cli_with_chat("chats", "branch", first, "work").exit_code == 2
    assert cli_with_chat("chats", "branch", first, "temporary-x").exit_code == 2


@pytest.mark.spec("Y16")
def test_the_mode_of_a_chat_is_set_and_reset(cli_with_chat: InProcessCli) -> None:
    before, off = cli_with_chat("chats", "mode", "trip"), cli_with_chat("chats", "mode", "trip", "off")
    add_result = cli_with_chat("add", "--role", "user", "--chat", "trip", "I live in Braga")
    search_result = cli_with_chat("search", "Porto", "--chat", "trip")
    reset_payload = cli_with_chat.json("chats", "mode", "trip", "default")

    assert before.stdout == (
        "Memory mode of chat trip: on (from settings): messages are stored and memories are recalled.\n"
    )
    assert off.stdout == (
        "Memory mode of chat trip: off (set for this chat): nothing is stored or recalled.\n"
    )
    assert (add_result.exit_code, add_result.stdout) == (0, "Not stored: the memory mode is “off”.\n")
    assert (search_result.exit_code, search_result.stdout) == (0, "")
    assert "Not searched: the memory mode is off." in search_result.stderr
    assert reset_payload == {"id": "trip", "mode": "on", "chosen": None}
    assert cli_with_chat.json("chats", "messages", "trip")["messages"] == 2


def test_without_chat_the_mode_of_the_default_chat_applies(cli: InProcessCli) -> None:
    cli("chats", "mode", "default", "recall_only")

    assert cli("add", "I like tea a lot").stdout == "Not stored: the memory mode is “recall only”.\n"


def test_an_unknown_mode_is_refused(cli_with_chat: InProcessCli) -> None:
    assert cli_with_chat("chats", "mode", "trip", "maybe").exit_code == 2


def test_nothing_is_stored_for_a_temporary_chat(cli: InProcessCli) -> None:
    cli("add", "I like tea a lot")
    before = cli.json("maintenance", "stats")
    message_result = cli("add", "--role", "user", "--chat", TEMPORARY_CHAT, "I live in Porto")
    text_result = cli("add", "--chat", TEMPORARY_CHAT, "My passport is in the drawer")
    context_result = cli("context", "tea", "--chat", TEMPORARY_CHAT)
    after = cli.json("maintenance", "stats")

    assert (message_result.stdout, text_result.stdout) == ("Not stored: the memory mode is “off”.\n",) * 2
    assert (context_result.exit_code, context_result.stdout) == (0, "")
    assert after == before
    assert TEMPORARY_CHAT.encode() not in cli.db.read_bytes()


def test_the_mode_of_a_temporary_chat_is_always_off(cli: InProcessCli) -> None:
    assert cli("chats", "mode", TEMPORARY_CHAT, "on").exit_code == 2
    assert cli.json("chats", "mode", TEMPORARY_CHAT)["mode"] == "off"
    add_result = cli("add", "--chat", TEMPORARY_CHAT, "--mode", "on", "I like tea")
    assert add_result.stdout == "Not stored: the memory mode is “off”.\n"


def test_the_last_question_of_a_chat_is_answered_again(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "--role", "user", "--chat", "trip", "Where do I live?")
    cli("add", "--role", "assistant", "--chat", "trip", "I do not know.")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_MODEL", "echo")
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.base_url)
        server.answer("In Porto, by the sea.")
        result = cli("chats", "regenerate", "trip")
    messages = cli.json("chats", "messages", "trip")["results"]

    assert (result.exit_code, result.stdout) == (0, "In Porto, by the sea.\n")
    assert [each["content"] for each in messages] == ["Where do I live?", "In Porto, by the sea."]


def test_a_chat_without_a_question_cannot_be_answered(cli: InProcessCli) -> None:
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight soon")

    assert cli("chats", "regenerate", "trip").exit_code == 2
    assert cli("chats", "regenerate", "nowhere").exit_code == 3
