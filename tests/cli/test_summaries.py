import pytest
from tests.cli.runner import Cli


@pytest.fixture
def talked(cli: Cli) -> Cli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May with two suitcases")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight to Porto soon")
    return cli


@pytest.mark.spec("H9")
def test_a_chat_is_summarised_now_and_only_when_there_is_something_new(talked: Cli) -> None:
    first, again = talked("summarise", "trip"), talked("summarise", "trip")
    listed = talked.json("summaries", "trip")["results"]

    assert first.code == 0
    assert "Porto" in first.out
    assert (again.code, again.out) == (0, "")
    assert "Nothing new was said in chat trip since its last summary" in again.err
    assert {each["kind"] for each in listed} == {"conversation", "working"}
    assert talked.json("stats")["pending_vectors"] == 0


def test_summaries_of_all_chats_are_listed(talked: Cli) -> None:
    talked.json("summarise", "trip")
    shown = talked("summaries")

    assert "trip  conversation  " in shown.out


def test_without_summaries_there_is_a_hint(cli: Cli) -> None:
    answer = cli("summaries")

    assert (answer.code, answer.out) == (0, "")
    assert "recollect summarise CHAT" in answer.err


def test_where_memory_does_not_listen_nothing_is_summarised(talked: Cli) -> None:
    talked("chats", "mode", "trip", "off")
    answer = talked("summarise", "trip")

    assert answer.code == 4
    assert "`recollect chats mode trip on` changes that." in answer.err


@pytest.mark.parametrize("verb", ["summarise", "summaries"])
def test_an_unknown_chat_is_exit_code_3(cli: Cli, verb: str) -> None:
    assert cli(verb, "nowhere").code == 3
