import pytest
from tests.cli.runner import InProcessCli


@pytest.fixture
def cli_with_chat(cli: InProcessCli) -> InProcessCli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May with two suitcases")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight to Porto soon")
    return cli


@pytest.mark.spec("H9")
def test_a_chat_is_summarised_now_and_only_when_there_is_something_new(cli_with_chat: InProcessCli) -> None:
    first, again = cli_with_chat("summarise", "trip"), cli_with_chat("summarise", "trip")
    listed = cli_with_chat.json("summaries", "trip")["results"]

    assert first.exit_code == 0
    assert "Porto" in first.stdout
    assert (again.exit_code, again.stdout) == (0, "")
    assert "No new messages in chat trip since its last summary" in again.stderr
    assert {each["kind"] for each in listed} == {"conversation", "working"}
    assert cli_with_chat.json("stats")["pending_vectors"] == 0


def test_summaries_of_all_chats_are_listed(cli_with_chat: InProcessCli) -> None:
    cli_with_chat.json("summarise", "trip")
    shown = cli_with_chat("summaries")

    assert "trip  conversation  " in shown.stdout


def test_without_summaries_there_is_a_hint(cli: InProcessCli) -> None:
    answer = cli("summaries")

    assert (answer.exit_code, answer.stdout) == (0, "")
    assert "recollect summarise CHAT" in answer.stderr


def test_where_memory_does_not_listen_nothing_is_summarised(cli_with_chat: InProcessCli) -> None:
    cli_with_chat("chats", "mode", "trip", "off")
    answer = cli_with_chat("summarise", "trip")

    assert answer.exit_code == 4
    assert "Turn it on with `recollect chats mode trip on`." in answer.stderr


@pytest.mark.parametrize("verb", ["summarise", "summaries"])
def test_an_unknown_chat_is_exit_code_3(cli: InProcessCli, verb: str) -> None:
    assert cli(verb, "nowhere").exit_code == 3
