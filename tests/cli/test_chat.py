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
    answer = cli("chat", "trip", stdin=b"where do I live?\n")

    assert answer.exit_code == 0
    assert answer.stdout.startswith(NO_MODEL_NOTICE)
    assert "lives in Porto" in answer.stdout
    assert " memories" in answer.stderr
    assert " tokens · " in answer.stderr
    assert ">" not in answer.stdout


def test_what_is_said_is_stored_and_learned_from_and_can_be_undone(cli: InProcessCli) -> None:
    answer = cli("chat", "trip", stdin=f"{PORTO_TEXT}\n/undo\n".encode())

    assert "Learned (bio): lives in Porto (undo: /undo)" in answer.stderr
    assert "Undone (learn): loves the sea" in answer.stdout
    assert [each["memory"] for each in cli.json("list")["results"]] == ["lives in Porto"]
    assert [each["role"] for each in cli.json("chats", "show", "trip")["results"]] == ["user"]


def test_a_language_model_answers_with_what_is_remembered_before_it(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "--chat", "home", PORTO_TEXT)
    seen: list[list[str]] = []

    def answered(turns: Sequence[ModelMessage]) -> str:
        seen.append([turn.content for turn in turns])
        return "You live by the sea." if "lives in Porto" in turns[-1].content else "I do not know."

    with ModelServer() as server:
        server.answer(answered)
        given = b"where do I live?\nthanks\n"
        answer = cli("chat", "trip", "--model", "echo", "--model-url", server.base_url, stdin=given)

    assert answer.stdout.splitlines()[0] == "You live by the sea."
    conversation = [turns for turns in seen if turns[-1].startswith(("where do I live?", "thanks"))]
    assert conversation[1][:-2] == conversation[0]


def test_with_json_a_conversation_is_one_object(cli: InProcessCli) -> None:
    [turn] = run_chat(cli, PORTO_TEXT)

    assert turn["question"] == PORTO_TEXT
    assert str(turn["answer"]).startswith(NO_MODEL_NOTICE)
    assert isinstance(turn["learned"], list)
    assert "lives in Porto" in {each["memory"] for each in turn["learned"]}
    assert turn["receipt"]


def test_a_temporary_conversation_leaves_no_trace(cli: InProcessCli) -> None:
    cli("add", "I like tea a lot")
    before = cli.json("stats")
    answer = cli("chat", "--temporary", stdin=f"{PORTO_TEXT}\nwhat do I like?\n".encode())

    assert "memory is off" in answer.stderr
    assert "tea" not in answer.stdout
    assert cli.json("stats") == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/why", "ranker"),
        ("/summary", "Porto"),
        ("/mode", "Memory mode for this session: on."),
        ("/mode off", "Memory mode for this session: off."),
    ],
)
def test_commands_may_be_given_between_messages(cli: InProcessCli, line: str, said: str) -> None:
    answer = cli("chat", stdin=f"{PORTO_TEXT}\n{line}\n/quit\nnever said\n".encode())

    assert answer.exit_code == 0, answer.stderr
    assert said in answer.stdout
    assert cli.json("chats", "show", "default")["messages"] == 1


def test_a_memory_is_forgotten_by_its_id(cli: InProcessCli) -> None:
    memory_id = cli.add_memory("I like tea a lot")
    answer = cli("chat", stdin=f"/forget {memory_id}\n".encode())

    assert answer.stdout == "Forgotten: I like tea a lot\n"
    assert cli.json("list")["results"] == []


def test_a_mode_holds_for_this_conversation_alone(cli: InProcessCli) -> None:
    cli("chat", "trip", "--mode", "recall_only", stdin=PORTO_TEXT.encode())
    cli("chat", "trip", stdin=f"/mode off\n{PORTO_TEXT}\n".encode())

    assert cli.json("stats")["messages"] == 0
    assert cli.json("chats", "mode", "trip")["mode"] == "on"


@pytest.mark.parametrize("line", ["/nonsense", "/forget", "/forget nothing-like-it", "/mode maybe", "/undo"])
def test_what_cannot_be_done_is_said_and_the_conversation_goes_on(cli: InProcessCli, line: str) -> None:
    answer = cli("chat", stdin=f"{line}\nhello my friend\n".encode())

    assert answer.exit_code == 5
    assert "Warning: " in answer.stderr
    assert answer.stdout.startswith(NO_MODEL_NOTICE)


def test_a_path_is_no_command(cli: InProcessCli) -> None:
    assert cli("chat", stdin=b"/etc/hosts is broken on my machine\n").exit_code == 0


def test_a_model_that_fails_is_told_and_nothing_said_is_lost(cli: InProcessCli) -> None:
    with ModelServer() as server:
        server.fail_at(1.0, [SERVER_ERROR])
        answer = cli("chat", "--model", "echo", "--model-url", server.base_url, stdin=PORTO_TEXT.encode())

    assert answer.exit_code == 5
    assert "Warning: " in answer.stderr
    assert cli.json("chats", "show", "default")["results"][0]["content"] == PORTO_TEXT


def list_assistant_messages(cli: InProcessCli) -> list[str]:
    said = cli.json("chats", "show", "default")["results"]
    return [str(each["content"]) for each in said if each["role"] == "assistant"]


def test_an_answer_that_breaks_off_is_kept_as_far_as_it_came(cli: InProcessCli) -> None:
    with ModelServer() as server:
        server.answer(LONG_REPLY)
        server.fail_next(BROKEN_MIDWAY)
        answer = cli("chat", "--model", "echo", "--model-url", server.base_url, stdin=b"tell me a story\n")

    [kept] = list_assistant_messages(cli)
    assert answer.exit_code == 5
    assert answer.stdout == f"{kept}\n"
    assert LONG_REPLY.startswith(kept)


def test_control_c_ends_the_answer_and_not_the_conversation(cli: InProcessCli) -> None:
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
            begun = running.stdout.read(4)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(b"/mode\n/quit\n")

    assert (running.returncode, begun) == (0, b"Once")
    assert b"Interrupted." in err
    assert b"Memory mode for this session: on." in out
    assert [LONG_REPLY.startswith(kept) for kept in list_assistant_messages(cli)] == [True]


def test_a_model_without_an_address_is_a_matter_of_settings(cli: InProcessCli) -> None:
    assert cli("chat", "--model", "echo", stdin=b"hello").exit_code == 2


def test_at_a_terminal_there_is_a_prompt(cli: InProcessCli) -> None:
    ended, seen = run_on_terminal(
        "--db", cli.db, "chat", "trip", keystrokes=PORTO_TEXT.encode() + b"\n/quit\n"
    )

    assert ended == 0
    assert "> " in seen
    assert "Chat trip, memory on, no language model: quoting memory." in seen
    assert "Learned (bio): lives in Porto" in seen
    assert "Created memory file" in seen
