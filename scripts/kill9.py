"""
Crash test: kill a process that stores messages with SIGKILL at random times, repeatedly.

Every acknowledged message must be stored exactly once, no job may be half done, and the file must pass its checks.
With --writers, several processes store messages concurrently while another one reads, without kills.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect import Memory
from recollect.domain.job import JobKind
from recollect.domain.message import Message
from recollect.domain.scope import Scope
from recollect.errors import StoreBusy
from recollect.ports.clock import Clock
from recollect.testing.inspection import store_of

USER_SCOPE = Scope("ana")
NO_LIMIT = 2**31
#: Kills between two deep checks, which read all text; after the other kills a quick check runs.
KILLS_PER_DEEP_CHECK = 10
#: Time limit of each wait.
MAX_WAIT_SECONDS = 1800


def unique_word(*parts: object) -> str:
    """Return a word that occurs in no other message."""
    rng = random.Random("/".join(map(str, parts)))
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(5))


def make_message(name: str, number: int) -> dict[str, object]:
    """Return a message with two facts and a unique id."""
    loved_word, hated_word = unique_word(name, number, "love"), unique_word(name, number, "hate")
    return {
        "role": "user",
        "content": f"I love {loved_word} and I hate {hated_word}.",
        "id": f"{name}-{number}",
    }


class ClockAhead:
    """Clock two minutes ahead, so that the leases of killed processes have expired."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=2)

    def monotonic(self) -> float:
        return time.monotonic()


def open_memory(db: Path, *, worker: bool, clock: Clock | None = None) -> Memory:
    return Memory(
        db, user_id=USER_SCOPE.user, clock=clock, settings={"embedder": "hashing", "worker": worker}
    )


# Child processes


def write_messages(db: Path, name: str, first: int, count: int) -> None:
    """Store messages and print the id of each once it is acknowledged."""
    with open_memory(db, worker=True) as memory:
        for number in range(first, first + count):
            memory.add(make_message(name, number), chat_id=f"{name} {number % 7}")
            print(f"{name}-{number}", flush=True)


def read_until_stopped(db: Path, seed: int) -> None:
    """Read until standard input closes; the number of messages must never decrease."""
    rng, reads, last_total = random.Random(seed), 0, 0
    stop = threading.Thread(target=sys.stdin.read, daemon=True)
    stop.start()
    with open_memory(db, worker=False) as memory:
        while stop.is_alive():
            total = store_of(memory.application).maintenance.stats(USER_SCOPE).messages
            assert total >= last_total, f"{last_total} messages became {total}"
            last_total, reads = total, reads + 1
            name, number = f"writer{rng.randrange(2)}", rng.randrange(1 + total)
            try:
                memory.search(f"what about {unique_word(name, number, 'love')}?")
                memory.context("what do I love?", chat_id=f"{name} {number % 7}")
            except StoreBusy as error:
                # The receipt exceeded the busy timeout behind the writers; the query may be retried.
                print(error, file=sys.stderr)
    print(reads)


@contextmanager
def start_process(db: Path, role: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """Start this script in another role; the process ends with the block."""
    arguments = [f"--{name}={value}" for name, value in options.items()]
    command = [sys.executable, __file__, f"--role={role}", f"--db={db}", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


# Checks


@dataclass(slots=True)
class Findings:
    """Violations found by the checks."""

    lost: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = {
            "lost": self.lost,
            "twice": self.duplicates,
            "half_done": self.incomplete,
            "unsound": self.unsound,
        }
        return " ".join(f"{name}={len(found)}" for name, found in counts.items())

    def __bool__(self) -> bool:
        return bool(self.lost or self.duplicates or self.incomplete or self.unsound)

    def details(self) -> Sequence[str]:
        return [*self.unsound, *self.incomplete, *self.duplicates, *self.lost][:20]


def check(db: Path, acknowledged: set[str], *, first_position: int, deep: bool, findings: Findings) -> int:
    """Open the file as after a crash and check it; return the number of messages."""
    with open_memory(db, worker=False) as memory:
        messages = store_of(memory.application).messages.list(USER_SCOPE, limit=NO_LIMIT)
        times = Counter(str(message.client_id) for message in messages)
        findings.lost += sorted(acknowledged - set(times))
        findings.duplicates += [client_id for client_id, count in times.items() if count > 1]
        findings.incomplete += find_incomplete(memory, messages[first_position:])
        findings.unsound += [
            f"{finding.name}: {finding.detail}"
            for finding in store_of(memory.application).maintenance.check(deep=deep)
            if not finding.ok
        ]
    return len(messages)


def find_incomplete(memory: Memory, messages: Sequence[Message]) -> list[str]:
    """
    Return violations: a message must be extracted or queued, its facts stored both or neither, and every passage
    have a vector or be queued for one.
    """
    store = store_of(memory.application)
    jobs = store.jobs.list(USER_SCOPE, limit=NO_LIMIT)
    queued_ids = {job.key for job in jobs if job.kind is JobKind.EXTRACT}
    problems = []
    for message in messages:
        facts = store.memories.of_messages(USER_SCOPE, [message.id])
        if message.extracted != (len(facts) == 2) or (not message.extracted and message.id not in queued_ids):
            problems.append(f"{message.client_id}: extracted={message.extracted}, {len(facts)} facts")
        problems += [
            f"{fact.text}: learned {fact.times_stated} times, {len(fact.spans)} sources"
            for fact in facts
            if not 1
            == fact.times_stated
            == len(fact.spans)
            == len(store.memories.history(USER_SCOPE, fact.id))
        ]
    if store.vectors.count_queued(USER_SCOPE.user) and not any(job.kind is JobKind.EMBED for job in jobs):
        problems.append("passages lack vectors, but no embedding job is queued")
    return problems


def finish_work(db: Path, findings: Findings) -> int:
    """Run the remaining jobs; none may be left afterwards. Return the number of facts."""
    with open_memory(db, worker=False, clock=ClockAhead()) as memory:
        store = store_of(memory.application)
        memory.flush(seconds=MAX_WAIT_SECONDS)
        findings.incomplete += [
            f"job {job.kind} {job.state}: {job.reason}" for job in store.jobs.list(USER_SCOPE)
        ]
        if store.vectors.count_queued(USER_SCOPE.user):
            findings.incomplete.append(
                f"{store.vectors.count_queued(USER_SCOPE.user)} passages have no vector"
            )
        unread = store.messages.list_unextracted(USER_SCOPE, limit=NO_LIMIT)
        findings.incomplete += [f"{message.client_id} was never extracted" for message in unread]
        return store.memories.count(USER_SCOPE)


# Campaigns


def run_kills(db: Path, kills: int, seed: int) -> bool:
    rng, findings, acknowledged = random.Random(seed), Findings(), set[str]()
    stored, first, started_at = 0, 0, time.monotonic()
    for kill in range(1, kills + 1):
        lines = run_until_killed(db, first, rng)
        acknowledged.update(lines)
        # The unacknowledged message is sent again, as a client would do.
        first += len(lines)
        deep = kill % KILLS_PER_DEEP_CHECK == 0 or kill == kills
        stored = check(db, acknowledged, first_position=stored, deep=deep, findings=findings)
        if stored > len(acknowledged) + 1:
            findings.duplicates.append(f"{stored} messages of {len(acknowledged)} acknowledged")
    fact_count = finish_work(db, findings)
    check(db, acknowledged, first_position=0, deep=True, findings=findings)
    if fact_count != 2 * stored:
        findings.incomplete.append(f"{fact_count} facts of {stored} messages")
    seconds = time.monotonic() - started_at
    print(
        f"kills={kills} seed={seed} acknowledged={len(acknowledged)} stored={stored} {findings} in {seconds:.0f} s"
    )
    return print_findings(findings)


def run_until_killed(db: Path, first: int, rng: random.Random) -> list[str]:
    """Start a writer and kill it at a random time; return the acknowledged ids."""
    with start_process(db, "write", name="writer0", first=first, messages=NO_LIMIT) as process:
        assert process.stdout
        assert process.stderr
        lines = []
        if rng.random() < 0.1:
            # Kill while it opens the file.
            time.sleep(rng.uniform(0, 0.5))
        else:
            lines.append(process.stdout.readline())
            time.sleep(rng.expovariate(2.5))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        if process.wait(MAX_WAIT_SECONDS) != -signal.SIGKILL:
            raise SystemExit(f"the writer ended before it was killed: {process.stderr.read()}")
    return [each.strip() for each in lines if each.endswith("\n")]


def run_concurrently(db: Path, writers: int, messages: int, seed: int) -> bool:
    findings, started_at, writer_outputs = Findings(), time.monotonic(), []
    with start_process(db, "read", seed=seed) as reader:
        threads = [
            threading.Thread(target=lambda n=n: writer_outputs.append(run_writer(db, f"writer{n}", messages)))
            for n in range(writers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - started_at
        reads, errors = reader.communicate(timeout=MAX_WAIT_SECONDS)
        if reader.returncode:
            findings.unsound.append(f"the reader failed: {errors}")
    acknowledged = {line for lines, _ in writer_outputs for line in lines}
    findings.unsound += [complaint for _, complaint in writer_outputs if complaint]
    expected = {f"writer{n}-{number}" for n in range(writers) for number in range(messages)}
    findings.lost += sorted(expected - acknowledged)
    finish_work(db, findings)
    stored = check(db, expected, first_position=0, deep=True, findings=findings)
    busy_count = len(errors.splitlines())
    print(
        f"writers={writers} seed={seed} acknowledged={len(acknowledged)} stored={stored} {findings}"
        f" reads={reads.strip()} reads_busy={busy_count} in {seconds:.0f} s ({stored / seconds:.0f} messages/s)"
    )
    return print_findings(findings)


def run_writer(db: Path, name: str, messages: int) -> tuple[list[str], str]:
    """Run a writer; return the acknowledged ids and its stderr."""
    with start_process(db, "write", name=name, messages=messages) as process:
        lines, errors = process.communicate(timeout=MAX_WAIT_SECONDS)
    return lines.split(), errors


def print_findings(findings: Findings) -> bool:
    for detail in findings.details():
        print(f"  {detail}", file=sys.stderr)
    return not findings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50, help="number of kills")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random delays")
    parser.add_argument("--db", type=Path, help="database file; by default a new one in a temporary folder")
    parser.add_argument(
        "--writers", type=int, default=0, help="run this many concurrent writers instead of killing one"
    )
    parser.add_argument("--messages", type=int, default=5000, help="messages per writer")
    for hidden in ("--role", "--name"):
        parser.add_argument(hidden, default="", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    match options.role:
        case "write":
            write_messages(options.db, options.name, options.first, options.messages)
        case "read":
            read_until_stopped(options.db, options.seed)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                db = options.db or Path(folder) / "memory.db"
                succeeded = (
                    run_concurrently(db, options.writers, options.messages, options.seed)
                    if options.writers
                    else run_kills(db, options.kills, options.seed)
                )
            sys.exit(not succeeded)


if __name__ == "__main__":
    main()
