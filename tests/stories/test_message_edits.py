"""Edit, delete, regenerate or branch a message, and what was learned from it follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.contract.stores import STORE_FACTORIES, OpenStore, open_stores

from recollect import Memory
from recollect.domain.memory import Memory as Fact
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, NotFound
from recollect.ports.store import Store
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY, CountingIds, FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.in_memory.store import InMemoryStore
from recollect.testing.inspection import store_of

USER_SCOPE = Scope("ana")
STATEMENTS = (
    "I live in Lisbon.",
    "I moved to Porto.",
    "I live in Braga now.",
    "I'm vegetarian.",
    "I'm not vegetarian any more.",
    "I don't eat meat.",
    "I love jazz.",
    "I love jazz and I hate cilantro.",
    "My name is Ana.",
    "My name is Anna.",
    "I work as a nurse and I live in Faro.",
    "We decided to use PostgreSQL for the shop.",
    "I want to learn Rust this year.",
    "Thanks, good night!",
    "Não gosto de carne.",
    "Sou vegetariana.",
)


@dataclass(slots=True)
class EditedChat:
    """A memory, and the transcript it should agree with."""

    memory: Memory
    clock: FrozenClock
    messages: list[tuple[str, str, Any]] = field(default_factory=list)  #: id, text, when

    def add(self, text: str) -> str:
        self.clock.advance(timedelta(hours=1))
        message = {"role": "user", "content": text, "created_at": self.clock.now()}
        [stored] = self.memory.add(message, chat_id="c", sync=True).messages
        name = stored.id
        self.messages.append((name, text, self.clock.now()))
        return name

    def edit(self, position: int, text: str) -> None:
        name, _, at = self.messages[position]
        self.memory.chats.edit(name, text)
        self.messages[position] = (name, text, at)
        self.memory.flush()

    def delete(self, position: int) -> None:
        self.memory.chats.delete_message(self.messages.pop(position)[0])
        self.memory.flush()

    def memory_rows(self) -> list[tuple[object, ...]]:
        """What is known, without names and the time it was written down."""
        places = {name: place for place, (name, _, _) in enumerate(self.messages)}
        store = store_of(self.memory.application)
        facts = store.memories.list(USER_SCOPE, limit=1000, status=None)
        by_id = {fact.id: fact for fact in facts}
        return sorted((_comparable_row(fact, by_id, places) for fact in facts), key=repr)


def _comparable_row(fact: Fact, by_id: dict[str, Fact], positions: dict[str, int]) -> tuple[object, ...]:
    successor = by_id[fact.superseded_by].text if fact.superseded_by else None
    sources = sorted((positions[span.message_id], span.start, span.end) for span in fact.spans)
    return (
        fact.text,
        fact.kind,
        fact.status,
        fact.weight,
        fact.times_stated,
        fact.attribute,
        fact.value,
        successor,
        fact.created_at,
        fact.last_stated_at,
        fact.valid_from,
        fact.valid_to,
        tuple(sources),
    )


def open_chat(store: Store) -> EditedChat:
    clock = FrozenClock(MONDAY)
    memory = Memory(
        store=store,
        user_id="ana",
        embedder=LetterEmbedder(),
        clock=clock,
        ids=CountingIds(),
        settings={"worker": False},
    )
    return EditedChat(memory=memory, clock=clock)


def replay_rows(transcript: Sequence[tuple[str, str, Any]]) -> list[tuple[object, ...]]:
    """What is known when only the final transcript was ever heard."""
    chat = open_chat(InMemoryStore())
    for _, text, at in transcript:
        message = {"role": "user", "content": text, "created_at": at}
        [stored] = chat.memory.add(message, chat_id="c", sync=True).messages
        chat.messages.append((stored.id, text, at))
    return chat.memory_rows()


@pytest.fixture
def chat(open_store: OpenStore) -> Iterator[EditedChat]:
    opened_talk = open_chat(open_store())
    yield opened_talk
    opened_talk.memory.close()


statements = st.sampled_from(STATEMENTS)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("edit"), st.integers(0, 9), statements),
        st.tuples(st.just("delete"), st.integers(0, 9), st.just("")),
        st.tuples(st.just("say"), st.just(0), statements),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.spec("V2")
@pytest.mark.parametrize("kind", STORE_FACTORIES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=st.lists(statements, min_size=1, max_size=6), then=changes)
@example(first=["I live in Lisbon.", "I moved to Porto."], then=[("delete", 1, "")])
@example(first=["I'm vegetarian.", "Não gosto de carne."], then=[("delete", 0, "")])
@example(first=["My name is Ana.", "My name is Anna."], then=[("edit", 0, "I love jazz.")])
@example(
    first=["Sou vegetariana.", "I live in Lisbon.", "I'm not vegetarian any more."],
    then=[("edit", 1, "I don't eat meat.")],
)
def test_after_any_changes_memories_equal_those_of_the_final_transcript(
    kind: str, first: list[str], then: list[tuple[str, int, str]]
) -> None:
    with TemporaryDirectory() as folder, open_stores(kind, Path(folder)) as open_store:
        chat = open_chat(open_store())
        for text in first:
            chat.add(text)
        for what, place, text in then:
            if what == "say":
                chat.add(text)
            elif chat.messages:
                one = place % len(chat.messages)
                chat.edit(one, text) if what == "edit" else chat.delete(one)
        known = chat.memory_rows()
        chat.memory.close()

    assert known == replay_rows(chat.messages)


def test_what_is_judged_out_of_order_comes_to_the_same(open_store: OpenStore) -> None:
    """A message whose judge failed for a while is heard last, and takes the place it would have had."""
    clock, ids = FrozenClock(MONDAY), CountingIds()
    memory = Memory(
        store=open_store(),
        user_id="ana",
        embedder=LetterEmbedder(),
        clock=clock,
        ids=ids,
        settings={"worker": False},
    )
    chat = EditedChat(memory=memory, clock=clock)
    texts = ["I live in Lisbon.", "I'm vegetarian.", "I moved to Porto.", "Não gosto de carne."]
    services, policy = memory.application.services, memory.application.policy("ana")
    for text in texts:
        clock.advance(timedelta(hours=1))
        observed = memory.add({"role": "user", "content": text, "created_at": clock.now()}, chat_id="c")
        [stored] = observed.messages
        chat.messages.append((stored.id, text, clock.now()))
    for name, _, _ in reversed(chat.messages):
        pending = services.extraction.pending_messages(USER_SCOPE, name, policy)
        services.extraction.learn(
            USER_SCOPE, services.extraction.extract(USER_SCOPE, pending, policy), policy
        )

    assert chat.memory_rows() == replay_rows(chat.messages)
    memory.close()


@pytest.mark.spec("D2", "T5")
def test_another_answer_takes_back_what_the_first_one_taught(open_store: OpenStore) -> None:
    model = ScriptedChatModel(
        '[{"t":"obj","c":"the table is booked for Friday","w":0.8}]',
        '[{"t":"obj","c":"the table is booked for Sunday","w":0.8}]',
    )
    with Memory(
        store=open_store(), chat_model=model, embedder=LetterEmbedder(), settings={"worker": False}
    ) as memory:
        memory.add(
            {"role": "assistant", "content": "Done: the table is booked for Friday."}, chat_id="c", sync=True
        )
        before = _texts(memory.get_all())
        memory.chats.regenerate("c", "Done: the table is booked for Sunday.")
        gone = _texts(memory.get_all())
        memory.flush()

        assert (before, gone) == (["the table is booked for Friday"], [])
        assert _texts(memory.get_all()) == ["the table is booked for Sunday"]


def test_only_an_answer_can_be_made_anew(chat: EditedChat) -> None:
    chat.add("I live in Lisbon.")

    with pytest.raises(InvalidInput, match="is not an answer"):
        chat.memory.chats.regenerate("c", "You do.")


def test_a_memory_outlives_one_of_its_two_sources(chat: EditedChat) -> None:
    chat.add("I love jazz.")
    name = chat.add("I love jazz.")
    [before] = chat.memory.get_all()
    gone = chat.memory.chats.delete_message(name)
    [after] = chat.memory.get_all()

    assert gone == []
    assert before.id == after.id
    assert (before.times_stated, after.times_stated) == (2, 1)


def test_what_the_user_corrected_is_theirs_and_stays(chat: EditedChat) -> None:
    name = chat.add("I live in Lisbon.")
    [fact] = chat.memory.get_all()
    chat.memory.update(fact.id, "lives near Lisbon")
    chat.memory.chats.delete_message(name)

    assert _texts(chat.memory.get_all()) == ["lives near Lisbon"]


def test_what_was_forgotten_does_not_come_back_by_an_edit_elsewhere(chat: EditedChat) -> None:
    chat.add("I live in Lisbon.")
    other = chat.add("I love jazz and I hate cilantro.")
    [jazz] = [f for f in chat.memory.get_all() if "jazz" in str(f)]
    chat.memory.delete(jazz.id)
    chat.memory.chats.edit(other, "I love jazz and I hate olives.")
    chat.memory.flush()

    assert not any("jazz" in text for text in _texts(chat.memory.get_all()))
    assert any("olives" in text for text in _texts(chat.memory.get_all()))


def test_saying_it_anew_brings_it_back(chat: EditedChat) -> None:
    chat.add("I love jazz.")
    [jazz] = chat.memory.get_all()
    chat.memory.delete(jazz.id)
    chat.add("I love jazz.")

    assert len(_texts(chat.memory.get_all())) == 1


def test_a_deleted_chat_takes_along_what_rests_on_it_alone(chat: EditedChat) -> None:
    chat.add("I love jazz.")
    chat.add("I live in Lisbon.")
    chat.memory.add({"role": "user", "content": "I love jazz."}, chat_id="other", sync=True)
    gone = chat.memory.chats.delete("c")

    assert [text for text in _texts(gone) if "Lisbon" in text]
    assert len(_texts(chat.memory.get_all())) == 1
    with pytest.raises(NotFound):
        store_of(chat.memory.application).chats.get(Scope("ana", "c"))


def test_a_branch_stands_behind_what_was_learned_and_counts_nothing_twice(chat: EditedChat) -> None:
    chat.add("I love jazz.")
    second = chat.add("I live in Lisbon.")
    chat.add("I hate cilantro.")
    branched = chat.memory.chats.branch(second, "again")
    [before] = [f for f in chat.memory.get_all() if "jazz" in str(f)]
    chat.memory.chats.delete("c")
    left = chat.memory.get_all()

    assert branched.message_count == 2
    assert before.times_stated == 1
    assert sorted(f.text for f in left if f.times_stated == 1) == sorted(
        text for text in _texts(chat.memory.get_all()) if "cilantro" not in text
    )
    assert len(left) == 2


def test_a_branch_needs_a_name_of_its_own(chat: EditedChat) -> None:
    name = chat.add("I love jazz.")

    with pytest.raises(InvalidInput, match="already"):
        chat.memory.chats.branch(name, "c")


def test_a_summary_that_told_of_a_changed_message_is_made_anew(chat: EditedChat) -> None:
    first = chat.add("We decided to use MongoDB for the shop.")
    chat.memory.chats.summarize("c")
    chat.memory.chats.edit(first, "We decided to use PostgreSQL for the shop.")

    assert chat.memory.chats.summaries(chat_id="c") == []
    assert "PostgreSQL" in str(chat.memory.chats.summarize("c"))


def _texts(answer: Any) -> list[str]:  # noqa: ANN401
    return [each.text for each in answer]
