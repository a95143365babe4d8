"""Behaviour that needs a subprocess: imports at start-up, pipes, signals and a terminal."""

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
    pytest.fail("the condition did not become true within 20 seconds")


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("serch",)])
def test_help_imports_no_heavy_modules(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from recollect.cli.app import run;"
        f"run({list(words)!r}); print([m for m in {HEAVY_MODULES!r} if m in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert process.stdout.splitlines()[-1] == b"[]"


def test_output_to_a_pipe_is_utf8_in_any_locale(cli: InProcessCli) -> None:
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    add_process = run_process("--db", cli.db, "add", "O João gosta de pão com queijo 🧀", env=env)
    list_process = run_process("--db", cli.db, "memories", "list", env=env)
    payload = run_process("--db", cli.db, "memories", "list", "--json", env=env)

    assert add_process.returncode == 0
    assert "O João gosta de pão com queijo 🧀" in list_process.stdout.decode("utf-8")
    assert b"\x1b" not in list_process.stdout + list_process.stderr
    assert (
        json.loads(payload.stdout.decode("utf-8"))["results"][0]["memory"]
        == "O João gosta de pão com queijo 🧀"
    )


def test_invalid_utf8_on_the_command_line_is_stored(cli: InProcessCli) -> None:
    words = [
        sys.executable.encode(),
        b"-m",
        b"recollect",
        b"--db",
        os.fsencode(cli.db),
        b"add",
        b"caf\xe9 au lait",
    ]
    process = subprocess.run(words, capture_output=True, check=False)

    assert process.returncode == 0
    assert cli.json("memories", "list")["results"][0]["memory"] == "caf\ufffd au lait"


def test_a_broken_pipe_prints_no_error(cli: InProcessCli) -> None:
    cli("add", "some words to list")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "settings", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        stderr = process.stderr.read()

    assert stderr == b""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("memories", "list"), 0),
        (("maintenance", "repair"), 1),
        (("search",), 2),
        (("memories", "show", "x"), 3),
        (("chats", "delete", "default"), 4),
    ],
)
def test_the_process_ends_with_the_exit_code(cli: InProcessCli, words: tuple[str, ...], code: int) -> None:
    if code == 1:
        cli.db.write_text("no database", "utf-8")
    else:
        cli("add", "some words")

    assert run_process("--db", cli.db, *words, stdin=b"").returncode == code


def test_a_degraded_result_exits_with_5(cli: InProcessCli) -> None:
    process = run_process(
        "--db", cli.db, "search", "x", env={**os.environ, "RECOLLECT_EMBEDDER": "fastembed"}
    )

    assert process.returncode == 5


def count_messages(cli: InProcessCli) -> int:
    return int(cli.json("maintenance", "stats")["messages"]) if cli.db.exists() else 0


def test_ctrl_c_during_a_file_keeps_whole_batches_and_says_how_to_continue(cli: InProcessCli) -> None:
    file = cli.folder / "many.jsonl"
    file.write_text("\n".join(f'{{"role": "user", "content": "ok {n}"}}' for n in range(20_000)), "utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "add", "--file", file, "--no-wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_until(lambda: count_messages(cli) >= 100)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    stored_count = count_messages(cli)
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[: stored_count + 10]), "utf-8")
    payload = cli.json("add", "--file", file, "--no-wait")

    assert process.returncode == 130
    assert b"Interrupted. The messages read so far are stored." in err
    assert f"run `recollect add --file {file}` again".encode() in err
    assert 100 <= stored_count < 20_000
    assert stored_count % 100 == 0
    assert (payload["new"], payload["known"]) == (10, stored_count)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_runs_until_it_gets_a_signal(cli: InProcessCli, number: signal.Signals) -> None:
    cli("add", "some words")
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", cli.db, "worker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("Running jobs of ")
        cli("add", "some other words", "--no-wait")
        wait_until(lambda: cli.json("maintenance", "stats")["pending_vectors"] == 0)
        process.send_signal(number)
        out, err = process.communicate()

    assert process.returncode == 0
    assert "embed     default embed done" in out
    assert "maintenance default maintenance done" in out
    assert "2 done, 0 postponed, 0 failed." in err


@pytest.mark.parametrize(
    ("keystrokes", "code", "remaining_count"), [(b"y\n", 0, 0), (b"n\n", 4, 1), (b"\x04", 130, 1)]
)
def test_on_a_terminal_confirmation_is_asked(
    cli: InProcessCli, keystrokes: bytes, code: int, remaining_count: int
) -> None:
    memory_id = cli.add_memory("I ride a red bicycle to work every day")
    exit_code, output = run_on_terminal(
        "--db", cli.db, "memories", "forget", memory_id, keystrokes=keystrokes
    )

    assert exit_code == code
    assert "I ride a red bicycle" in output
    assert "Forget 1 memory?" in output
    assert len(cli.json("memories", "list")["results"]) == remaining_count


def test_on_a_terminal_output_is_coloured_unless_no_color_is_set(cli: InProcessCli) -> None:
    cli("add", "I ride a red bicycle to work every day")
    _, coloured = run_on_terminal("--db", cli.db, "doctor")
    _, plain = run_on_terminal("--db", cli.db, "doctor", env={"NO_COLOR": "1"})

    assert "\x1b[32mOK" in coloured
    assert "\x1b[32m" not in plain
