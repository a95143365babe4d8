import pytest
from tests.cli.runner import Cli


@pytest.fixture
def talked(cli: Cli) -> Cli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight soon")
    cli("add", "--role", "user", "--chat", "work", "ok")
    return cli


def test_chats_are_listed_the_most_recent_first(talked: Cli) -> None:
    shown, shaped = talked("chats"), talked.json("chats")

    assert [(each["id"], each["messages"]) for each in shaped["results"]] == [("work", 1), ("trip", 2)]
    assert set(shaped["results"][0]) == {"id", "title", "messages", "created_at", "updated_at"}
    assert shown.out.index("work") < shown.out.index("trip")


def test_a_chat_is_read_in_the_order_it_was_said(talked: Cli) -> None:
    shown, shaped = talked("chats", "show", "trip"), talked.json("chats", "show", "trip")

    assert [each["role"] for each in shaped["results"]] == ["user", "assistant"]
    assert shown.out.index("We decided to fly") < shown.out.index("Then book the flight")


def test_of_a_long_chat_the_last_messages_are_shown(talked: Cli) -> None:
    answer = talked("chats", "show", "trip", "--limit", "1")

    assert "We decided" not in answer.out
    assert "The last 1 of 2 messages" in answer.err


def test_deleting_a_chat_is_refused_where_nobody_can_be_asked_and_shows_what_would_go(talked: Cli) -> None:
    answer = talked("chats", "forget", "trip")

    assert answer.code == 4
    assert "Delete chat trip with 2 messages and 1 memory learned from it alone?" in answer.err
    assert "to fly to Porto" in answer.err
    assert len(talked.json("chats")["results"]) == 2
    assert talked.json("stats")["memories"] == 1
    assert talked("doctor", "--deep").code == 0


@pytest.mark.spec("V3")
def test_a_deleted_chat_is_gone_with_its_messages_and_what_was_learned_from_it_alone(talked: Cli) -> None:
    [learned] = talked.json("list")["results"]
    answer = talked("chats", "forget", "trip", "--yes")

    assert answer.code == 0
    assert answer.out == (
        f"Deleted chat trip with 2 messages.\nNo longer remembered (dec): {learned['memory']}\n"
    )
    assert [each["id"] for each in talked.json("chats")["results"]] == ["work"]
    assert (talked.json("stats")["messages"], talked.json("stats")["memories"]) == (1, 0)
    assert talked.json("search", "Porto")["results"] == []


def test_what_another_chat_also_says_and_what_the_user_wrote_stays(talked: Cli) -> None:
    talked("add", "--role", "user", "--chat", "trip", "I live in Braga")
    talked("add", "--role", "user", "--chat", "work", "I live in Braga")
    talked("add", "--chat", "trip", "My passport is in the drawer")
    talked("chats", "forget", "trip", "--yes")

    assert sorted(each["memory"] for each in talked.json("list")["results"]) == [
        "My passport is in the drawer",
        "lives in Braga",
    ]


def test_a_deleted_chat_is_told_in_json(talked: Cli) -> None:
    shaped = talked.json("chats", "forget", "work", "--yes")

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
def test_an_unknown_chat_is_exit_code_3(talked: Cli, words: tuple[str, ...]) -> None:
    assert talked("chats", *words).code == 3


def test_without_chats_there_is_a_hint(cli: Cli) -> None:
    answer = cli("chats")

    assert (answer.code, answer.out) == (0, "")
    assert "No chats yet" in answer.err


def test_options_may_stand_between_a_command_and_its_command(talked: Cli) -> None:
    answer = talked.bare("chats", "--db", talked.db, "--json", "show", "work")

    assert answer.shape["results"][0]["content"] == "ok"


def message_id(cli: Cli, chat: str, place: int = 0) -> str:
    return str(cli.json("chats", "show", chat)["results"][place]["id"])


def texts(cli: Cli) -> list[str]:
    return [each["memory"] for each in cli.json("list")["results"]]


def test_what_was_learned_follows_the_message_when_it_is_edited(cli: Cli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    answer = cli("chats", "edit", message_id(cli, "home"), "I", "live", "in", "Braga")

    assert answer.code == 0
    assert answer.out == (
        "Changed in chat home: I live in Braga\nNo longer remembered (bio): lives in Porto\n"
        "Learned (bio): lives in Braga\n"
    )
    assert texts(cli) == ["lives in Braga"]


def test_an_edit_is_told_in_json(cli: Cli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    shaped = cli.json("chats", "edit", message_id(cli, "home"), "-", given=b"ok then")

    assert (shaped["considered"], shaped["results"]) == (False, [])
    assert [each["memory"] for each in shaped["gone"]] == ["lives in Porto"]


def test_a_message_is_deleted_with_what_was_learned_from_it_alone(cli: Cli) -> None:
    cli("add", "--role", "user", "--chat", "home", "I live in Porto")
    cli("add", "--role", "user", "--chat", "home", "I am vegetarian")
    refused = cli("chats", "delete", message_id(cli, "home"))
    answer = cli("chats", "delete", message_id(cli, "home"), "--yes")

    assert refused.code == 4
    assert "Delete this message and 1 memory learned from it alone?" in refused.err
    assert (
        answer.out == "Deleted from chat home: I live in Porto\nNo longer remembered (bio): lives in Porto\n"
    )
    assert texts(cli) == ["is vegetarian"]
    assert cli.json("chats", "show", "home")["messages"] == 1


def test_a_branch_begins_with_everything_up_to_a_message(talked: Cli) -> None:
    answer = talked("chats", "branch", message_id(talked, "trip"), "train")
    talked("chats", "forget", "trip", "--yes")

    assert answer.out == "Chat train begins with 1 message.\n"
    assert talked.json("chats", "show", "train")["messages"] == 1
    assert len(texts(talked)) == 1


def test_a_branch_needs_a_name_of_its_own(talked: Cli) -> None:
    first = message_id(talked, "trip")

    assert talked("chats", "branch", first, "work").code == 2
    assert talked("chats", "branch", first, "temporary-x").code == 2


@pytest.mark.spec("Y16")
def test_how_memory_is_used_in_a_chat_is_chosen_and_taken_back(talked: Cli) -> None:
    before, off = talked("chats", "mode", "trip"), talked("chats", "mode", "trip", "off")
    unheard = talked("add", "--role", "user", "--chat", "trip", "I live in Braga")
    unasked = talked("search", "Porto", "--chat", "trip")
    back = talked.json("chats", "mode", "trip", "default")

    assert before.out == "Memory is on in chat trip (your settings): memory listens and is used.\n"
    assert off.out == "Memory is off in chat trip (chosen): nothing is stored and nothing is recalled.\n"
    assert (unheard.code, unheard.out) == (0, "Not stored: memory is off.\n")
    assert (unasked.code, unasked.out) == (0, "")
    assert "Nothing was looked for: memory is off here." in unasked.err
    assert back == {"id": "trip", "mode": "on", "chosen": None}
    assert talked.json("chats", "show", "trip")["messages"] == 2


def test_the_mode_of_the_default_chat_holds_where_no_chat_is_named(cli: Cli) -> None:
    cli("chats", "mode", "default", "recall_only")

    assert cli("add", "I like tea a lot").out == "Not stored: memory is recall_only.\n"


def test_a_mode_that_does_not_exist_is_refused(talked: Cli) -> None:
    assert talked("chats", "mode", "trip", "maybe").code == 2


def test_a_temporary_chat_leaves_no_trace(cli: Cli) -> None:
    cli("add", "I like tea a lot")
    before = cli.json("stats")
    named = cli("chats", "--temporary")
    chat = named.out.strip()
    said = cli("add", "--role", "user", "--chat", chat, "I live in Porto")
    noted = cli("add", "--chat", chat, "My passport is in the drawer")
    asked = cli("context", "tea", "--chat", chat)
    after = cli.json("stats")

    assert chat.startswith("temporary-")
    assert "leaves no trace" in named.err
    assert (said.out, noted.out) == ("Not stored: memory is off.\n",) * 2
    assert (asked.code, asked.out) == (0, "")
    assert after == before
    assert chat.encode() not in cli.db.read_bytes()
    assert cli.json("chats", "--temporary")["id"] != chat


def test_in_a_temporary_chat_memory_is_always_off(cli: Cli) -> None:
    chat = cli.json("chats", "--temporary")["id"]

    assert cli("chats", "mode", chat, "on").code == 2
    assert cli.json("chats", "mode", chat)["mode"] == "off"
    assert cli("add", "--chat", chat, "--mode", "on", "I like tea").out == "Not stored: memory is off.\n"
