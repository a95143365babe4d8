"""
Three applications, one on each store, do the same at random and must know the same after every step.

`scripts/equal_stores.py` does it for longer.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from tests.contract.stores import STORE_FACTORIES, OpenStore, open_stores

from recollect import Memory
from recollect.domain.memory import Memory as StoredMemory
from recollect.domain.scope import Scope
from recollect.errors import NotFound, RecollectError
from recollect.ports.store import Store
from recollect.testing.builders import a_memory
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of

USERS = ("ana", "bruno")
CHATS = ("kitchen", "garden")
STATEMENTS = (
    "I live in Lisbon.",
    "I moved to Porto.",
    "I live in Porto now.",
    "I love jazz.",
    "I don't like jazz any more.",
    "My sister works as a nurse.",
    "Sou vegetariana.",
    "I'm not vegetarian any more.",
    "Feeling anxious about the exam.",
    "ok",
    "Não gosto de carne.",
    "My name is Ana. " + "The river is wide and the bridge is old. " * 40,
)
QUERIES = ("Where do I live?", "jazz", "sister nurse", "carne", "bridge")
#: Runs in the test suite, and steps of each.
EXAMPLES = 40
STEPS = 12
ALL = 1000

Item = TypeVar("Item")


class Interrupted(Exception):
    """Ends a transaction as a crash does."""


class Copy:
    """An application on one of the stores."""

    def __init__(self, open_store: OpenStore) -> None:
        self._open_store = open_store
        self.clock, self.ids = FrozenClock(), CountingIds()
        self.open()

    def open(self) -> None:
        self.memory = Memory(
            store=self._open_store(),
            embedder=LetterEmbedder(),
            clock=self.clock,
            ids=self.ids,
            settings={"worker": False},
        )

    @property
    def store(self) -> Store:
        return store_of(self.memory.application)

    def memories(self, user: str) -> Sequence[StoredMemory]:
        found = self.store.memories.list(Scope(user), limit=ALL, status=None)
        return sorted(found, key=lambda memory: memory.id)

    def message_ids(self, user: str) -> list[str]:
        return sorted(message.id for message in self.store.messages.list(Scope(user), limit=ALL))

    def known(self) -> dict[str, object]:
        """Return everything that a user can see."""
        return {f"{name} of {user}": value for user in USERS for name, value in self._known_of(user).items()}

    def _known_of(self, user: str) -> dict[str, object]:
        store, scope = self.store, Scope(user)
        memories = self.memories(user)
        return {
            "memories": memories,
            "histories": [store.memories.history(scope, memory.id) for memory in memories],
            "messages": store.messages.list(scope, limit=ALL),
            "chats": store.chats.list(scope),
            "events": store.events.list(scope, limit=ALL),
            "summaries": store.summaries.list(scope, limit=ALL),
            "tombstones": store.tombstones.all(user),
            "consents": store.consents.all(scope),
            "profile": store.profiles.get(scope),
            "audit log": [(entry.action, entry.detail, entry.at) for entry in store.audit_log.list(scope)],
            "audit log is intact": store.audit_log.is_intact(scope),
            "jobs": store.jobs.count_by_state(scope),
            "vectors": (store.vectors.count_by_model(user), store.vectors.count_queued(user)),
            "triage": store.triage_counts.all(user),
        }


class EqualStores(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        folder = Path(self.stack.enter_context(TemporaryDirectory()))
        self.copies: dict[str, Copy] = {}
        for kind in STORE_FACTORIES:
            open_store = self.stack.enter_context(open_stores(kind, folder / kind))
            self.copies[kind] = Copy(open_store)

    def teardown(self) -> None:
        for copy in self.copies.values():
            copy.memory.close()
        self.stack.close()

    def run(self, change: Callable[[Copy], object]) -> object:
        """Make a change on every copy. The results, errors included, and what is known must be the same."""
        results = {kind: _result(copy, change) for kind, copy in self.copies.items()}
        [first, *others] = results
        for other in others:
            assert results[other] == results[first], f"{other} differs from {first}"
        known = {kind: copy.known() for kind, copy in self.copies.items()}
        for other in others:
            for name, value in known[first].items():
                assert known[other][name] == value, f"{name}: {other} differs from {first}"
        return results[first]

    @rule(user=st.sampled_from(USERS), chat=st.sampled_from(CHATS), text=st.sampled_from(STATEMENTS))
    def say(self, user: str, chat: str, text: str) -> None:
        self.run(
            lambda copy: len(
                copy.memory.add({"role": "user", "content": text}, user_id=user, chat_id=chat).messages
            )
        )

    @rule(
        user=st.sampled_from(USERS), text=st.sampled_from(STATEMENTS[:10]), client_id=st.sampled_from("abc")
    )
    def say_again(self, user: str, text: str, client_id: str) -> None:
        message = {"role": "user", "content": text, "id": client_id}
        self.run(
            lambda copy: [
                each.is_new for each in copy.memory.add(message, user_id=user, chat_id="kitchen").messages
            ]
        )

    @rule()
    def learn(self) -> None:
        """Run the jobs that are due. `flush` would also wait for those that a dead worker has leased."""

        def apply(copy: Copy) -> object:
            copy.store.jobs.run_now(now=copy.clock.now())
            results = iter(copy.memory.application.worker.run_one, None)
            return [(each.job.user, each.job.kind, each.job.key, each.error) for each in results]

        self.run(apply)

    @rule(user=st.sampled_from(USERS), text=st.sampled_from(STATEMENTS[:10]))
    def remember(self, user: str, text: str) -> None:
        self.run(lambda copy: [each.id for each in copy.memory.add(text, user_id=user).memories])

    @rule(user=st.sampled_from(USERS), place=st.integers(0, 9), text=st.sampled_from(STATEMENTS))
    def edit_message(self, user: str, place: int, text: str) -> None:
        self.run(
            lambda copy: copy.memory.chats.edit(_at(copy.message_ids(user), place), text, user_id=user).reason
        )

    @rule(user=st.sampled_from(USERS), place=st.integers(0, 9))
    def delete_message(self, user: str, place: int) -> None:
        self.run(
            lambda copy: copy.memory.chats.delete_message(_at(copy.message_ids(user), place), user_id=user)
        )

    @rule(user=st.sampled_from(USERS), chat=st.sampled_from(CHATS))
    def delete_chat(self, user: str, chat: str) -> None:
        self.run(lambda copy: copy.memory.chats.delete(chat, user_id=user))

    @rule(user=st.sampled_from(USERS), place=st.integers(0, 9))
    def correct(self, user: str, place: int) -> None:
        self.run(
            lambda copy: copy.memory.update(
                _at(copy.memories(user), place).id, f"corrected {place}", user_id=user
            )
        )

    @rule(
        user=st.sampled_from(USERS),
        place=st.integers(0, 9),
        change=st.sampled_from(("delete", "archive", "restore", "pin", "erase")),
    )
    def change_memory(self, user: str, place: int, change: str) -> None:
        def apply(copy: Copy) -> object:
            memory_id = _at(copy.memories(user), place).id
            match change:
                case "delete":
                    return copy.memory.delete(memory_id, user_id=user)
                case "archive":
                    return copy.memory.memories.archive(memory_id, user_id=user)
                case "restore":
                    return copy.memory.memories.restore(memory_id, user_id=user)
                case "pin":
                    return copy.memory.memories.pin(memory_id, user_id=user)
                case _:
                    # The certificate also says what became of the bytes, which depends on the store.
                    return copy.store.erasure.erase_memory(Scope(user), memory_id).rows

        self.run(apply)

    @rule(user=st.sampled_from(USERS), first=st.integers(0, 9), second=st.integers(0, 9))
    def merge(self, user: str, first: int, second: int) -> None:
        def apply(copy: Copy) -> object:
            memories = copy.memories(user)
            return copy.memory.memories.merge(
                [_at(memories, first).id, _at(memories, second).id], user_id=user
            )

        self.run(apply)

    @rule(user=st.sampled_from(USERS))
    def undo(self, user: str) -> None:
        self.run(lambda copy: copy.memory.memories.undo(user_id=user))

    @rule(
        user=st.sampled_from(USERS),
        category=st.sampled_from(("profile", "emotion", "biography")),
        granted=st.booleans(),
    )
    def consent(self, user: str, category: str, granted: bool) -> None:
        self.run(lambda copy: copy.memory.privacy.consent(category, granted=granted, user_id=user))

    @rule(user=st.sampled_from(USERS))
    def set_profile(self, user: str) -> None:
        self.run(lambda copy: copy.memory.profile.set({"freeformNotes": f"notes of {user}"}, user_id=user))

    @rule(user=st.sampled_from(USERS), chat=st.sampled_from((*CHATS, None)))
    def erase(self, user: str, chat: str | None) -> None:
        def apply(copy: Copy) -> object:
            if chat is None:
                # Receipts are stored soon rather than at once, and with them a user of whom nothing else is known.
                _at([*copy.memories(user), *copy.message_ids(user)], 0)
                return copy.store.erasure.erase_user(user).rows
            return copy.store.erasure.erase_chat(Scope(user, chat)).rows

        self.run(apply)

    @rule(user=st.sampled_from(USERS), number=st.integers(0, 3), days=st.integers(1, 40))
    def remember_for_a_while(self, user: str, number: int, days: int) -> None:
        def apply(copy: Copy) -> object:
            now = copy.clock.now()
            memory = a_memory(
                f"parks on level {number}",
                id=copy.ids.new(),
                user=user,
                created_at=now,
                updated_at=now,
                last_stated_at=now,
                expires_at=now + timedelta(days=days),
            )
            return copy.store.memories.add(memory)[1]

        self.run(apply)

    @rule(days=st.sampled_from((0.001, 1, 8, 40, 400)))
    def jump(self, days: float) -> None:
        for copy in self.copies.values():
            copy.clock.advance(timedelta(days=days))

    @rule(user=st.sampled_from(USERS))
    def maintain(self, user: str) -> None:
        self.run(lambda copy: copy.memory.maintenance.run(user_id=user))

    @rule(user=st.sampled_from(USERS), text=st.sampled_from(STATEMENTS[:10]))
    def crash_in_a_transaction(self, user: str, text: str) -> None:
        def apply(copy: Copy) -> object:
            with copy.store.transaction(user):
                copy.memory.add({"role": "user", "content": text}, user_id=user, chat_id="kitchen")
                copy.memory.add(text, user_id=user)
                raise Interrupted

        self.run(apply)
        self._reopen()

    @rule()
    def crash_with_a_job(self) -> None:
        """A worker dies with a job; its lease expires."""

        def apply(copy: Copy) -> object:
            now = copy.clock.now()
            job = copy.store.jobs.lease(now=now, until=now + timedelta(minutes=1))
            return job and (job.user, job.kind, job.key, job.attempts)

        self.run(apply)
        self._reopen()

    @rule(user=st.sampled_from(USERS), query=st.sampled_from(QUERIES))
    def search(self, user: str, query: str) -> None:
        self.run(
            lambda copy: sorted(item.text for item in copy.memory.search(query, user_id=user, limit=ALL))
        )

    def _reopen(self) -> None:
        for copy in self.copies.values():
            copy.memory.close()
            copy.open()


def _result(copy: Copy, change: Callable[[Copy], object]) -> object:
    try:
        return change(copy)
    except (RecollectError, Interrupted) as error:
        return type(error), str(error)


def _at(items: Sequence[Item], place: int) -> Item:
    if not items:
        raise NotFound("There is nothing yet.")
    return items[place % len(items)]


TestEqualStores = EqualStores.TestCase
TestEqualStores.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck)
)
