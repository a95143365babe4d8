import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest
from tests.cli.runner import InProcessCli, run_on_terminal

from recollect.ports.chat_model import ModelMessage
from recollect.testing.faults import BROKEN_MIDWAY, SERVER_ERROR, SILENT_MIDWAY
from recollect.testing.model_server import ModelServer

PORTO_TEXT = "I live in Porto and I love the sea"
LONG_REPLY = "Once upon a time there was a lighthouse keeper who counted ships. " * 20
NO_MODEL_NOTICE = "(no language model: quoting memory)"


def run_chat(cli: InProcessCli, *lines: str, words: tuple[str, ...] = ()) -> list[dict[str, object]]:
    turns: list[dict[str, object]] = cli.json("chat", *words, stdin="\n".join(lines).encode())["turns"]
    return turns


def test_without_a_language_model_memory_is_quoted_and_the_answer_says_so(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", PORTO_TEXT)
    result = cli("chat", "trip", stdin=b"where do I live?\n")

    assert result.exit_code == 0
    assert result.stdout.startswith(NO_MODEL_NOTICE)
    assert "lives in Porto" in result.stdout
    assert " memories" in result.stderr
    assert " tokens · " in result.stderr
    assert ">" not in result.stdout


def test_a_message_is_stored_and_learned_from_and_can_be_undone(cli: InProcessCli) -> None:
    result = cli("chat", "trip", stdin=f"{PORTO_TEXT}\n/undo\n".encode())

    assert "Learned (biography): lives in Porto (undo: /undo)" in result.stderr
    assert "Undone (learn): loves the sea" in result.stdout
    assert [each["memory"] for each in cli.json("memories", "list")["results"]] == ["lives in Porto"]
    assert [each["role"] for each in cli.json("chats", "messages", "trip")["results"]] == ["user"]


def test_the_language_model_gets_the_memories_in_the_prompt(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", PORTO_TEXT)
    prompts: list[list[str]] = []

    def reply(turns: Sequence[ModelMessage]) -> str:
        prompts.append([turn.content for turn in turns])
        return "You live by the sea." if "lives in Porto" in turns[-1].content else "I do not know."

    with ModelServer() as server:
        server.answer(reply)
        lines = b"where do I live?\nthanks\n"
        result = cli("chat", "trip", "--model", "echo", "--model-url", server.base_url, stdin=lines)

    assert result.stdout.splitlines()[0] == "You live by the sea."
    conversation = [turns for turns in prompts if turns[-1].startswith(("where do I live?", "thanks"))]
    assert conversation[1][:-2] == conversation[0]


def test_with_json_a_chat_is_one_object(cli: InProcessCli) -> None:
    [turn] = run_chat(cli, PORTO_TEXT)

    assert turn["question"] == PORTO_TEXT
    assert str(turn["answer"]).startswith(NO_MODEL_NOTICE)
    assert isinstance(turn["learned"], list)
    assert "lives in Porto" in {each["memory"] for each in turn["learned"]}
    assert turn["receipt"]


def test_a_temporary_chat_session_stores_nothing(cli: InProcessCli) -> None:
    cli("add", "I like tea a lot")
    before = cli.json("maintenance", "stats")
    result = cli("chat", "--temporary", stdin=f"{PORTO_TEXT}\nwhat do I like?\n".encode())

    assert "memory is off" in result.stderr
    assert "tea" not in result.stdout
    assert cli.json("maintenance", "stats") == before


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/why", "ranker"),
        ("/summary", "Porto"),
        ("/mode", "Memory mode for this session: on."),
        ("/mode off", "Memory mode for this session: off."),
    ],
)
def test_slash_commands_work_between_messages(cli: InProcessCli, line: str, expected: str) -> None:
    result = cli("chat", stdin=f"{PORTO_TEXT}\n{line}\n/quit\nnever said\n".encode())

    assert result.exit_code == 0, result.stderr
    assert expected in result.stdout
    assert cli.json("chats", "messages", "default")["messages"] == 1


def test_a_memory_is_forgotten_by_its_id(cli: InProcessCli) -> None:
    memory_id = cli.add_memory("I like tea a lot")
    result = cli("chat", stdin=f"/forget {memory_id}\n".encode())

    assert result.stdout == "Forgotten: I like tea a lot\n"
    assert cli.json("memories", "list")["results"] == []


def test_a_mode_applies_to_this_session_only(cli: InProcessCli) -> None:
    cli("chat", "trip", "--mode", "recall_only", stdin=PORTO_TEXT.encode())
    cli("chat", "trip", stdin=f"/mode off\n{PORTO_TEXT}\n".encode())

    assert cli.json("maintenance", "stats")["messages"] == 0
    assert cli.json("chats", "mode", "trip")["mode"] == "on"


@pytest.mark.parametrize("line", ["/nonsense", "/forget", "/forget nothing-like-it", "/mode maybe", "/undo"])
def test_an_invalid_slash_command_warns_and_the_chat_continues(cli: InProcessCli, line: str) -> None:
    result = cli("chat", stdin=f"{line}\nwhat is my name?\n".encode())

    assert result.exit_code == 5
    assert "Warning: " in result.stderr
    assert result.stdout.startswith(NO_MODEL_NOTICE)


def test_a_path_is_a_message_not_a_command(cli: InProcessCli) -> None:
    assert cli("chat", stdin=b"/etc/hosts is broken on my machine\n").exit_code == 0


def test_when_the_model_fails_the_message_is_still_stored(cli: InProcessCli) -> None:
    with ModelServer() as server:
        server.fail_at(1.0, [SERVER_ERROR])
        result = cli("chat", "--model", "echo", "--model-url", server.base_url, stdin=PORTO_TEXT.encode())

    assert result.exit_code == 5
    assert "Warning: " in result.stderr
    assert cli.json("chats", "messages", "default")["results"][0]["content"] == PORTO_TEXT


def list_assistant_messages(cli: InProcessCli) -> list[str]:
    messages = cli.json("chats", "messages", "default")["results"]
    return [str(each["content"]) for each in messages if each["role"] == "assistant"]


def test_a_partial_answer_is_stored(cli: InProcessCli) -> None:
    with ModelServer() as server:
        server.answer(LONG_REPLY)
        server.fail_next(BROKEN_MIDWAY)
        result = cli("chat", "--model", "echo", "--model-url", server.base_url, stdin=b"tell me a story\n")

    [partial_answer] = list_assistant_messages(cli)
    assert result.exit_code == 5
    assert result.stdout == f"{partial_answer}\n"
    assert LONG_REPLY.startswith(partial_answer)


def test_ctrl_c_ends_the_answer_but_not_the_chat(cli: InProcessCli) -> None:
    with ModelServer() as server:
        server.answer(LONG_REPLY)
        server.fail_next(SILENT_MIDWAY)
        words = ["--db", str(cli.db), "chat", "--model", "echo", "--model-url", server.base_url]
        with subprocess.Popen(
            [sys.executable, "-m", "recollect", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdin is not None
            assert running.stdout is not None
            running.stdin.write(b"tell me a story\n")
            running.stdin.flush()
            first_bytes = running.stdout.read(4)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(b"/mode\n/quit\n")

    assert (running.returncode, first_bytes) == (0, b"Once")
    assert b"Interrupted." in err
    assert b"Memory mode for this session: on." in out
    assert [LONG_REPLY.startswith(partial_answer) for partial_answer in list_assistant_messages(cli)] == [
        True
    ]


def test_a_model_without_a_url_is_a_settings_error(cli: InProcessCli) -> None:
    assert cli("chat", "--model", "echo", stdin=b"hello").exit_code == 2


def test_on_a_terminal_there_is_a_prompt(cli: InProcessCli) -> None:
    cli.db.unlink()

    exit_code, output = run_on_terminal(
        "--db", cli.db, "chat", "trip", keystrokes=PORTO_TEXT.encode() + b"\n/quit\n"
    )

    assert exit_code == 0
    assert "> " in output
    assert "Chat trip, memory on, no language model (--model and --model-url name one)" in output
    assert "Learned (biography): lives in Porto" in output
    assert "Created memory file" in output
