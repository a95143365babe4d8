"""What a store must know so that memories can follow their messages, modes hold, and caps are kept."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.memory import Change, Kind, Memory, Span, Standing
from recollect.domain.message import Message, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import NotFound
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY

MINE = Scope(ANA)
HERE = Scope(ANA, KITCHEN)
BRUNO = Scope("bruno")
WORKING, TALK = SummaryKind.WORKING, SummaryKind.CONVERSATION


def said(store: Store, *texts: str, role: Role = Role.USER, user: str = ANA) -> list[Message]:
    return [store.messages.add(a_message(text, role=role, user=user), ())[0] for text in texts]


def resting(store: Store, text: str, *messages: Message, **parts: object) -> Memory:
    spans = tuple(Span(message_id=m.id, start=0, end=len(m.content)) for m in messages)
    memory = replace(a_memory(text, spans=spans), **parts)  # type: ignore[arg-type]
    return store.memories.add(memory)[0]


def names(memories: object) -> list[str]:
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


def test_connected_is_what_shares_words_slot_source_or_place(store: Store) -> None:
    [one, two] = said(store, "I moved to Porto", "unrelated")
    porto = resting(store, "lives in Porto", one, attribute="lives_in")
    resting(store, "lives in Lisbon", attribute="lives_in", standing=Standing.SUPERSEDED)
    resting(store, "moved house", one)
    resting(store, "was in Faro", superseded_by=porto.id, standing=Standing.SUPERSEDED)
    resting(store, "loves jazz", two)
    said(store, "I moved to Porto", user="bruno")
    store.memories.add(a_memory("lives in Porto", user="bruno", attribute="lives_in"))

    assert names(store.memories.connected(MINE, [porto])) == [
        "lives in Lisbon",
        "lives in Porto",
        "moved house",
        "was in Faro",
    ]
    assert store.memories.connected(MINE, []) == []


def test_a_fact_that_is_not_stored_is_connected_by_its_words(store: Store) -> None:
    resting(store, "Lives in Porto.")
    news = replace(a_memory("lives in porto"), id="new")

    assert names(store.memories.connected(MINE, [news])) == ["Lives in Porto."]


def test_whether_a_memory_rests_on_a_later_message(store: Store) -> None:
    [first, second, third] = said(store, "one", "two", "three")
    resting(store, "a fact", second)

    asked = [store.memories.rests_on_later(MINE, message.id) for message in (first, second, third)]
    assert asked == [True, False, False]
    assert not store.memories.rests_on_later(BRUNO, first.id)


def test_further_words_are_cited_without_a_new_version(store: Store) -> None:
    [first, second] = said(store, "one", "two")
    memory = resting(store, "a fact", first)
    more = Span(message_id=second.id, start=0, end=2)
    store.memories.cite(MINE, memory.id, [more, more])
    now = store.memories.get(MINE, memory.id)

    assert (now.version, now.spans) == (1, (*memory.spans, more))


def test_a_version_comes_back_in_full(store: Store) -> None:
    [first] = said(store, "one")
    before = resting(
        store, "a fact", first, tags=("x",), attribute="slot", value="1", kind=Kind.BIO, pinned=True
    )
    store.memories.save(
        replace(before, text="other", tags=(), attribute=None, spans=(), valid_to=MONDAY), Change.UPDATE
    )

    assert store.memories.at_version(MINE, before.id, 1) == before
    assert store.memories.at_version(MINE, before.id, 2).text == "other"
    for scope, version in ((MINE, 3), (BRUNO, 1)):
        with pytest.raises(NotFound):
            store.memories.at_version(scope, before.id, version)


def test_messages_come_in_the_order_they_were_said(store: Store) -> None:
    first, second = said(store, "zz first", "aa second")

    assert store.messages.in_order(MINE, [second.id, "nobody", first.id]) == [first, second]
    assert store.messages.in_order(BRUNO, [first.id]) == []


@pytest.mark.spec("C-4")
@pytest.mark.parametrize(
    ("trivial_only", "left"),
    [(True, ["worth it", "waiting", "new 1", "new 2"]), (False, ["waiting", "new 1", "new 2"])],
)
def test_what_was_judged_is_shed_beyond_the_last_few(
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
    store.messages.shed(HERE, keep=2, trivial_only=trivial_only, summarised=False)

    assert [message.content for message in store.messages.list(HERE)] == left
    assert len(store.messages.list(Scope(ANA, "other"))) == 1


def test_nothing_is_shed_before_the_session_summary_tells_of_it(store: Store) -> None:
    messages = [replace(a_message(text), importance=0, extracted=True) for text in ("one", "two", "three")]
    for message in messages:
        store.messages.add(message, ())
    before = store.messages.shed(HERE, keep=0, trivial_only=False, summarised=True)
    store.summaries.add(a_summary(WORKING, messages[1]))
    after = store.messages.shed(HERE, keep=0, trivial_only=False, summarised=True)

    assert (before, after) == (0, 2)


@pytest.mark.spec("C-14", "TR-7")
def test_answers_are_counted_since_the_last_summary_of_a_kind(store: Store) -> None:
    [first] = said(store, "answer 1", role=Role.ASSISTANT)
    said(store, "question")
    store.summaries.add(a_summary(TALK, first))
    said(store, "answer 2", "answer 3", role=Role.ASSISTANT)

    assert store.summaries.answers_since(HERE, TALK) == 2
    assert store.summaries.answers_since(HERE, WORKING) == 3
    assert store.summaries.answers_since(Scope("bruno", KITCHEN), TALK) == 0


def test_summaries_that_tell_of_a_message_are_dropped_with_all_after_it(store: Store) -> None:
    first, second, third = said(store, "one", "two", "three")
    for last in (first, second, third):
        store.summaries.add(a_summary(TALK, last))
    dropped = [store.summaries.drop_from(BRUNO, second.id), store.summaries.drop_from(MINE, second.id)]

    assert dropped == [0, 2]
    assert [summary.text for summary in store.summaries.list(HERE)] == ["up to one"]


def test_a_chat_has_the_mode_that_was_chosen_for_it(store: Store) -> None:
    store.chats.set_mode(HERE, "off", now=MONDAY)
    said(store, "hello")

    assert store.chats.mode(HERE) == "off"
    assert store.chats.mode(Scope(ANA, "other")) is None
    assert store.chats.mode(Scope("bruno", KITCHEN)) is None
    store.chats.set_mode(HERE, None, now=MONDAY)
    assert store.chats.mode(HERE) is None


def test_tokens_are_set_aside_within_the_caps_and_settled_after(store: Store) -> None:
    tomorrow = MONDAY + timedelta(days=1)

    def reserve(tokens: int, chat: str = "c", day: object = MONDAY) -> bool:
        return store.spending.reserve(
            Scope(ANA, chat),
            tokens,
            per_day=100,
            per_chat=150,
            now=day,  # type: ignore[arg-type]
        )

    assert [reserve(60), reserve(60), reserve(40)] == [True, False, True]
    store.spending.settle(Scope(ANA, "c"), 60, 10, now=MONDAY)
    assert store.spending.spent(MINE, now=MONDAY) == (2, 50)
    assert [reserve(60, "d"), reserve(50, "d")] == [False, True]
    assert store.spending.spent(MINE, now=tomorrow) == (0, 0)
    assert [reserve(90, day=tomorrow), reserve(20, day=tomorrow)] == [True, False]
    assert store.spending.spent(Scope(ANA, "c"), now=tomorrow) == (3, 140)
    assert store.spending.spent(BRUNO, now=MONDAY) == (0, 0)
