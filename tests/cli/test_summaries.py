import pytest
from tests.cli.runner import InProcessCli


@pytest.fixture
def cli_with_chat(cli: InProcessCli) -> InProcessCli:
    cli("add", "--role", "user", "--chat", "trip", "We decided to fly to Porto on 3 May with two suitcases")
    cli("add", "--role", "assistant", "--chat", "trip", "Then book the flight to Porto soon")
    return cli


@pytest.mark.spec("H9")
def test_a_chat_is_summarized_only_if_there_are_new_messages(cli_with_chat: InProcessCli) -> None:
    first_result, second_result = (
        cli_with_chat("chats", "summarize", "trip"),
        cli_with_chat("chats", "summarize", "trip"),
    )
    summaries = cli_with_chat.json("chats", "summaries", "trip")["results"]

    assert first_result.exit_code == 0
    assert "Porto" in first_result.stdout
    assert (second_result.exit_code, second_result.stdout) == (0, "")
    assert "No new messages in chat trip since its last summary" in second_result.stderr
    assert {each["kind"] for each in summaries} == {"conversation", "working"}
    assert cli_with_chat.json("maintenance", "stats")["pending_vectors"] == 0


def test_summaries_of_all_chats_are_listed(cli_with_chat: InProcessCli) -> None:
    cli_with_chat.json("chats", "summarize", "trip")
    text_result = cli_with_chat("chats", "summaries")

    assert "trip  conversation  " in text_result.stdout


def test_without_summaries_there_is_a_hint(cli: InProcessCli) -> None:
    result = cli("chats", "summaries")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "recollect chats summarize CHAT" in result.stderr


def test_a_chat_with_mode_off_is_not_summarized(cli_with_chat: InProcessCli) -> None:
    cli_with_chat("chats", "mode", "trip", "off")
    result = cli_with_chat("chats", "summarize", "trip")

    assert result.exit_code == 4
    assert "Turn it on with `recollect chats mode trip on`." in result.stderr


@pytest.mark.parametrize("verb", ["summarize", "summaries"])
def test_an_unknown_chat_is_exit_code_3(cli: InProcessCli, verb: str) -> None:
    assert cli("chats", verb, "nowhere").exit_code == 3
