import pytest
from tests.surfaces.cli.door import Cli


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


def test_deleting_a_chat_is_refused_where_nobody_can_be_asked(talked: Cli) -> None:
    answer = talked("chats", "forget", "trip")

    assert answer.code == 4
    assert "Delete chat trip with 2 messages?" in answer.err
    assert len(talked.json("chats")["results"]) == 2


def test_a_deleted_chat_is_gone_with_its_messages_and_its_memories_stay(talked: Cli) -> None:
    answer = talked("chats", "forget", "trip", "--yes")

    assert answer.code == 0
    assert answer.out == "Deleted chat trip with 2 messages.\n"
    assert [each["id"] for each in talked.json("chats")["results"]] == ["work"]
    assert talked.json("stats")["messages"] == 1
    assert talked.json("stats")["memories"] >= 1


def test_a_deleted_chat_is_told_in_json(talked: Cli) -> None:
    shaped = talked.json("chats", "forget", "work", "--yes")

    assert (shaped["id"], shaped["messages"], shaped["deleted"]) == ("work", 1, True)


@pytest.mark.parametrize("words", [("show", "x"), ("forget", "x", "--yes")])
def test_an_unknown_chat_is_exit_code_3(talked: Cli, words: tuple[str, ...]) -> None:
    assert talked("chats", *words).code == 3


def test_without_chats_there_is_a_hint(cli: Cli) -> None:
    answer = cli("chats")

    assert (answer.code, answer.out) == (0, "")
    assert "No chats yet" in answer.err


def test_options_may_stand_between_a_command_and_its_command(talked: Cli) -> None:
    answer = talked.bare("chats", "--db", talked.db, "--json", "show", "work")

    assert answer.shape["results"][0]["content"] == "ok"
