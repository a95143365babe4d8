"""Store contract: related memories, versions, pruning, summaries, chat modes and token caps."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.embedding_model import ACTIVE_MODEL_KEY, EmbeddingModel
from recollect.domain.memory import ChangeKind, Kind, Memory, MemoryStatus, SourceSpan
from recollect.domain.message import Message, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Summary, SummaryKind
from recollect.errors import NotFound
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
BRUNO_SCOPE = Scope("bruno")
WORKING, CONVERSATION = SummaryKind.WORKING, SummaryKind.CONVERSATION


def add_messages(store: Store, *texts: str, role: Role = Role.USER, user: str = ANA) -> list[Message]:
    return [store.messages.add(a_message(text, role=role, user=user), ())[0] for text in texts]


def add_memory(store: Store, text: str, *messages: Message, **fields: object) -> Memory:
    spans = tuple(SourceSpan(message_id=m.id, start=0, end=len(m.content)) for m in messages)
    memory = replace(a_memory(text, spans=spans), **fields)  # type: ignore[arg-type]
    return store.memories.add(memory)[0]


def sorted_texts(memories: object) -> list[str]:
    return sorted(memory.text for memory in memories)  # type: ignore[attr-defined]


def a_summary(kind: SummaryKind, last: Message) -> Summary:
    return Summary(
        id=f"{kind}-{last.id}",
        user=ANA,
        chat=KITCHEN,
        kind=kind,
        text=f"up to {last.content}",
        created_at=MONDAY,
        last_message_id=last.id,
    )


def test_related_memories_share_text_attribute_source_or_successor(store: Store) -> None:
    [one, two] = add_messages(store, "I moved to Porto", "unrelated")
    porto = add_memory(store, "lives in Porto", one, attribute="lives_in")
    add_memory(store, "lives in Lisbon", attribute="lives_in", status=MemoryStatus.SUPERSEDED)
    add_memory(store, "moved house", one)
    add_memory(store, "was in Faro", superseded_by=porto.id, status=MemoryStatus.SUPERSEDED)
    add_memory(store, "loves jazz", two)
    add_messages(store, "I moved to Porto", user="bruno")
    store.memories.add(a_memory("lives in Porto", user="bruno", attribute="lives_in"))

    assert sorted_texts(store.memories.related(USER_SCOPE, [porto])) == [
        "lives in Lisbon",
        "lives in Porto",
        "moved house",
        "was in Faro",
    ]
    assert store.memories.related(USER_SCOPE, []) == []


def test_a_fact_that_is_not_stored_is_related_by_its_text(store: Store) -> None:
    add_memory(store, "Lives in Porto.")
    news = replace(a_memory("lives in porto"), id="new")

    assert sorted_texts(store.memories.related(USER_SCOPE, [news])) == ["Lives in Porto."]


def test_what_learning_depends_on_is_read_at_once(store: Store) -> None:
    [first, second, third] = add_messages(store, "one", "two", "three")
    add_memory(store, "a fact", second)
    store.consents.set(USER_SCOPE, "emotion", granted=False, now=MONDAY)
    store.tombstones.add(ANA, "hash", now=MONDAY)
    model = EmbeddingModel(id="letters", embedder="hashing", model="")
    store.preferences.set(ANA, ACTIVE_MODEL_KEY, model.to_json(), now=MONDAY)
    file = ContextFile(id="f", user=ANA, name="plan", content="Fly to Porto.", created_at=MONDAY)
    store.context_files.add(file)

    read = store.learning_context(
        USER_SCOPE, [third.id, first.id, "none"], fact_hashes=["hash", "other"], with_files=True
    )
    assert [message.id for message in read.messages] == [first.id, third.id]
    assert read.late_ids == {first.id}
    assert read.consents == store.consents.all(USER_SCOPE)
    assert read.forgotten_at == {"hash": MONDAY}
    assert read.context_files == [file]
    assert read.embedding_model == model
    assert store.learning_context(USER_SCOPE, [second.id]).late_ids == frozenset()
    assert not store.learning_context(USER_SCOPE, [second.id]).context_files


def test_what_learning_depends_on_is_of_one_user(store: Store) -> None:
    [first, second] = add_messages(store, "one", "two")
    add_memory(store, "a fact", second)
    store.tombstones.add(ANA, "hash", now=MONDAY)

    read = store.learning_context(BRUNO_SCOPE, [first.id], fact_hashes=["hash"], with_files=True)
    assert [*read.messages, *read.late_ids, *read.forgotten_at, *read.context_files] == []


def test_sources_can_be_added_without_a_new_version(store: Store) -> None:
    [first, second] = add_messages(store, "one", "two")
    memory = add_memory(store, "a fact", first)
    more = SourceSpan(message_id=second.id, start=0, end=2)
    store.memories.add_sources(USER_SCOPE, memory.id, [more, more])
    now = store.memories.get(USER_SCOPE, memory.id)

    assert (now.version, now.spans) == (1, (*memory.spans, more))


def test_a_version_is_restored_completely(store: Store) -> None:
    [first] = add_messages(store, "one")
    before = add_memory(
        store, "a fact", first, tags=("x",), attribute="slot", value="1", kind=Kind.BIOGRAPHY, pinned=True
    )
    store.memories.save(
        replace(before, text="other", tags=(), attribute=None, spans=(), valid_to=MONDAY), ChangeKind.UPDATE
    )

    assert store.memories.at_version(USER_SCOPE, before.id, 1) == before
    assert store.memories.at_version(USER_SCOPE, before.id, 2).text == "other"
    for scope, version in ((USER_SCOPE, 3), (BRUNO_SCOPE, 1)):
        with pytest.raises(NotFound):
            store.memories.at_version(scope, before.id, version)


def test_messages_are_returned_in_order(store: Store) -> None:
    first, second = add_messages(store, "zz first", "aa second")

    assert store.messages.get_many(USER_SCOPE, [second.id, "nobody", first.id]) == [first, second]
    assert store.messages.get_many(BRUNO_SCOPE, [first.id]) == []


@pytest.mark.spec("C-4")
@pytest.mark.parametrize(
    ("trivial_only", "left"),
    [(True, ["worth it", "waiting", "new 1", "new 2"]), (False, ["waiting", "new 1", "new 2"])],
)
def test_extracted_messages_beyond_the_last_few_are_pruned(
    store: Store, trivial_only: bool, left: list[str]
) -> None:
    for text, importance, extracted in (
        ("trivial", 0, True),
        ("worth it", 50, True),
        ("waiting", None, False),
        ("new 1", 0, True),
        ("new 2", 0, True),
    ):
        message = replace(a_message(text), importance=importance, extracted=extracted)
        store.messages.add(message, ())
    other = replace(a_message("elsewhere", chat="other"), importance=0, extracted=True)
    store.messages.add(other, ())
    store.messages.prune_raw(CHAT_SCOPE, keep=2, trivial_only=trivial_only, summarized_only=False)

    assert [message.content for message in store.messages.list(CHAT_SCOPE)] == left
    assert len(store.messages.list(Scope(ANA, "other"))) == 1


def test_messages_are_pruned_only_after_the_working_summary_covers_them(store: Store) -> None:
    messages = [replace(a_message(text), importance=0, extracted=True) for text in ("one", "two", "three")]
    for message in messages:
        store.messages.add(message, ())
    before = store.messages.prune_raw(CHAT_SCOPE, keep=0, trivial_only=False, summarized_only=True)
    store.summaries.add(a_summary(WORKING, messages[1]))
    after = store.messages.prune_raw(CHAT_SCOPE, keep=0, trivial_only=False, summarized_only=True)

    assert (before, after) == (0, 2)


@pytest.mark.spec("C-14", "TR-7")
def test_answers_are_counted_since_the_last_summary_of_a_kind(store: Store) -> None:
    [first] = add_messages(store, "answer 1", role=Role.ASSISTANT)
    add_messages(store, "question")
    store.summaries.add(a_summary(CONVERSATION, first))
    add_messages(store, "answer 2", "answer 3", role=Role.ASSISTANT)

    assert store.summaries.count_answers_since(CHAT_SCOPE, CONVERSATION) == 2
    assert store.summaries.count_answers_since(CHAT_SCOPE, WORKING) == 3
    assert store.summaries.count_answers_since(Scope("bruno", KITCHEN), CONVERSATION) == 0


def test_summaries_that_cover_a_message_are_deleted_with_all_later_ones(store: Store) -> None:
    first, second, third = add_messages(store, "one", "two", "three")
    for last in (first, second, third):
        store.summaries.add(a_summary(CONVERSATION, last))
    dropped = [
        store.summaries.delete_from(BRUNO_SCOPE, second.id),
        store.summaries.delete_from(USER_SCOPE, second.id),
    ]

    assert dropped == [0, 2]
    assert [summary.text for summary in store.summaries.list(CHAT_SCOPE)] == ["up to one"]


def test_the_mode_of_a_chat_is_stored(store: Store) -> None:
    store.chats.set_mode(CHAT_SCOPE, "off", now=MONDAY)
    add_messages(store, "hello")
    store.preferences.set(ANA, "preset", "dev", now=MONDAY)

    assert store.preferences.for_chat(CHAT_SCOPE) == ({"preset": "dev"}, "off")
    assert store.preferences.for_chat(Scope(ANA)) == ({"preset": "dev"}, None)
    assert store.preferences.for_chat(Scope("bruno", KITCHEN)) == ({}, None)
    assert store.chats.mode(CHAT_SCOPE) == "off"
    assert store.chats.mode(Scope(ANA, "other")) is None
    assert store.chats.mode(Scope("bruno", KITCHEN)) is None
    store.chats.set_mode(CHAT_SCOPE, None, now=MONDAY)
    assert store.chats.mode(CHAT_SCOPE) is None


def test_tokens_are_reserved_within_the_caps_and_settled_afterwards(store: Store) -> None:
    tomorrow = MONDAY + timedelta(days=1)

    def reserve(tokens: int, chat: str = "c", day: object = MONDAY) -> bool:
        return store.token_usage.reserve(
            Scope(ANA, chat),
            tokens,
            per_day=100,
            per_chat=150,
            now=day,  # type: ignore[arg-type]
        )

    assert [reserve(60), reserve(60), reserve(40)] == [True, False, True]
    store.token_usage.settle(Scope(ANA, "c"), 60, 10, now=MONDAY)
    assert store.token_usage.usage(USER_SCOPE, now=MONDAY) == (2, 50)
    assert [reserve(60, "d"), reserve(50, "d")] == [False, True]
    assert store.token_usage.usage(USER_SCOPE, now=tomorrow) == (0, 0)
    assert [reserve(90, day=tomorrow), reserve(20, day=tomorrow)] == [True, False]
    assert store.token_usage.usage(Scope(ANA, "c"), now=tomorrow) == (3, 140)
    assert store.token_usage.usage(BRUNO_SCOPE, now=MONDAY) == (0, 0)
