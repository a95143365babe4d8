"""
Faults of a PostgreSQL installation under load, and isolation of users. Every run starts servers of its own.

    scripts/postgres_campaign.py kill --seconds 600        kill servers, workers and the database, in turn
    scripts/postgres_campaign.py promote                   kill the primary and promote its synchronous standby
    scripts/postgres_campaign.py isolate --requests 100000 look for words of other users in every answer

An acknowledged message must be stored exactly once and learned from, whatever is killed. The exit code is 1 otherwise.
"""

import argparse
import json
import logging
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.postgres_process import PostgresFailed, PostgresProcess

from recollect import Memory
from recollect.adapters.postgres.store import PostgresStore
from recollect.domain.scope import Scope
from recollect.errors import RecollectError, StoreError
from recollect.testing.embedders import LetterEmbedder

WRITERS = 4
ROLE = "recollect"
#: Files on disk and every commit synced: what is killed here must not lose anything.
SETTINGS = {"listen_addresses": "", "max_connections": "100", "shared_buffers": "128MB"}
#: Users of the isolation campaign, each with a word that no other says.
USERS = 500
CHILD_SETTINGS = {
    "RECOLLECT_EMBEDDER": "hashing",
    "RECOLLECT_CONFIG": "",
    "RECOLLECT_REQUESTS_PER_MINUTE": "0",
}
USER_PREDICATE = re.compile(r"(\b\w+\.)?user_id = \$1\b")


@dataclass(slots=True)
class Load:
    """Writers that add messages with client ids until they are acknowledged; each repeats after an error."""

    url: str
    pause: float = 0.1  #: of each writer after a message: workers must keep up on a small machine
    stop: threading.Event = field(default_factory=threading.Event)
    acknowledged: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    def write(self, writer: int) -> None:
        number = 0
        with Memory(
            store=PostgresStore(self.url),
            user_id=f"writer{writer}",
            embedder=LetterEmbedder(),
            settings={"worker": False},
        ) as memory:
            while not self.stop.is_set():
                name = f"w{writer}-{number}"
                message = {"role": "user", "content": f"I love {word(writer, number)}.", "id": name}
                try:
                    memory.add(message, chat_id=f"chat {number % 7}")
                except RecollectError as error:
                    # It may have been stored all the same: the same id is sent again.
                    self.errors[type(error).__name__] += 1
                    time.sleep(0.05)
                    continue
                self.acknowledged.append(name)
                self.times.append(time.monotonic())
                number += 1
                time.sleep(self.pause)

    @contextmanager
    def run(self) -> Iterator[None]:
        threads = [threading.Thread(target=self.write, args=(writer,)) for writer in range(WRITERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def longest_pause(self) -> float:
        times = sorted(self.times)
        return max((later - earlier for earlier, later in pairwise(times)), default=0.0)


def word(writer: int, number: int) -> str:
    """Return a word that occurs in no other message."""
    rng = random.Random(f"{writer}/{number}")
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(5))


@contextmanager
def new_server(**settings: str) -> Iterator[tuple[PostgresProcess, str]]:
    folder = Path(tempfile.mkdtemp(prefix="recollect-campaign-"))
    server = PostgresProcess(folder, {**SETTINGS, **settings})
    server.start()
    try:
        yield server, server.create_role(ROLE)
    finally:
        server.stop()
        shutil.rmtree(folder)


@contextmanager
def run_command(url: str, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "recollect", "--db", url, *words]
    environment = {**os.environ, **CHILD_SETTINGS}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def children(process: "subprocess.Popen[bytes]") -> list[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii")
    return [int(number) for number in listed.split()]


def kill_one(process: "subprocess.Popen[bytes]", rng: random.Random) -> bool:
    running = children(process)
    if not running:
        return False
    try:
        os.kill(rng.choice(running), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def check(url: str, load: Load, findings: list[str], *, seconds: float) -> None:
    """Wait until all is learned, then compare what is stored with what was acknowledged."""
    end = time.monotonic() + seconds
    store = PostgresStore(url)

    def is_learned() -> bool:
        return not any(
            store.messages.list_unextracted(Scope(f"writer{writer}"), limit=1) for writer in range(WRITERS)
        )

    while not is_learned() and time.monotonic() < end:
        time.sleep(0.5)
    stored: Counter[str] = Counter()
    learned: Counter[str] = Counter()
    for writer in range(WRITERS):
        scope = Scope(f"writer{writer}")
        messages = store.messages.list(scope, limit=10**6)
        stored.update(str(message.client_id) for message in messages)
        learned.update(memory.text for memory in store.memories.list(scope, limit=10**6))
        dead = [job for job in store.jobs.list(scope, limit=10**6) if job.state == "dead"]
        if dead:
            findings.append(f"{len(dead)} dead jobs, such as {dead[0].reason}")
    lost = [name for name in load.acknowledged if not stored[name]]
    twice = [name for name, number in stored.items() if number > 1] + [
        text for text, number in learned.items() if number > 1
    ]
    unlearned = sum(stored.values()) - sum(learned.values())
    failed = [
        each.name for each in store.maintenance.check(deep=True) if not each.ok and each.name != "bloat"
    ]
    store.close()
    print(
        f"{len(load.acknowledged)} acknowledged, {len(lost)} lost, {len(twice)} twice, {unlearned} not learned,"
        f" failed checks: {failed or 'none'}; errors given to writers: {dict(load.errors)}"
    )
    for name, number in (("lost", len(lost)), ("stored twice", len(twice)), ("jobs stuck", unlearned)):
        if number:
            findings.append(f"{number} {name}")
    findings += failed


def run_pg_amcheck(server: PostgresProcess, findings: list[str]) -> None:
    """Check all tables and B-tree indexes."""
    with psycopg.connect(
        server.superuser_url.replace("/postgres?", f"/{ROLE}?"), autocommit=True
    ) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS amcheck")
    output = server.run("pg_amcheck", "-h", server.folder, "-U", "postgres", "-d", ROLE, "--heapallindexed")
    print(f"pg_amcheck: {output.strip() or 'clean'}")
    if output.strip():
        findings.append("pg_amcheck")


def kill_everything(options: argparse.Namespace) -> list[str]:
    rng, findings, kills = random.Random(options.seed), [], Counter[str]()
    with new_server() as (server, url):
        PostgresStore(url).close()
        load = Load(url)
        with (
            run_command(
                url, "up", "--no-worker", "--processes", "2", "--port", "0", "--no-browser"
            ) as servers,
            run_command(url, "worker", "--processes", "3") as workers,
        ):
            while len(children(servers)) < 2 or len(children(workers)) < 3:
                time.sleep(0.1)
            with load.run():
                end = time.monotonic() + options.seconds
                while time.monotonic() < end:
                    time.sleep(options.interval)
                    kills["worker"] += kill_one(workers, rng)
                    kills["server"] += kill_one(servers, rng)
                    if kills["postmaster"] < options.postmaster_kills:
                        server.kill()
                        kills["postmaster"] += 1
                        _start_again(server)
            # A lease of a killed worker lasts a minute.
            check(url, load, findings, seconds=180)
        print(f"killed: {dict(kills)}; longest time without a write: {load.longest_pause():.1f} s")
        run_pg_amcheck(server, findings)
    return findings


def _start_again(server: PostgresProcess) -> None:
    for attempt in range(50):
        try:
            server.start()
        except PostgresFailed:
            # Processes of the killed server still hold its shared memory.
            if attempt == 49:
                raise
            time.sleep(0.2)
        else:
            return


def promote_standby(options: argparse.Namespace) -> list[str]:
    findings: list[str] = []
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="recollect-campaign-"))
        stack.callback(shutil.rmtree, folder)
        standby_folder = folder / "standby"
        primary_folder = folder / "primary"
        folder.chmod(0o755)
        primary_folder.mkdir()
        standby_folder.mkdir()
        primary = PostgresProcess(
            primary_folder, {**SETTINGS, "wal_level": "replica", "max_wal_senders": "4"}
        )
        primary.start()
        stack.callback(primary.stop)
        primary.create_role(ROLE)
        PostgresStore(f"postgresql://{ROLE}@/{ROLE}?host={primary_folder}").close()
        standby = PostgresProcess(standby_folder, SETTINGS, initialize=False)
        standby.run(
            "pg_basebackup", "-h", primary_folder, "-U", "postgres", "-D", standby.data, "-R", "-X", "stream"
        )
        standby.start()
        stack.callback(standby.stop)
        with psycopg.connect(primary.superuser_url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        url = f"postgresql://{ROLE}@/{ROLE}?host={primary_folder},{standby_folder}&target_session_attrs=read-write"
        load = Load(url)
        with run_command(url, "worker", "--processes", "2"):
            with load.run():
                time.sleep(options.seconds / 2)
                primary.kill()
                killed_at = time.monotonic()
                standby.run("pg_ctl", "promote", "-D", standby.data)
                with psycopg.connect(standby.superuser_url, autocommit=True) as connection:
                    connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
                    connection.execute("SELECT pg_reload_conf()")
                promoted_at = time.monotonic()
                time.sleep(options.seconds / 2)
            check(url, load, findings, seconds=180)
        after = [at for at in load.times if at > promoted_at]
        print(
            f"promoted in {promoted_at - killed_at:.1f} s; longest time without a write: {load.longest_pause():.1f} s;"
            f" {len(after)} messages after the promotion"
        )
        if not after:
            findings.append("no writes after the promotion")
    return findings


class PredicateRemover(psycopg.RawCursor[Any]):
    """A cursor that leaves the user out of one statement, as a programming error would."""

    statements: list[str] = []  # noqa: RUF012 - shared by all cursors, on purpose
    broken: str | None = None

    def execute(self, query: Any, params: Any = None, **options: Any) -> "PredicateRemover":  # noqa: ANN401
        text = str(query)
        if params and text.lstrip().startswith("SELECT") and USER_PREDICATE.search(text):
            if text not in self.statements:
                self.statements.append(text)
            if text == self.broken:
                # The parameter stays, so that the statement keeps its number of parameters.
                query = USER_PREDICATE.sub("$1::text IS NOT NULL", text)
        super().execute(query, params, **options)
        return self


def isolate(options: argparse.Namespace) -> list[str]:
    """Every answer to a user is searched for the words of the others."""
    findings: list[str] = []
    with new_server(fsync="off") as (_, url):
        first, second = (
            Memory(
                store=PostgresStore(url, cursor_class=PredicateRemover),
                embedder=LetterEmbedder(),
                settings={"worker": False},
            )
            for _ in range(2)
        )
        users = {f"user{number}": f"quetzal{number:04}x" for number in range(options.users)}
        for user, canary in users.items():
            first.add(
                f"likes saffron with {canary}", user_id=user, tags=[canary], metadata={"canary": canary}
            )
            said = {
                "role": "user",
                "content": f"I live in {canary}town and I like tea.",
                "metadata": {"c": canary},
            }
            first.add(
                [said, {"role": "assistant", "content": f"Noted, {canary}."}], user_id=user, chat_id="garden"
            )
            first.privacy.consent("profile", granted=True, user_id=user)
            first.profile.set({"freeformNotes": canary}, user_id=user)
            first.profile.add_context_file(
                f"file {canary}", f"About {canary}.", chat_id="garden", user_id=user
            )
        first.flush(seconds=3600)
        print(f"{options.users} users stored", flush=True)
        foreign = _count_foreign((first, second), users, options.requests, random.Random(options.seed))
        print(f"{options.requests} requests: {foreign} foreign words")
        statements = list(PredicateRemover.statements)
        leaks = 0
        failures = 0
        for statement in statements:
            PredicateRemover.broken = statement
            try:
                found = _count_foreign((first, second), users, options.broken_requests, random.Random(1))
            except (StoreError, RecollectError, IndexError, KeyError, ValueError):
                # A statement without its user may return nothing that makes sense, but nothing foreign either.
                failures += 1
                continue
            leaks += found
            if found:
                print(f"leaks without its user: {' '.join(statement.split())[:200]}")
        PredicateRemover.broken = None
        print(
            f"{len(statements)} statements without their user, one at a time: {leaks} foreign words, {failures} errors"
        )
        findings += [f"{foreign + leaks} foreign words"] if foreign or leaks else []
        first.close()
        second.close()
    return findings


def _count_foreign(
    memories: Sequence[Memory], users: dict[str, str], requests: int, rng: random.Random
) -> int:
    names, found = list(users), 0
    for number in range(requests):
        memory, user = memories[number % len(memories)], rng.choice(names)
        answer = repr(
            rng.choice(REQUESTS)(memory, user, f"{rng.choice(list(users.values()))} saffron tea town")
        )
        words = set(re.findall(r"quetzal\d{4}x", answer.split("query=", 1)[0]))
        found += len(words - {users[user]})
    return found


REQUESTS: Sequence[Callable[[Memory, str, str], object]] = (
    lambda memory, user, query: [item.text for item in memory.search(query, user_id=user)],
    lambda memory, user, query: memory.context(query, user_id=user, chat_id="garden").text,
    lambda memory, user, _: memory.get_all(user_id=user),
    lambda memory, user, _: memory.chats.messages("garden", user_id=user),
    lambda memory, user, _: memory.profile.get(user_id=user),
    lambda memory, user, _: memory.profile.context_files(user_id=user),
    lambda memory, user, _: memory.memories.events(user_id=user),
    lambda memory, user, _: memory.history(memory.get_all(user_id=user)[0].id, user_id=user),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    commands = parser.add_subparsers(required=True)
    kill = commands.add_parser("kill")
    kill.add_argument("--seconds", type=float, default=600)
    kill.add_argument("--interval", type=float, default=3)
    kill.add_argument("--postmaster-kills", type=int, default=50)
    kill.set_defaults(run=kill_everything)
    promote = commands.add_parser("promote")
    promote.add_argument("--seconds", type=float, default=20)
    promote.set_defaults(run=promote_standby)
    isolation = commands.add_parser("isolate")
    isolation.add_argument("--requests", type=int, default=100_000)
    isolation.add_argument("--users", type=int, default=USERS)
    isolation.add_argument("--broken-requests", type=int, default=200)
    isolation.set_defaults(run=isolate)
    for each in (kill, promote, isolation):
        each.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    # The pool reports every attempt to reach a server that was killed.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    findings = options.run(options)
    print(json.dumps({"findings": findings}))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
