"""What only a process of its own shows: start-up, pipes, signals and a terminal."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from tests.cli.runner import InProcessCli, run_on_terminal, run_process

HEAVY_MODULES = (
    "numpy",
    "onnxruntime",
    "tokenizers",
    "apsw",
    "httpx2",
    "rich",
    "recollect.bootstrap",
    "recollect.settings",
)


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it never came true")


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("serch",)])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    asked = (
        "import sys; from recollect.cli.app import run;"
        f"run({list(words)!r}); print([m for m in {HEAVY_MODULES!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)

    assert done.stdout.splitlines()[-1] == b"[]"


def test_an_answer_in_a_pipe_is_plain_utf8_whatever_the_locale(cli: InProcessCli) -> None:
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    added = run_process("--db", cli.db, "add", "O João gosta de pão com queijo 🧀", env=env)
    listed = run_process("--db", cli.db, "list", env=env)
    shaped = run_process("--db", cli.db, "list", "--json", env=env)

    assert added.returncode == 0
    assert "O João gosta de pão com queijo 🧀" in listed.stdout.decode("utf-8")
    assert b"\x1b" not in listed.stdout + listed.stderr
    assert (
        json.loads(shaped.stdout.decode("utf-8"))["results"][0]["memory"]
        == "O João gosta de pão com queijo 🧀"
    )


def test_bytes_that_are_no_utf8_on_the_command_line_are_stored(cli: InProcessCli) -> None:
    words = [
        sys.executable.encode(),
        b"-m",
        b"recollect",
        b"--db",
        os.fsencode(cli.db),
        b"add",
        b"caf\xe9 au lait",
    ]
    done = subprocess.run(words, capture_output=True, check=False)

    assert done.returncode == 0
    assert cli.json("list")["results"][0]["memory"] == "caf\ufffd au lait"


def test_a_reader_who_hangs_up_gets_no_complaint(cli: InProcessCli) -> None:
    cli("add", "some words to list")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "settings", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        complaint = running.stderr.read()

    assert complaint == b""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("list",), 0),
        (("repair",), 1),
        (("search",), 2),
        (("show", "x"), 3),
        (("chats", "forget", "default"), 4),
    ],
)
def test_the_process_ends_with_the_exit_code(cli: InProcessCli, words: tuple[str, ...], code: int) -> None:
    if code == 1:
        cli.db.write_text("no database", "utf-8")
    else:
        cli("add", "some words")

    assert run_process("--db", cli.db, *words, stdin=b"").returncode == code


def test_a_degraded_answer_ends_the_process_with_5(cli: InProcessCli) -> None:
    done = run_process("--db", cli.db, "search", "x", env={**os.environ, "RECOLLECT_EMBEDDER": "fastembed"})

    assert done.returncode == 5


def count_messages(cli: InProcessCli) -> int:
    return int(cli.json("stats")["messages"]) if cli.db.exists() else 0


def test_ctrl_c_while_a_file_is_read_keeps_whole_batches_and_says_how_to_go_on(cli: InProcessCli) -> None:
    file = cli.folder / "many.jsonl"
    file.write_text("\n".join(f'{{"role": "user", "content": "ok {n}"}}' for n in range(20_000)), "utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "add", "--file", file, "--no-wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        wait_until(lambda: count_messages(cli) >= 100)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate()
    kept = count_messages(cli)
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[: kept + 10]), "utf-8")
    again = cli.json("add", "--file", file, "--no-wait")

    assert running.returncode == 130
    assert b"Interrupted. The messages read so far are stored." in err
    assert f"run `recollect add --file {file}` again".encode() in err
    assert 100 <= kept < 20_000
    assert kept % 100 == 0
    assert (again["new"], again["known"]) == (10, kept)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_works_until_it_is_told_to_stop(cli: InProcessCli, number: signal.Signals) -> None:
    cli("add", "some words")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "worker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("Running jobs of ")
        cli("add", "some other words", "--no-wait")
        wait_until(lambda: cli.json("stats")["pending_vectors"] == 0)
        running.send_signal(number)
        out, err = running.communicate()

    assert running.returncode == 0
    assert "embed     default embed done" in out
    assert "garden    default garden done" in out
    assert "2 done, 0 postponed, 0 parked." in err


@pytest.mark.parametrize(("typed", "code", "left"), [(b"y\n", 0, 0), (b"n\n", 4, 1), (b"\x04", 130, 1)])
def test_at_a_terminal_the_question_is_asked(cli: InProcessCli, typed: bytes, code: int, left: int) -> None:
    memory_id = cli.add_memory("I ride a red bicycle to work every day")
    ended, seen = run_on_terminal("--db", cli.db, "forget", memory_id, keystrokes=typed)

    assert ended == code
    assert "I ride a red bicycle" in seen
    assert "Forget 1 memory?" in seen
    assert len(cli.json("list")["results"]) == left


def test_at_a_terminal_there_is_colour_unless_it_is_unwanted(cli: InProcessCli) -> None:
    cli("add", "I ride a red bicycle to work every day")
    _, coloured = run_on_terminal("--db", cli.db, "doctor")
    _, plain = run_on_terminal("--db", cli.db, "doctor", env={"NO_COLOR": "1"})

    assert "\x1b[32mOK" in coloured
    assert "\x1b[32m" not in plain
