import pytest
from tests.cli.runner import InProcessCli


@pytest.fixture
def cli_with_chat(cli: InProcessCli) -> InProcessCli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight soon")
    cli("add", "--role", "user", "--chat", "work", "ok")
    return cli


def test_chats_are_listed_the_most_recent_first(cli_with_chat: InProcessCli) -> None:
    shown, shaped = cli_with_chat("chats"), cli_with_chat.json("chats")

    assert [(each["id"], each["messages"]) for each in shaped["results"]] == [("work", 1), ("trip", 2)]
    assert set(shaped["results"][0]) == {"id", "title", "messages", "created_at", "updated_at"}
    assert shown.stdout.index("work") < shown.stdout.index("trip")


def test_a_chat_is_read_in_the_order_it_was_said(cli_with_chat: InProcessCli) -> None:
    shown, shaped = cli_with_chat("chats", "show", "trip"), cli_with_chat.json("chats", "show", "trip")

    assert [each["role"] for each in shaped["results"]] == ["user", "assistant"]
    assert shown.stdout.index("We decided to fly") < shown.stdout.index("Then book the flight")


def test_of_a_long_chat_the_last_messages_are_shown(cli_with_chat: InProcessCli) -> None:
    answer = cli_with_chat("chats", "show", "trip", "--limit", "1")

    assert "We decided" not in answer.stdout
    assert "Showing the last 1 of 2 messages" in answer.stderr


def test_deleting_a_chat_is_refused_where_nobody_can_be_asked_and_shows_what_would_go(
    cli_with_chat: InProcessCli,
) -> None:
    answer = cli_with_chat("chats", "forget", "trip")

    assert answer.exit_code == 4
    assert "Delete chat trip with 2 messages and 1 memory learned only from it?" in answer.stderr
    assert "to fly to Porto" in answer.stderr
    assert len(cli_with_chat.json("chats")["results"]) == 2
    assert cli_with_chat.json("stats")["memories"] == 1
    assert cli_with_chat("doctor", "--deep").exit_code == 0


@pytest.mark.spec("V3")
def test_a_deleted_chat_is_gone_with_its_messages_and_what_was_learned_from_it_alone(
    cli_with_chat: InProcessCli,
) -> None:
    [learned] = cli_with_chat.json("list")["results"]
    answer = cli_with_chat("chats", "forget", "trip", "--yes")

    assert answer.exit_code == 0
    assert answer.stdout == (
        f"Deleted chat trip with 2 messages.\nDeleted memory (dec): {learned['memory']}\n"
    )
    assert [each["id"] for each in cli_with_chat.json("chats")["results"]] == ["work"]
    assert (cli_with_chat.json("stats")["messages"], cli_with_chat.json("stats")["memories"]) == (1, 0)
    assert cli_with_chat.json("search", "Porto")["results"] == []


def test_what_another_chat_also_says_and_what_the_user_wrote_stays(cli_with_chat: InProcessCli) -> None:
    cli_with_chat("add", "--role", "user", "--chat", "trip", "I live in Braga")
    cli_with_chat("add", "--role", "user", "--chat", "work", "I live in Braga")
    cli_with_chat("add", "--chat", "trip", "My passport is in the drawer")
    cli_with_chat("chats", "forget", "trip", "--yes")

    assert sorted(each["memory"] for each in cli_with_chat.json("list")["results"]) == [
        "My passport is in the drawer",
        "lives in Braga",
    ]


def test_a_deleted_chat_is_told_in_json(cli_with_chat: InProcessCli) -> None:
    shaped = cli_with_chat.json("chats", "forget", "work", "--yes")

    assert (shaped["id"], shaped["messages"], shaped["deleted"], shaped["gone"]) == ("work", 1, True, [])


@pytest.mark.parametrize(
    "words",
    [
        ("show", "x"),
        ("forget", "x", "--yes"),
        ("delete", "x", "--yes"),
        ("edit", "x", "y"),
        ("branch", "x", "y"),
    ],
)
def test_an_unknown_chat_is_exit_code_3(cli_with_chat: InProcessCli, words: tuple[str, ...]) -> None:
    assert cli_with_chat("chats", *words).exit_code == 3


def test_without_chats_there_is_a_hint(cli: InProcessCli) -> None:
    answer = cli("chats")

    assert (answer.exit_code, answer.stdout) == (0, "")
    assert "No chats yet" in answer.stderr


def test_options_may_stand_between_a_command_and_its_command(cli_with_chat: InProcessCli) -> None:
    answer = cli_with_chat.run_raw("chats", "--db", cli_with_chat.db, "--json", "show", "work")

    assert answer.payload["results"][0]["content"] == "ok"


def message_id(cli: InProcessCli, chat: str, position: int = 0) -> str:
    return str(cli.json("chats", "show", chat)["results"][position]["id"])


def texts(cli: InProcessCli) -> list[str]:
    return [each["memory"] for each in cli.json("list")["results"]]


def test_what_was_learned_follows_the_message_when_it_is_edited(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    answer = cli("chats", "edit", message_id(cli, "home"), "I", "live", "in", "Braga")

    assert answer.exit_code == 0
    assert answer.stdout == (
        "Edited in chat home: I live in Braga\nDeleted memory (bio): lives in Porto\n"
        "Learned (bio): lives in Braga\n"
    )
    assert texts(cli) == ["lives in Braga"]


def test_an_edit_is_told_in_json(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    shaped = cli.json("chats", "edit", message_id(cli, "home"), "-", stdin=b"ok then")

    assert (shaped["considered"], shaped["results"]) == (False, [])
    assert [each["memory"] for each in shaped["gone"]] == ["lives in Porto"]


def test_a_message_is_deleted_with_what_was_learned_from_it_alone(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    cli("add", "--role", "user", "--chat", "home", "I am vegetarian")
    refused = cli("chats", "delete", message_id(cli, "home"))
    answer = cli("chats", "delete", message_id(cli, "home"), "--yes")

    assert refused.exit_code == 4
    assert "Delete this message and 1 memory learned only from it?" in refused.stderr
    assert answer.stdout == "Deleted from chat home: I live in Porto\nDeleted memory (bio): lives in Porto\n"
    assert texts(cli) == ["is vegetarian"]
    assert cli.json("chats", "show", "home")["messages"] == 1


def test_a_branch_begins_with_everything_up_to_a_message(cli_with_chat: InProcessCli) -> None:
    answer = cli_with_chat("chats", "branch", message_id(cli_with_chat, "trip"), "train")
    cli_with_chat("chats", "forget", "trip", "--yes")

    assert answer.stdout == "Created chat train with 1 message.\n"
    assert cli_with_chat.json("chats", "show", "train")["messages"] == 1
    assert len(texts(cli_with_chat)) == 1


def test_a_branch_needs_a_name_of_its_own(cli_with_chat: InProcessCli) -> None:
    first = message_id(cli_with_chat, "trip")

    assert cli_with_chat("chats", "branch", first, "work").exit_code == 2
    assert cli_with_chat("chats", "branch", first, "temporary-x").exit_code == 2


@pytest.mark.spec("Y16")
def test_how_memory_is_used_in_a_chat_is_chosen_and_taken_back(cli_with_chat: InProcessCli) -> None:
    before, off = cli_with_chat("chats", "mode", "trip"), cli_with_chat("chats", "mode", "trip", "off")
    unheard = cli_with_chat("add", "--role", "user", "--chat", "trip", "I live in Braga")
    unasked = cli_with_chat("search", "Porto", "--chat", "trip")
    back = cli_with_chat.json("chats", "mode", "trip", "default")

    assert before.stdout == (
        "Memory mode of chat trip: on (from settings): messages are stored and memories are recalled.\n"
    )
    assert off.stdout == (
        "Memory mode of chat trip: off (set for this chat): nothing is stored or recalled.\n"
    )
    assert (unheard.exit_code, unheard.stdout) == (0, "Not stored: memory is off.\n")
    assert (unasked.exit_code, unasked.stdout) == (0, "")
    assert "Not searched: the memory mode is off." in unasked.stderr
    assert back == {"id": "trip", "mode": "on", "chosen": None}
    assert cli_with_chat.json("chats", "show", "trip")["messages"] == 2


def test_the_mode_of_the_default_chat_holds_where_no_chat_is_named(cli: InProcessCli) -> None:
    cli("chats", "mode", "default", "recall_only")

    assert cli("add", "I like tea a lot").stdout == "Not stored: memory is recall_only.\n"


def test_a_mode_that_does_not_exist_is_refused(cli_with_chat: InProcessCli) -> None:
    assert cli_with_chat("chats", "mode", "trip", "maybe").exit_code == 2


def test_a_temporary_chat_leaves_no_trace(cli: InProcessCli) -> None:
    cli("add", "I like tea a lot")
    before = cli.json("stats")
    named = cli("chats", "--temporary")
    chat = named.stdout.strip()
    said = cli("add", "--role", "user", "--chat", chat, "I live in Porto")
    noted = cli("add", "--chat", chat, "My passport is in the drawer")
    asked = cli("context", "tea", "--chat", chat)
    after = cli.json("stats")

    assert chat.startswith("temporary-")
    assert "Nothing is stored or recalled" in named.stderr
    assert (said.stdout, noted.stdout) == ("Not stored: memory is off.\n",) * 2
    assert (asked.exit_code, asked.stdout) == (0, "")
    assert after == before
    assert chat.encode() not in cli.db.read_bytes()
    assert cli.json("chats", "--temporary")["id"] != chat


def test_in_a_temporary_chat_memory_is_always_off(cli: InProcessCli) -> None:
    chat = cli.json("chats", "--temporary")["id"]

    assert cli("chats", "mode", chat, "on").exit_code == 2
    assert cli.json("chats", "mode", chat)["mode"] == "off"
    assert cli("add", "--chat", chat, "--mode", "on", "I like tea").stdout == "Not stored: memory is off.\n"
