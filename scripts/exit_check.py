"""
Run scripts that exit without `close()` as processes, and count failures.

Scenarios exit in different ways: at the end of the script, by an exception, by `sys.exit`, by Ctrl-C, with a forked
child, in asyncio. A run fails if the exit code is not the expected one, if the process does not end, or if it prints
something unexpected to stderr (an abort of the interpreter, an exception at exit).

    python scripts/exit_check.py --runs 500
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

#: A process that runs longer counts as hanging.
MAX_SECONDS = 60
#: Maximum delay between the first line of output and Ctrl-C.
MAX_INTERRUPT_SECONDS = 1.5

OPEN = """
import asyncio, os, sys, threading, time
from recollect import AsyncMemory, Memory
memory = Memory("x.db")
memory.add("I live in Lisbon.")
"""
CONTEXT = 'memory.context("where do I live?")\n'
#: More messages than the worker can embed while the script runs.
BACKLOG = """
for number in range(80):
    memory.add(f"I live in house number {number}, and my neighbour is called {number * 7}.")
time.sleep(random.random())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A script with its expected exit code and stderr."""

    code: str
    exit_code: int = 0
    stderr: str = ""  #: prefix of the last line
    interrupted: bool = False  #: whether to send Ctrl-C after its first line of output


SCENARIOS = {
    "end": Scenario(code=OPEN + CONTEXT),
    "end at once": Scenario(code=OPEN),
    "backlog": Scenario(code="import random\n" + OPEN + BACKLOG),
    "two memories": Scenario(code=OPEN + 'Memory("y.db").add("I play the cello.")\n' + CONTEXT),
    "exception": Scenario(
        code=OPEN + CONTEXT + 'raise ValueError("mistake")\n', exit_code=1, stderr="ValueError: mistake"
    ),
    "sys.exit": Scenario(code=OPEN + CONTEXT + "sys.exit(3)\n", exit_code=3),
    "fork": Scenario(
        code=OPEN
        + CONTEXT
        + "child = os.fork()\nif child:\n    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    ),
    "fork in with": Scenario(
        code=OPEN
        + 'with Memory("y.db") as other:\n    other.add("I play the cello.")\n    child = os.fork()\n'
        + "    if not child:\n        sys.exit(0)\n"
        + "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    ),
    "fork and open": Scenario(
        code=OPEN
        + CONTEXT
        + 'child = os.fork()\nif not child:\n    memory = Memory("y.db")\n    memory.add("I play the cello.")\n    '
        + CONTEXT
        + "else:\n    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    ),
    "Ctrl-C": Scenario(
        # The first call imports modules; Python loses an interrupt in the callbacks of its import locks.
        code=OPEN
        + CONTEXT
        + 'print("ready", flush=True)\nwhile True:\n    '
        + CONTEXT
        + '    memory.add(f"It is {time.time()} now.")\n',
        exit_code=-signal.SIGINT,
        stderr="KeyboardInterrupt",
        interrupted=True,
    ),
    "asyncio": Scenario(
        code=OPEN
        + "async def main():\n    other = AsyncMemory('y.db')\n    await other.add('I play the cello.')\n"
        + "    await other.context('what do I play?')\nasyncio.run(main())\n"
    ),
    "daemon thread": Scenario(
        code="import random\n"
        + OPEN
        + "def ask():\n    from contextlib import suppress\n    from recollect.errors import ProviderBusy\n"
        + "    with suppress(ProviderBusy):\n        while True:\n"
        + "            memory.application.embedder.embed(['Where?'])\n"
        + "threading.Thread(target=ask, daemon=True).start()\ntime.sleep(random.random())\n"
    ),
    "close": Scenario(code=OPEN + CONTEXT + "memory.close()\n"),
}


def run_scenario(scenario: Scenario) -> str | None:
    """Run one script in its own folder; return a description of the failure, if any."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), folder)
        (Path(folder) / "script.py").write_text(scenario.code, "utf-8")
        process = subprocess.Popen(
            [sys.executable, "script.py"],
            cwd=folder,
            env={**environment, **home},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with process:
            try:
                if scenario.interrupted:
                    assert process.stdout
                    process.stdout.readline()
                    interrupt(process)
                _, stderr = process.communicate(timeout=MAX_SECONDS)
            except subprocess.TimeoutExpired:
                # The whole process group, since a forked child may be hanging.
                os.killpg(process.pid, signal.SIGKILL)
                return f"did not end within {MAX_SECONDS} s"
    return find_fault(scenario, process.returncode, stderr)


def interrupt(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(random.uniform(0, MAX_INTERRUPT_SECONDS))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)


def find_fault(scenario: Scenario, exit_code: int, stderr: str) -> str | None:
    lines = stderr.strip().splitlines()
    last = lines[-1] if lines else ""
    if exit_code != scenario.exit_code:
        return f"exit code {exit_code} instead of {scenario.exit_code}: {stderr[-600:]}"
    if not last.startswith(scenario.stderr) or (lines and not scenario.stderr):
        return f"printed: {stderr[-600:]}"
    if stderr.count("Traceback") > 1 and "Exception ignored" in stderr:
        return f"an exception at exit: {stderr[-600:]}"
    return None


def check(names: Iterator[str], *, parallel: int) -> Counter[str]:
    """Run scenarios and print each failure; return the number of failures per scenario."""
    failures: Counter[str] = Counter()
    with ThreadPoolExecutor(parallel) as pool:
        pairs = [(name, pool.submit(run_scenario, SCENARIOS[name])) for name in names]
        for name, outcome in pairs:
            if (fault := outcome.result()) is not None:
                failures[name] += 1
                print(f"{name}: {fault}", file=sys.stderr, flush=True)
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=500, help="total number of processes")
    parser.add_argument("--parallel", type=int, default=2, help="number of concurrent processes")
    parser.add_argument("--only", choices=[*SCENARIOS], help="run only this scenario")
    arguments = parser.parse_args()
    # Shells start background processes, and thereby their children, with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    names = [arguments.only] if arguments.only else [*SCENARIOS]
    failures = check(islice(cycle(names), arguments.runs), parallel=arguments.parallel)
    for name in names:
        print(f"{name:<15} {failures[name]} failed")
    print(f"{failures.total()} of {arguments.runs} runs failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
