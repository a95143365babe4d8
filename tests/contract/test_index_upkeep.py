"""
Store contract: after any sequence of writes the indexes are those of the rows.

Each sequence runs on the store and on the in-memory store, which has no indexes. Both must find the same, before and
after the indexes are rebuilt.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.contract.stores import SHARED_STORES, STORE_FACTORIES, discard_store

from recollect.domain.candidate import SearchFilter, Source
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus, SourceSpan
from recollect.domain.message import Chunk, Message, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.ports.store import Store
from recollect.testing.builders import ANA, a_memory, a_message, chunks_of
from recollect.testing.clock import MONDAY
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.in_memory.store import InMemoryStore

VOCABULARY = ("soup", "salt", "saffron", "bread", "butter")
EMBEDDER = LetterEmbedder()
MODEL = EMBEDDER.model_id
Observation: TypeAlias = dict[str, object]
Write: TypeAlias = Callable[[Store], object]

texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6).map(" ".join)
users = st.sampled_from([ANA, "bruno"])
chats = st.sampled_from(["kitchen", "garden"])
roles = st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM])


def split_text(text: str) -> tuple[Chunk, ...]:
    return chunks_of(*(f"{word} " for word in text.split())) if " " in text else ()


def observe(store: Store) -> Observation:
    """Return what can be found, by user, scope and word; vectors are quantized, so only their order of size counts."""
    observation: Observation = {}
    for user in (ANA, "bruno"):
        scopes = [Scope(user), Scope(user, "kitchen")]
        for scope in scopes:
            for source in (None, Source.MEMORY):
                search_filter = (
                    SearchFilter() if source is None else SearchFilter(sources=frozenset({source}))
                )
                for word in VOCABULARY:
                    lexical = store.search.lexical(scope, word, limit=500, search_filter=search_filter)
                    scores = {hit.passage_id: round(hit.score, 6) for hit in lexical}
                    loaded = store.search.load(scope, scores, search_filter=search_filter)
                    found = sorted((c.source, c.id, c.text, scores[number]) for number, c in loaded.items())
                    observation[f"{scope} {source} {word}"] = found
                dense = store.search.dense(
                    scope, EMBEDDER.embed_query("soup"), model=MODEL, limit=500, search_filter=search_filter
                )
                near = store.search.load(
                    scope, [hit.passage_id for hit in dense], search_filter=search_filter
                )
                observation[f"{scope} {source} vectors"] = sorted((c.source, c.id) for c in near.values())
        queued = store.vectors.queue(user, limit=500).passages
        observation[f"{user} queue"] = sorted(passage.text for passage in queued)
        observation[f"{user} vectors"] = store.vectors.count_by_model(user)
    return observation


def embed_pending(store: Store) -> None:
    for user in (ANA, "bruno"):
        pending = store.vectors.queue(user, limit=500).passages
        store.vectors.put(user, MODEL, [(each, EMBEDDER.embed_query(each.text)) for each in pending])


class IndexMachine(RuleBasedStateMachine):
    store_name = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = STORE_FACTORIES[self.store_name](Path(self.folder.name))
        self.reference = InMemoryStore()
        self.count = 0

    def write(self, change: Write) -> None:
        for store in (self.store, self.reference):
            change(store)

    def new_id(self) -> str:
        self.count += 1
        return f"id{self.count:04}"

    @rule(text=texts, user=users, chat=chats, role=roles)
    def add_message(self, text: str, user: str, chat: str, role: Role) -> None:
        message = a_message(text, id=self.new_id(), user=user, chat=chat, role=role, extracted=True)
        self.write(lambda store: store.messages.add(message, split_text(text)))

    @rule(text=texts, user=users, data=st.data())
    def add_memory(self, text: str, user: str, data: st.DataObject) -> None:
        messages = self.reference.messages.list(Scope(user))
        used = data.draw(st.lists(st.sampled_from(messages), max_size=2)) if messages else []
        spans = tuple(SourceSpan(message_id=m.id, start=0, end=len(m.content)) for m in used)
        chat = used[0].chat if used else None
        memory = a_memory(f"likes {text}", id=self.new_id(), user=user, chat=chat, spans=spans)
        self.write(lambda store: store.memories.add(memory))

    @rule()
    def optimize_the_indexes(self) -> None:
        self.write(lambda store: store.indexes and store.indexes.optimize())

    @rule(text=texts, user=users, chat=chats)
    def add_summary(self, text: str, user: str, chat: str) -> None:
        messages = self.reference.messages.list(Scope(user, chat))
        if messages:
            summary = Summary(
                id=self.new_id(),
                user=user,
                chat=chat,
                kind=SummaryKind.CONVERSATION,
                text=f"They talked about {text}",
                created_at=MONDAY,
                last_message_id=messages[-1].id,
            )
            self.write(lambda store: store.summaries.add(summary))

    @rule()
    def embed(self) -> None:
        self.write(embed_pending)

    @precondition(lambda self: self.messages())
    @rule(text=texts, data=st.data())
    def edit_message(self, text: str, data: st.DataObject) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        scope = Scope(message.user)
        self.write(lambda store: store.messages.edit(scope, message.id, text, split_text(text), 3))

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), size=st.integers(0, 3))
    def split_again(self, data: st.DataObject, size: int) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        chunks = split_text(message.content)[:size]
        self.write(lambda store: store.messages.replace_chunks(Scope(message.user), message.id, chunks))

    @precondition(lambda self: self.messages())
    @rule(data=st.data())
    def delete_message(self, data: st.DataObject) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        self.write(lambda store: store.summaries.delete_from(Scope(message.user), message.id))
        self.write(lambda store: store.messages.delete(Scope(message.user), message.id))

    @precondition(lambda self: self.memories())
    @rule(text=texts, data=st.data())
    def edit_memory(self, text: str, data: st.DataObject) -> None:
        memory = data.draw(st.sampled_from(self.memories()))
        changed = replace(memory, text=f"likes {text} more")
        if self.reference.memories.by_hash(Scope(memory.user), changed.fact_hash) is None:
            self.write(lambda store: store.memories.save(changed, ChangeKind.UPDATE))

    @precondition(lambda self: self.memories())
    @rule(data=st.data(), status=st.sampled_from([MemoryStatus.FORGOTTEN, MemoryStatus.ARCHIVED]))
    def remove_memory(self, data: st.DataObject, status: MemoryStatus) -> None:
        memory = data.draw(st.sampled_from(self.memories()))
        self.write(lambda store: store.memories.save(replace(memory, status=status), ChangeKind.DELETE))

    @precondition(lambda self: len(self.memories()) > 1)
    @rule(data=st.data())
    def merge_memories(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(self.memories()))
        others = [each for each in self.memories() if each.user == target.user and each.id != target.id]
        if others:
            other = others[0]
            merged = replace(other, status=MemoryStatus.SUPERSEDED, superseded_by=target.id)
            self.write(lambda store: store.memories.save(merged, ChangeKind.MERGE))
            self.write(lambda store: store.memories.add_sources(Scope(target.user), target.id, other.spans))

    @precondition(lambda self: self.memories())
    @rule(data=st.data())
    def erase_memory(self, data: st.DataObject) -> None:
        memory = data.draw(st.sampled_from(self.memories()))
        self.write(lambda store: store.erasure.erase_memory(Scope(memory.user), memory.id))

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), erases=st.booleans())
    def delete_chat(self, data: st.DataObject, erases: bool) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        scope = Scope(message.user, message.chat)
        self.write(lambda store: store.erasure.erase_chat(scope) if erases else store.chats.delete(scope))

    @precondition(lambda self: self.messages())
    @rule(data=st.data())
    def erase_user(self, data: st.DataObject) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        self.write(lambda store: store.erasure.erase_user(message.user))

    @invariant()
    def both_find_the_same(self) -> None:
        assert observe(self.store) == observe(self.reference)

    def messages(self) -> list[Message]:
        return [m for user in (ANA, "bruno") for m in self.reference.messages.list(Scope(user))]

    def memories(self) -> list[Memory]:
        return [m for user in (ANA, "bruno") for m in self.reference.memories.list(Scope(user))]

    def teardown(self) -> None:
        indexes = self.store.indexes
        assert indexes is not None
        embed_pending(self.store)
        before = observe(self.store)
        assert indexes.repair() == 0
        for index in ("fulltext", "vectors"):
            indexes.rebuild(index)
        embed_pending(self.store)
        after = observe(self.store)
        failed = [check for check in self.store.maintenance.check(deep=True) if not check.ok]
        self.store.close()
        discard_store(self.store_name, Path(self.folder.name))
        self.folder.cleanup()

        assert after == before
        assert failed == []


@pytest.mark.parametrize("store_name", SHARED_STORES)
def test_indexes_equal_rebuilt_ones_after_any_sequence_of_writes(store_name: str) -> None:
    machine = type("NamedIndexMachine", (IndexMachine,), {"store_name": store_name})

    # Shrinking would repeat hundreds of durable writes.
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15, stateful_step_count=20, deadline=None, phases=[Phase.explicit, Phase.generate]
        ),
    )
