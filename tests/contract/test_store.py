"""Store contract: messages, chats, memories, preferences, receipts and transactions."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.contract.stores import OpenStore

from recollect.domain.memory import ChangeKind, Kind, MemoryStatus, MemoryVersion, Origin, SourceSpan
from recollect.domain.message import Chat, ChunkKind, Message, MessageType, Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.errors import NotFound, Refused, StoreError
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, a_receipt, chunks_of, without_texts
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
BRUNO_SCOPE = Scope("bruno")
HOUR = timedelta(hours=1)
SOUP = a_message("The soup needs salt")
BREAD = a_message("The bread is in the oven", created_at=MONDAY + HOUR)
TEA = a_message("Tea at five", chat="garden", created_at=MONDAY + 2 * HOUR)
VEGETARIAN = a_memory("is vegetarian", kind=Kind.PREFERENCE)


class RollbackError(Exception):
    """Raised to roll a transaction back."""


def add_messages(store: Store, *messages: Message) -> None:
    for message in messages:
        store.messages.add(message, ())


# Messages


@pytest.mark.spec("E1", "E16")
def test_a_message_comes_back_as_it_wwithout_texts(store: Store) -> None:
    message = a_message(
        "The oven says 180°",
        role=Role.TOOL,
        tool_calls='[{"name": "oven"}]',
        tool_call_id="call-1",
        client_id="from-the-phone",
        original_bytes=90_000,
        extracted=True,
    )

    assert store.messages.add(message, ()) == (message, True)
    assert store.messages.get(USER_SCOPE, message.id) == message


@pytest.mark.parametrize(
    "text", ["café ☕ 👩‍👩‍👧", "two\nlines\t", "'; DROP TABLE messages; --", "x" * 100_000]
)
def test_any_text_comes_back_unchanged(store: Store, text: str) -> None:
    message = a_message(text)
    store.messages.add(message, ())

    assert store.messages.get(CHAT_SCOPE, message.id).content == text


def test_a_known_client_id_returns_the_first_message_and_stores_nothing(store: Store) -> None:
    first = a_message("Hello from the phone", client_id="1")
    again = a_message("Hello once more", client_id="1", chat="garden")
    store.messages.add(first, ())

    assert store.messages.add(again, chunks_of("Hello ", "once more")) == (first, False)
    assert store.messages.list(USER_SCOPE) == [first]
    assert [chat.id for chat in store.chats.list(USER_SCOPE)] == [KITCHEN]


@pytest.mark.spec("C-22")
def test_two_users_may_have_the_same_client_id(store: Store) -> None:
    ana, bruno = (a_message("Hello", user=user, client_id="1") for user in (ANA, "bruno"))

    assert [store.messages.add(message, ()) for message in (ana, bruno)] == [(ana, True), (bruno, True)]


def test_messages_without_a_client_id_are_never_deduplicated(store: Store) -> None:
    twice = [a_message("ok", id="one"), a_message("ok", id="two")]
    add_messages(store, *twice)

    assert store.messages.list(CHAT_SCOPE) == twice


def test_the_last_messages_are_listed_in_order(store: Store) -> None:
    add_messages(store, SOUP, TEA, BREAD)

    assert store.messages.list(USER_SCOPE) == [SOUP, TEA, BREAD]
    assert store.messages.list(USER_SCOPE, limit=2) == [TEA, BREAD]
    assert store.messages.list(USER_SCOPE, newest_first=True) == [BREAD, TEA, SOUP]
    assert store.messages.list(CHAT_SCOPE) == [SOUP, BREAD]


def test_a_message_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    soup, tea = replace(SOUP, id="01ab12"), replace(TEA, id="01ab34")
    add_messages(store, soup, tea)

    assert store.messages.get(USER_SCOPE, "01ab1") == store.messages.get(USER_SCOPE, "01ab12") == soup
    for wrong in ("", "01ab", "01ab120"):
        with pytest.raises(NotFound):
            store.messages.get(USER_SCOPE, wrong)
    with pytest.raises(NotFound):
        store.messages.get(Scope("bruno"), soup.id)


def test_messages_can_be_paged_backwards(store: Store) -> None:
    add_messages(store, SOUP, TEA, BREAD)

    assert store.messages.list(USER_SCOPE, limit=1, before=BREAD.id) == [TEA]
    assert store.messages.list(USER_SCOPE, limit=1, before=TEA.id) == [SOUP]
    assert store.messages.list(USER_SCOPE, before=SOUP.id) == []


def test_recent_messages_include_important_earlier_ones(store: Store) -> None:
    def annotated(text: str, importance: int, summary: str | None, role: Role = Role.USER) -> Message:
        return replace(a_message(text, role=role), importance=importance, summary=summary)

    talk = [annotated(f"Step {n}", 10 * n, f"Step {n}.") for n in range(1, 7)]
    rules, plain = annotated("Be brief", 90, "Brief.", Role.SYSTEM), annotated("Well, then", 90, None)
    add_messages(store, rules, *talk[:4], plain, TEA, *talk[4:])

    def tail(*, whole: int = 2, limit: int = 99, above: int = 25, scope: Scope = CHAT_SCOPE) -> list[Message]:
        return list(store.messages.recent(scope, full=whole, limit=limit, importance_above=above))

    assert tail() == [talk[2], talk[3], *talk[4:]]
    assert tail(above=100) == talk[4:]
    assert tail(whole=3) == [talk[2], talk[3], plain, *talk[4:]]
    assert tail(whole=99) == [*talk[:4], plain, *talk[4:]]
    assert tail(whole=0, limit=3) == talk[4:]
    assert tail(whole=0, limit=3, above=55) == talk[5:]
    assert tail(scope=Scope("bruno", KITCHEN)) == tail(scope=Scope(ANA, "cellar")) == []


@pytest.mark.spec("C-22")
def test_a_message_of_another_user_is_not_found(store: Store) -> None:
    add_messages(store, SOUP, a_message("Mine", user="bruno"))
    absent: list[Callable[[], object]] = [
        lambda: store.messages.get(BRUNO_SCOPE, SOUP.id),
        lambda: store.messages.edit(BRUNO_SCOPE, SOUP.id, "pepper", (), 1),
        lambda: store.messages.delete(BRUNO_SCOPE, SOUP.id),
        lambda: store.messages.annotate(
            BRUNO_SCOPE, SOUP.id, importance=9, summary=None, kind=MessageType.CHAT
        ),
        lambda: store.messages.replace_chunks(BRUNO_SCOPE, SOUP.id, ()),
        lambda: store.messages.chunks(BRUNO_SCOPE, SOUP.id),
        lambda: store.messages.get(Scope(ANA, "garden"), SOUP.id),
        lambda: store.messages.get(USER_SCOPE, "nobody"),
    ]

    for ask in absent:
        with pytest.raises(NotFound):
            ask()
    store.messages.mark_extracted(BRUNO_SCOPE, [SOUP.id])
    assert store.messages.get(USER_SCOPE, SOUP.id) == SOUP


@pytest.mark.spec("C-22")
def test_lists_of_messages_have_only_those_of_the_user_even_in_chats_with_the_same_id(store: Store) -> None:
    mine, rows_of_other_user = replace(SOUP, tokens=300), replace(a_message("Mine", user="bruno"), tokens=300)
    add_messages(store, mine, rows_of_other_user)
    for message in (mine, rows_of_other_user):
        scope = Scope(message.user)
        lists = [
            store.messages.list(scope),
            store.messages.list(Scope(message.user, KITCHEN)),
            store.messages.list_unextracted(scope, limit=9),
            store.messages.list_unextracted(Scope(message.user, KITCHEN), limit=9),
            store.messages.list_unchunked(scope, after=None, tokens_above=200, limit=9),
        ]
        assert lists == [[message]] * 5

    assert store.messages.list(USER_SCOPE, before=rows_of_other_user.id) == []
    assert store.messages.list_unchunked(
        USER_SCOPE, after=rows_of_other_user.id, tokens_above=200, limit=9
    ) == [mine]


@pytest.mark.spec("E1")
def test_the_annotations_of_a_message_are_stored(store: Store) -> None:
    add_messages(store, SOUP)
    store.messages.annotate(
        CHAT_SCOPE, SOUP.id, importance=80, summary="Salt the soup.", kind=MessageType.DECISION
    )

    assert store.messages.get(CHAT_SCOPE, SOUP.id) == replace(
        SOUP, importance=80, summary="Salt the soup.", message_type=MessageType.DECISION, extracted=True
    )


def test_editing_a_message_clears_its_annotations_and_marks_it_unextracted(store: Store) -> None:
    store.messages.add(replace(SOUP, extracted=True), ())
    store.messages.annotate(CHAT_SCOPE, SOUP.id, importance=80, summary="Salt.", kind=MessageType.CHAT)
    store.messages.edit(CHAT_SCOPE, SOUP.id, "The soup needs pepper", (), 7)

    assert store.messages.get(CHAT_SCOPE, SOUP.id) == replace(SOUP, content="The soup needs pepper", tokens=7)


def test_a_deleted_message_is_not_found(store: Store) -> None:
    add_messages(store, SOUP, BREAD)
    store.messages.delete(CHAT_SCOPE, SOUP.id)

    assert store.messages.list(USER_SCOPE) == [BREAD]
    with pytest.raises(NotFound):
        store.messages.get(CHAT_SCOPE, SOUP.id)


@pytest.mark.spec("W3")
def test_system_messages_are_never_extracted(store: Store) -> None:
    system = a_message("You are a cook", role=Role.SYSTEM)
    extracted_message = a_message("I was read before", extracted=True)
    add_messages(store, SOUP, system, extracted_message, TEA)

    assert store.messages.list_unextracted(USER_SCOPE, limit=9) == [SOUP, TEA]
    assert store.messages.list_unextracted(CHAT_SCOPE, limit=9) == [SOUP]
    assert store.messages.list_unextracted(USER_SCOPE, limit=1) == [SOUP]


def test_an_extracted_message_is_not_listed_as_unextracted(store: Store) -> None:
    add_messages(store, SOUP, TEA)
    store.messages.mark_extracted(USER_SCOPE, [SOUP.id])

    assert store.messages.list_unextracted(USER_SCOPE, limit=9) == [TEA]
    assert store.messages.get(CHAT_SCOPE, SOUP.id).extracted


@pytest.mark.spec("E11")
def test_the_chunks_of_a_message_are_stored_in_order(store: Store) -> None:
    prose, code = chunks_of("Mix it like this: ", "mix(flour, water)")
    chunks = (prose, replace(code, kind=ChunkKind.CODE, language="python"))
    store.messages.add(SOUP, chunks)

    assert store.messages.chunks(CHAT_SCOPE, SOUP.id) == list(chunks)


def test_new_chunks_replace_the_old_ones(store: Store) -> None:
    store.messages.add(SOUP, chunks_of("The soup ", "needs salt"))
    edited = chunks_of("The soup ", "needs ", "pepper")
    store.messages.edit(CHAT_SCOPE, SOUP.id, "The soup needs pepper", edited, 5)

    assert store.messages.chunks(CHAT_SCOPE, SOUP.id) == list(edited)


@pytest.mark.spec("W3")
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
def test_system_and_tool_messages_are_never_chunked(store: Store, role: Role) -> None:
    message = a_message("You are a cook", role=role)
    store.messages.add(message, chunks_of("You are ", "a cook"))
    store.messages.replace_chunks(CHAT_SCOPE, message.id, chunks_of("You are ", "a cook"))

    assert store.messages.chunks(CHAT_SCOPE, message.id) == []


@pytest.mark.spec("U2")
def test_long_messages_without_chunks_can_be_listed_in_batches(store: Store) -> None:
    long = [replace(a_message(f"Recipe number {n}"), tokens=300) for n in range(4)]
    add_messages(store, SOUP, *long, replace(a_message("A manual", role=Role.TOOL), tokens=900))
    store.messages.replace_chunks(CHAT_SCOPE, long[1].id, chunks_of("Recipe ", "number 1"))

    first = store.messages.list_unchunked(USER_SCOPE, after=None, tokens_above=200, limit=2)

    assert first == [long[0], long[2]]
    assert store.messages.list_unchunked(USER_SCOPE, after=first[-1].id, tokens_above=200, limit=2) == [
        long[3]
    ]


# Chats


def test_the_first_message_creates_a_chat_and_chats_are_ordered_by_last_use(store: Store) -> None:
    add_messages(store, SOUP, TEA, BREAD)
    kitchen = Chat(
        id=KITCHEN, user=ANA, title=None, created_at=MONDAY, updated_at=MONDAY + HOUR, message_count=2
    )
    garden = replace(
        kitchen, id="garden", created_at=TEA.created_at, updated_at=TEA.created_at, message_count=1
    )

    assert store.chats.list(USER_SCOPE) == [garden, kitchen]
    assert store.chats.list(USER_SCOPE, limit=1) == [garden]
    assert store.chats.get(CHAT_SCOPE) == kitchen


def test_a_late_older_message_does_not_change_the_last_use_of_a_chat(store: Store) -> None:
    add_messages(store, BREAD, SOUP)

    assert store.chats.get(CHAT_SCOPE).updated_at == BREAD.created_at


def test_the_first_line_of_a_chat_is_available_until_it_is_deleted(store: Store) -> None:
    first = a_message("Shall we cook?")
    for message in (a_message("You are a cook", role=Role.SYSTEM), first, a_message("Saffron it is")):
        store.messages.add(message, ())
    store.messages.add(a_message("Only rules", chat="rules", role=Role.SYSTEM), ())

    assert store.chats.first_lines(Scope(ANA), [KITCHEN, "rules", "nowhere"]) == {KITCHEN: "Shall we cook?"}
    assert store.chats.first_lines(Scope("bruno"), [KITCHEN]) == {}
    store.messages.delete(Scope(ANA), first.id)
    assert store.chats.first_lines(Scope(ANA), [KITCHEN]) == {KITCHEN: "Saffron it is"}


def test_a_chat_can_have_a_title(store: Store) -> None:
    add_messages(store, SOUP)
    store.chats.rename(CHAT_SCOPE, "What we cook")

    assert store.chats.get(CHAT_SCOPE).title == "What we cook"


@pytest.mark.spec("C-22")
def test_a_chat_of_another_user_is_not_found(store: Store) -> None:
    add_messages(store, SOUP, a_message("Mine", user="bruno", chat="cellar"))
    rows_of_other_user = Scope("bruno", KITCHEN)

    for ask in (store.chats.get, store.chats.delete, lambda scope: store.chats.rename(scope, "Ours now")):
        with pytest.raises(NotFound):
            ask(rows_of_other_user)
    assert [chat.id for chat in store.chats.list(BRUNO_SCOPE)] == ["cellar"]
    assert store.chats.get(CHAT_SCOPE).title is None


def test_deleting_a_chat_deletes_its_messages_and_keeps_memories_without_source(
    store: Store,
) -> None:
    add_messages(store, SOUP, TEA)
    span = SourceSpan(message_id=SOUP.id, start=0, end=4)
    remembered, _ = store.memories.add(a_memory("salts the soup", chat=KITCHEN, spans=(span,)))
    store.chats.delete(CHAT_SCOPE)

    assert store.messages.list(USER_SCOPE) == [TEA]
    assert [chat.id for chat in store.chats.list(USER_SCOPE)] == ["garden"]
    assert store.memories.get(USER_SCOPE, remembered.id) == replace(remembered, chat=None, spans=())


# Memories


@pytest.mark.spec("E13", "E18")
def test_a_memory_comes_back_as_it_wwithout_texts(store: Store) -> None:
    add_messages(store, SOUP)
    memory = a_memory(
        "put salt in the soup",
        chat=KITCHEN,
        kind=Kind.EVENT,
        weight=0.35,
        origin=Origin.RULES,
        speaker=Role.ASSISTANT,
        tags=("food", "ção"),
        attribute="last dish",
        valid_from=MONDAY - HOUR,
        valid_to=MONDAY + HOUR,
        expires_at=MONDAY + 9 * HOUR,
        pinned=True,
        spans=(
            SourceSpan(message_id=SOUP.id, start=4, end=8),
            SourceSpan(message_id=SOUP.id, start=9, end=14),
        ),
    )

    assert store.memories.add(memory) == (memory, True)
    assert store.memories.get(USER_SCOPE, memory.id) == memory


@pytest.mark.spec("F4")
@pytest.mark.parametrize("words", ["is vegetarian", "Is  Vegetarian.", "IS VEGETARIAN!", "is ｖegetarian"])
def test_the_same_active_fact_is_stored_once_despite_formatting(store: Store, words: str) -> None:
    store.memories.add(VEGETARIAN)

    assert store.memories.add(a_memory(words, id="another")) == (VEGETARIAN, False)
    assert store.memories.list(USER_SCOPE) == [VEGETARIAN]


@pytest.mark.spec("F4", "C-22")
def test_two_users_may_know_the_same_fact(store: Store) -> None:
    rows_of_other_user = a_memory("is vegetarian", user="bruno")
    store.memories.add(VEGETARIAN)

    assert store.memories.add(rows_of_other_user) == (rows_of_other_user, True)
    assert (store.memories.count(USER_SCOPE), store.memories.count(BRUNO_SCOPE)) == (1, 1)
    assert store.memories.list(BRUNO_SCOPE) == [rows_of_other_user]


def test_a_fact_that_is_no_longer_active_may_be_learned_again(store: Store) -> None:
    store.memories.add(replace(VEGETARIAN, status=MemoryStatus.ARCHIVED))
    again = replace(VEGETARIAN, id="again")

    assert store.memories.add(again) == (again, True)
    assert store.memories.by_hash(USER_SCOPE, VEGETARIAN.fact_hash) == again


def test_a_unique_id_prefix_is_sufficient(store: Store) -> None:
    store.memories.add(a_memory("likes tea", id="abc1"))
    store.memories.add(a_memory("likes cake", id="abd2"))

    assert store.memories.get(USER_SCOPE, "abc").text == "likes tea"
    for not_enough in ("ab", "", "x", "abc12"):
        with pytest.raises(NotFound):
            store.memories.get(USER_SCOPE, not_enough)


def test_a_complete_id_is_found_even_if_it_is_a_prefix_of_another(store: Store) -> None:
    store.memories.add(a_memory("likes tea", id="abc"))
    store.memories.add(a_memory("likes cake", id="abcd"))

    assert store.memories.get(USER_SCOPE, "abc").text == "likes tea"


@pytest.mark.spec("C-22")
def test_a_memory_of_another_user_is_not_found(store: Store) -> None:
    store.memories.add(VEGETARIAN)
    store.memories.add(a_memory("eats fish", user="bruno"))

    for ask in (store.memories.get, store.memories.history, store.memories.erase):
        with pytest.raises(NotFound):
            ask(BRUNO_SCOPE, VEGETARIAN.id)
    with pytest.raises(NotFound):
        store.memories.save(replace(VEGETARIAN, user="bruno"), ChangeKind.UPDATE)
    assert store.memories.by_hash(BRUNO_SCOPE, VEGETARIAN.fact_hash) is None
    assert [memory.text for memory in store.memories.list(BRUNO_SCOPE)] == ["eats fish"]


@pytest.mark.spec("E13")
def test_memories_are_listed_by_last_statement_and_can_be_filtered(store: Store) -> None:
    add_messages(store, SOUP)
    tea = a_memory("likes tea", last_stated_at=MONDAY + HOUR, tags=("drinks",), chat=KITCHEN)
    hurt = a_memory("feels tired", kind=Kind.EMOTION, last_stated_at=MONDAY + 2 * HOUR)
    gone = a_memory("lives in Porto", status=MemoryStatus.SUPERSEDED, last_stated_at=MONDAY + 3 * HOUR)
    for memory in (VEGETARIAN, tea, hurt, gone):
        store.memories.add(memory)

    list_memories = store.memories.list
    assert list_memories(USER_SCOPE) == [hurt, tea, VEGETARIAN]
    assert list_memories(USER_SCOPE, limit=1, offset=1) == [tea]
    assert list_memories(USER_SCOPE, kind=Kind.EMOTION) == [hurt]
    assert list_memories(USER_SCOPE, tag="drinks") == [tea]
    assert list_memories(CHAT_SCOPE) == [tea]
    assert list_memories(USER_SCOPE, status=MemoryStatus.SUPERSEDED) == [gone]
    assert list_memories(USER_SCOPE, status=None) == [gone, hurt, tea, VEGETARIAN]
    assert store.memories.count(USER_SCOPE) == 3


def test_memories_can_be_listed_by_source_message(store: Store) -> None:
    add_messages(store, SOUP, TEA, BREAD)
    spans = {m.id: SourceSpan(message_id=m.id, start=0, end=3) for m in (SOUP, TEA)}
    salt = a_memory("salts soup", spans=(spans[SOUP.id],))
    both = a_memory("eats and drinks", spans=tuple(spans.values()), status=MemoryStatus.ARCHIVED)
    for memory in (salt, both, VEGETARIAN):
        store.memories.add(memory)

    assert store.memories.of_messages(USER_SCOPE, [SOUP.id, BREAD.id]) == [salt, both]
    assert store.memories.of_messages(USER_SCOPE, [TEA.id]) == [both]
    assert store.memories.of_messages(BRUNO_SCOPE, [SOUP.id]) == []


def test_saving_a_memory_creates_a_version_and_keeps_the_old_text_in_its_history(store: Store) -> None:
    store.memories.add(VEGETARIAN, reason=Reason(ReasonCode.BY_USER))
    vegan = replace(VEGETARIAN, text="is vegan", weight=0.9, updated_at=MONDAY + HOUR)
    saved = store.memories.save(
        vegan, ChangeKind.UPDATE, reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": "is vegan"})
    )

    first = MemoryVersion(
        memory_id=VEGETARIAN.id,
        version=1,
        change=ChangeKind.ADD,
        text="is vegetarian",
        old_text=None,
        kind=Kind.PREFERENCE,
        weight=1.0,
        status=MemoryStatus.ACTIVE,
        changed_at=MONDAY,
        reason=Reason(ReasonCode.BY_USER),
    )
    second = replace(
        first,
        version=2,
        change=ChangeKind.UPDATE,
        text="is vegan",
        old_text="is vegetarian",
        weight=0.9,
        changed_at=MONDAY + HOUR,
        reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": "is vegan"}),
    )
    assert saved == replace(vegan, version=2) == store.memories.get(USER_SCOPE, VEGETARIAN.id)
    assert store.memories.history(USER_SCOPE, VEGETARIAN.id) == [first, second]


def test_saving_a_memory_replaces_its_sources(store: Store) -> None:
    add_messages(store, SOUP, TEA)
    soup, tea = (SourceSpan(message_id=m.id, start=0, end=3) for m in (SOUP, TEA))
    memory, _ = store.memories.add(a_memory("eats", spans=(soup,)))
    saved = store.memories.save(replace(memory, spans=(tea,)), ChangeKind.UPDATE)

    assert store.memories.get(USER_SCOPE, memory.id) == saved
    assert store.memories.of_messages(USER_SCOPE, [SOUP.id]) == []


def test_the_second_change_of_the_same_version_is_refused(store: Store) -> None:
    store.memories.add(VEGETARIAN)
    store.memories.save(replace(VEGETARIAN, weight=0.5), ChangeKind.UPDATE)

    with pytest.raises(Refused, match="version 2, not 1"):
        store.memories.save(replace(VEGETARIAN, text="eats everything"), ChangeKind.UPDATE)
    assert store.memories.get(USER_SCOPE, VEGETARIAN.id).text == "is vegetarian"
    assert len(store.memories.history(USER_SCOPE, VEGETARIAN.id)) == 2


@pytest.mark.spec("F4")
def test_a_memory_cannot_be_changed_to_duplicate_an_active_one(store: Store) -> None:
    store.memories.add(VEGETARIAN)
    fish, _ = store.memories.add(a_memory("eats fish"))

    with pytest.raises(Refused, match=VEGETARIAN.id):
        store.memories.save(replace(fish, text="Is vegetarian."), ChangeKind.UPDATE)
    assert store.memories.get(USER_SCOPE, fish.id) == fish


def test_an_erased_memory_leaves_no_version_behind(store: Store) -> None:
    store.memories.add(VEGETARIAN)
    store.memories.erase(USER_SCOPE, VEGETARIAN.id)

    for ask in (store.memories.get, store.memories.history):
        with pytest.raises(NotFound):
            ask(USER_SCOPE, VEGETARIAN.id)
    assert store.memories.list(USER_SCOPE, status=None) == []


@pytest.mark.spec("C-22")
@pytest.mark.parametrize(("busy", "idle"), [(ANA, "bruno"), ("bruno", ANA)])
def test_users_with_the_same_ids_change_only_their_own_rows(store: Store, busy: str, idle: str) -> None:
    span = SourceSpan(message_id="same", start=0, end=5)
    for user in (ANA, "bruno"):
        add_messages(store, a_message("Hello", user=user, id="same"))
        store.memories.add(a_memory("said hello", user=user, id="same", chat=KITCHEN, spans=(span,)))

    def rows_of_other_user() -> list[object]:
        return [
            store.messages.get(Scope(idle), "same"),
            store.chats.get(Scope(idle, KITCHEN)),
            store.memories.get(Scope(idle), "same"),
            store.memories.history(Scope(idle), "same"),
            store.memories.of_messages(Scope(idle), ["same"]),
        ]

    before, mine = rows_of_other_user(), Scope(busy)
    store.messages.annotate(mine, "same", importance=9, summary="Hi.", kind=MessageType.CHAT)
    store.messages.mark_extracted(mine, ["same"])
    store.messages.edit(mine, "same", "Good evening", chunks_of("Good evening"), 2)
    saved = replace(store.memories.get(mine, "same"), text="said hi", spans=())
    store.memories.save(saved, ChangeKind.UPDATE)
    store.chats.rename(Scope(busy, KITCHEN), "Mine")
    assert rows_of_other_user() == before
    store.memories.erase(mine, "same")
    store.messages.delete(mine, "same")
    store.chats.delete(Scope(busy, KITCHEN))

    assert rows_of_other_user() == before
    assert store.memories.get(Scope(idle), "same").spans == (span,)


# Preferences


@pytest.mark.spec("C-22")
def test_a_preference_belongs_to_one_user_and_can_be_removed(store: Store) -> None:
    store.preferences.set(ANA, "preset", "companion", now=MONDAY)
    store.preferences.set(ANA, "recall.limit", "5", now=MONDAY)
    store.preferences.set(ANA, "preset", "dev", now=MONDAY)
    store.preferences.set("bruno", "preset", "facts", now=MONDAY)
    store.preferences.set("bruno", "recall.limit", "7", now=MONDAY)
    store.preferences.set(ANA, "recall.limit", None, now=MONDAY)

    assert store.preferences.all(ANA) == {"preset": "dev"}
    assert store.preferences.all("bruno") == {"preset": "facts", "recall.limit": "7"}
    assert store.preferences.all("carla") == {}


# Receipts


def test_a_receipt_is_stored_without_texts_and_last_is_the_newest(store: Store) -> None:
    receipts = [a_receipt(query, chat=chat) for query, chat in (("dinner?", KITCHEN), ("tea?", None))]
    for receipt in receipts:
        store.receipts.add(receipt)
    first, second = map(without_texts, receipts)

    assert store.receipts.get(USER_SCOPE, first.id).query == "dinner?"
    assert store.receipts.get(USER_SCOPE, "last").id == second.id
    assert store.receipts.get(CHAT_SCOPE, "last").id == first.id
    assert store.receipts.list(USER_SCOPE) == [second, first]
    assert store.receipts.list(USER_SCOPE, limit=1) == [second]
    assert store.receipts.list(CHAT_SCOPE) == [first]


def test_the_texts_of_a_receipt_are_read_from_its_passages(store: Store) -> None:
    add_messages(store, SOUP)
    old, _ = store.memories.add(a_memory("eats soup"))
    store.memories.save(replace(old, text="eats no soup"), ChangeKind.UPDATE)
    memory_item, message_item = a_receipt("dinner?").items
    receipt = replace(
        a_receipt("dinner?"),
        items=(
            replace(memory_item, id=old.id, version=old.version),
            replace(message_item, id=SOUP.id),
            replace(message_item, id="erased"),
        ),
    )
    store.receipts.add(receipt)

    for read in (
        store.receipts.get(USER_SCOPE, receipt.id),
        *store.receipts.list(USER_SCOPE, with_texts=True),
    ):
        assert [(item.text, item.created_at, item.is_erased) for item in read.items] == [
            ("eats soup", old.created_at, False),
            (SOUP.content, SOUP.created_at, False),
            ("", None, True),
        ]


@pytest.mark.spec("C-22")
def test_a_receipt_of_another_user_is_not_found(store: Store) -> None:
    receipt = a_receipt("dinner?")
    store.receipts.add(receipt)

    for receipt_id in (receipt.id, "last"):
        with pytest.raises(NotFound):
            store.receipts.get(BRUNO_SCOPE, receipt_id)
    assert store.receipts.list(BRUNO_SCOPE) == []


def test_receipts_older_than_a_time_can_be_pruned(store: Store) -> None:
    old, new = a_receipt("dinner?"), a_receipt("tea?", at=MONDAY + HOUR)
    store.receipts.add(old)
    store.receipts.add(new)

    assert store.receipts.prune(MONDAY + HOUR) == 1
    assert store.receipts.list(USER_SCOPE) == [without_texts(new)]


# Transactions


@pytest.mark.spec("X1")
def test_an_unknown_user_has_empty_lists(store: Store) -> None:
    nobody = Scope("nobody")

    assert store.messages.list(nobody) == []
    assert store.messages.list_unextracted(nobody, limit=9) == []
    assert store.chats.list(nobody) == []
    assert store.memories.list(nobody) == []
    assert store.memories.count(nobody) == 0
    assert store.receipts.list(nobody) == []
    assert store.jobs.list(nobody) == []
    assert store.vectors.queue("nobody", limit=9).passages == []
    assert store.maintenance.stats(nobody).messages == 0
    assert store.users() == []


def test_everyone_with_stored_data_is_listed_as_a_user(store: Store) -> None:
    add_messages(store, SOUP, a_message("Mine", user="bruno"))

    assert store.users() == [ANA, "bruno"]


def test_all_of_a_transaction_is_stored_or_none_of_it(store: Store) -> None:
    def write_and_fail() -> None:
        with store.transaction(ANA):
            add_messages(store, SOUP)
            store.memories.add(VEGETARIAN)
            store.preferences.set(ANA, "preset", "dev", now=MONDAY)
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    assert store.users() == []
    assert store.messages.list(USER_SCOPE) == []
    assert store.memories.list(USER_SCOPE) == []
    assert store.preferences.all(ANA) == {}


def test_a_transaction_inside_another_joins_it(store: Store) -> None:
    def inner_ends_well_outer_does_not() -> None:
        with store.transaction(ANA):
            with store.transaction(ANA):
                add_messages(store, SOUP)
            add_messages(store, TEA)
            raise RollbackError

    with pytest.raises(RollbackError):
        inner_ends_well_outer_does_not()
    assert store.messages.list(USER_SCOPE) == []


def test_a_transaction_sees_its_writes_and_others_see_them_after_commit(
    store: Store, open_store: OpenStore
) -> None:
    other = open_store()
    with store.transaction(ANA):
        add_messages(store, SOUP)

        assert store.messages.list(USER_SCOPE) == [SOUP]
        assert other.messages.list(USER_SCOPE) == []
    assert other.messages.list(USER_SCOPE) == [SOUP]


def test_a_user_who_was_rolled_back_can_write_afterwards(store: Store) -> None:
    def write_and_fail() -> None:
        with store.transaction("bruno"):
            add_messages(store, a_message("Mine", user="bruno"))
            store.messages.list(BRUNO_SCOPE)
            raise RollbackError

    with pytest.raises(RollbackError):
        write_and_fail()
    add_messages(store, SOUP, a_message("Mine again", user="bruno"))

    assert [message.content for message in store.messages.list(USER_SCOPE)] == [SOUP.content]
    assert [message.content for message in store.messages.list(BRUNO_SCOPE)] == ["Mine again"]


def test_the_store_works_after_a_database_error(store: Store) -> None:
    add_messages(store, SOUP)

    with pytest.raises(StoreError):
        add_messages(store, replace(SOUP, content="the same id again"))
    add_messages(store, TEA)
    assert store.messages.list(USER_SCOPE) == [SOUP, TEA]


def test_data_persists_after_reopening_the_store(open_store: OpenStore) -> None:
    store = open_store()
    add_messages(store, SOUP)
    store.memories.add(VEGETARIAN)
    store.receipts.add(a_receipt("dinner?"))
    store.close()
    again = open_store()

    assert again.messages.list(USER_SCOPE) == [SOUP]
    assert again.memories.list(USER_SCOPE) == [VEGETARIAN]
    assert again.receipts.list(USER_SCOPE) == [without_texts(a_receipt("dinner?"))]


def test_stats_count_the_rows_of_one_user(store: Store) -> None:
    store.messages.add(SOUP, chunks_of("The soup ", "needs salt"))
    add_messages(store, TEA, a_message("Mine", user="bruno"))
    store.memories.add(VEGETARIAN)
    store.memories.add(a_memory("smokes", status=MemoryStatus.FORGOTTEN))
    stats = store.maintenance.stats(USER_SCOPE)

    counted: Mapping[str, int] = {
        "messages": stats.messages,
        "chats": stats.chats,
        "chunks": stats.chunks,
        "memories": stats.memories,
        "vectors": stats.vectors,
    }
    assert counted == {"messages": 2, "chats": 2, "chunks": 2, "memories": 1, "vectors": 0}


def test_all_checks_of_a_healthy_store_pass(store: Store) -> None:
    store.messages.add(SOUP, chunks_of("The soup ", "needs salt"))
    store.memories.add(VEGETARIAN)

    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []
