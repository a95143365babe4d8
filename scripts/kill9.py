"""
Kill it yourself: a process that stores messages is killed at random moments, again and again.

Every message it had acknowledged must be there, once; no job may be half done; the file must be sound.
With --writers several processes store at the same time instead, while another one reads, and nobody is killed.
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

USER = Scope("ana")
EVERYTHING = 2**31
#: A deep check reads every word of every message; after each kill a quick one will do.
DEEP_EVERY = 10
#: No single wait is longer than this, in seconds.
PATIENCE = 1800


def word(*parts: object) -> str:
    """A word that nobody else says."""
    dice = random.Random("/".join(map(str, parts)))
    return "".join(dice.choice("bdfgklmnprstvz") + dice.choice("aeiou") for _ in range(5))


def line(name: str, number: int) -> dict[str, object]:
    """A message with two facts in it, under an id of its own."""
    loved, hated = word(name, number, "love"), word(name, number, "hate")
    return {"role": "user", "content": f"I love {loved} and I hate {hated}.", "id": f"{name}-{number}"}


class ClockAhead:
    """Two minutes ahead: the leases of those who were killed have run out."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=2)

    def monotonic(self) -> float:
        return time.monotonic()


def opened(db: Path, *, worker: bool, clock: Clock | None = None) -> Memory:
    return Memory(db, user_id=USER.user, clock=clock, settings={"embedder": "hashing", "worker": worker})


# The processes that are started


def write(db: Path, name: str, first: int, count: int) -> None:
    """Store messages, and say of each that it is stored once it is."""
    with opened(db, worker=True) as memory:
        for number in range(first, first + count):
            memory.add(line(name, number), chat_id=f"{name} {number % 7}")
            print(f"{name}-{number}", flush=True)


def read(db: Path, seed: int) -> None:
    """Ask until told to stop. What was there once must stay there."""
    dice, reads, seen = random.Random(seed), 0, 0
    stop = threading.Thread(target=sys.stdin.read, daemon=True)
    stop.start()
    with opened(db, worker=False) as memory:
        while stop.is_alive():
            total = memory.runtime.store.upkeep.stats(USER).messages
            assert total >= seen, f"{seen} messages became {total}"
            seen, reads = total, reads + 1
            name, number = f"writer{dice.randrange(2)}", dice.randrange(1 + total)
            try:
                memory.search(f"what about {word(name, number, 'love')}?")
                memory.context("what do I love?", chat_id=f"{name} {number % 7}")
            except StoreBusy as error:
                # Its receipt waited longer than allowed behind the writers; the question may be asked again.
                print(error, file=sys.stderr)
    print(reads)


@contextmanager
def started(db: Path, role: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """A process of ours. It does not outlive the one who asked for it."""
    given = [f"--{name}={value}" for name, value in options.items()]
    command = [sys.executable, __file__, f"--role={role}", f"--db={db}", *given]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


# What must hold


@dataclass(slots=True)
class Findings:
    """Everything that is not as it should be."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = {"lost": self.lost, "twice": self.twice, "half_done": self.half, "unsound": self.unsound}
        return " ".join(f"{name}={len(found)}" for name, found in counts.items())

    def __bool__(self) -> bool:
        return bool(self.lost or self.twice or self.half or self.unsound)

    def details(self) -> Sequence[str]:
        return [*self.unsound, *self.half, *self.twice, *self.lost][:20]


def check(db: Path, acknowledged: set[str], *, since: int, deep: bool, findings: Findings) -> int:
    """Open the file as anybody would after a crash and look; return how many messages it holds."""
    with opened(db, worker=False) as memory:
        messages = memory.runtime.store.messages.list(USER, limit=EVERYTHING)
        times = Counter(str(message.client_id) for message in messages)
        findings.lost += sorted(acknowledged - set(times))
        findings.twice += [client_id for client_id, count in times.items() if count > 1]
        findings.half += half_done(memory, messages[since:])
        findings.unsound += [
            f"{finding.name}: {finding.detail}"
            for finding in memory.runtime.store.upkeep.check(deep=deep)
            if not finding.ok
        ]
    return len(messages)


def half_done(memory: Memory, messages: Sequence[Message]) -> list[str]:
    """A message is read or waits to be read; its facts are both there or neither; vectors are there or promised."""
    store = memory.runtime.store
    jobs = store.jobs.list(USER, limit=EVERYTHING)
    waiting = {job.key for job in jobs if job.kind is JobKind.JUDGE}
    wrong = []
    for message in messages:
        facts = store.memories.of_messages(USER, [message.id])
        if message.extracted != (len(facts) == 2) or (not message.extracted and message.id not in waiting):
            wrong.append(f"{message.client_id}: read={message.extracted}, {len(facts)} facts")
        wrong += [
            f"{fact.text}: learned {fact.sightings} times, {len(fact.spans)} sources"
            for fact in facts
            if not 1 == fact.sightings == len(fact.spans) == len(store.memories.history(USER, fact.id))
        ]
    if store.vectors.pending(USER.user) and not any(job.kind is JobKind.EMBED for job in jobs):
        wrong.append("passages wait for vectors, but nobody was told")
    return wrong


def finish(db: Path, findings: Findings) -> int:
    """Do what is left to do; afterwards nothing may be left. Returns how many facts were learned."""
    with opened(db, worker=False, clock=ClockAhead()) as memory:
        store = memory.runtime.store
        memory.flush(seconds=PATIENCE)
        findings.half += [f"job {job.kind} {job.state}: {job.reason}" for job in store.jobs.list(USER)]
        if store.vectors.pending(USER.user):
            findings.half.append(f"{store.vectors.pending(USER.user)} passages have no vector")
        unread = store.messages.unextracted(USER, limit=EVERYTHING)
        findings.half += [f"{message.client_id} was never read" for message in unread]
        return store.memories.count(USER)


# The two campaigns


def killed(db: Path, kills: int, seed: int) -> bool:
    dice, findings, acknowledged = random.Random(seed), Findings(), set[str]()
    stored, first, begun = 0, 0, time.monotonic()
    for kill in range(1, kills + 1):
        lines = until_killed(db, first, dice)
        acknowledged.update(lines)
        # The message that was under way is sent again, as a client would that got no answer.
        first += len(lines)
        deep = kill % DEEP_EVERY == 0 or kill == kills
        stored = check(db, acknowledged, since=stored, deep=deep, findings=findings)
        if stored > len(acknowledged) + 1:
            findings.twice.append(f"{stored} messages of {len(acknowledged)} acknowledged")
    learned = finish(db, findings)
    check(db, acknowledged, since=0, deep=True, findings=findings)
    if learned != 2 * stored:
        findings.half.append(f"{learned} facts of {stored} messages")
    spent = time.monotonic() - begun
    print(
        f"kills={kills} seed={seed} acknowledged={len(acknowledged)} stored={stored} {findings} in {spent:.0f} s"
    )
    return report(findings)


def until_killed(db: Path, first: int, dice: random.Random) -> list[str]:
    """Start a writer and kill it at a random moment; the ids it acknowledged until then."""
    with started(db, "write", name="writer0", first=first, messages=EVERYTHING) as process:
        assert process.stdout
        assert process.stderr
        lines = []
        if dice.random() < 0.1:
            # While it opens the file.
            time.sleep(dice.uniform(0, 0.5))
        else:
            lines.append(process.stdout.readline())
            time.sleep(dice.expovariate(2.5))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        if process.wait(PATIENCE) != -signal.SIGKILL:
            raise SystemExit(f"the writer ended by itself: {process.stderr.read()}")
    return [each.strip() for each in lines if each.endswith("\n")]


def together(db: Path, writers: int, messages: int, seed: int) -> bool:
    findings, begun, said = Findings(), time.monotonic(), []
    with started(db, "read", seed=seed) as reader:
        spawn = [
            threading.Thread(target=lambda n=n: said.append(written(db, f"writer{n}", messages)))
            for n in range(writers)
        ]
        for thread in spawn:
            thread.start()
        for thread in spawn:
            thread.join()
        spent = time.monotonic() - begun
        reads, complaints = reader.communicate(timeout=PATIENCE)
        if reader.returncode:
            findings.unsound.append(f"the reader failed: {complaints}")
    acknowledged = {line for lines, _ in said for line in lines}
    findings.unsound += [complaint for _, complaint in said if complaint]
    expected = {f"writer{n}-{number}" for n in range(writers) for number in range(messages)}
    findings.lost += sorted(expected - acknowledged)
    finish(db, findings)
    stored = check(db, expected, since=0, deep=True, findings=findings)
    busy = len(complaints.splitlines())
    print(
        f"writers={writers} seed={seed} acknowledged={len(acknowledged)} stored={stored} {findings}"
        f" reads={reads.strip()} reads_busy={busy} in {spent:.0f} s ({stored / spent:.0f} messages/s)"
    )
    return report(findings)


def written(db: Path, name: str, messages: int) -> tuple[list[str], str]:
    """What a writer acknowledged, and what it complained about."""
    with started(db, "write", name=name, messages=messages) as process:
        lines, complaints = process.communicate(timeout=PATIENCE)
    return lines.split(), complaints


def report(findings: Findings) -> bool:
    for detail in findings.details():
        print(f"  {detail}", file=sys.stderr)
    return not findings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50, help="how often to kill")
    parser.add_argument("--seed", type=int, default=1, help="the same seed kills after the same waits")
    parser.add_argument(
        "--db", type=Path, help="the file to use; a new one in a temporary folder if not given"
    )
    parser.add_argument("--writers", type=int, default=0, help="store with so many processes at once instead")
    parser.add_argument("--messages", type=int, default=5000, help="messages of each of them")
    for hidden in ("--role", "--name"):
        parser.add_argument(hidden, default="", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    match given.role:
        case "write":
            write(given.db, given.name, given.first, given.messages)
        case "read":
            read(given.db, given.seed)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                db = given.db or Path(folder) / "memory.db"
                well = (
                    together(db, given.writers, given.messages, given.seed)
                    if given.writers
                    else killed(db, given.kills, given.seed)
                )
            sys.exit(not well)


if __name__ == "__main__":
    main()
