"""What stands around memories: summaries, files, judgements, what was forgotten, done and agreed to."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.candidate import PROFILE, Key, Reach, Source
from recollect.domain.event import Action, Event, Step
from recollect.domain.extraction import Fact, Judgement
from recollect.domain.memory import Change, Kind, Standing
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary, SummaryKind
from recollect.errors import ConsentRequired, InvalidInput, NotFound
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY

HERE = Scope(ANA, KITCHEN)
MINE = Scope(ANA)
BRUNO = Scope("bruno", KITCHEN)
TALK = SummaryKind.CONVERSATION
WORKING = SummaryKind.WORKING


def a_summary(text: str, kind: SummaryKind = TALK, last: str | None = None) -> Summary:
    return Summary(
        id=f"s-{text}", user=ANA, chat=KITCHEN, kind=kind, text=text, created_at=MONDAY, last_message_id=last
    )


def a_file(name: str, content: str = "We ship on Fridays.") -> ContextFile:
    return ContextFile(id=f"f-{name}", user=ANA, name=name, content=content, created_at=MONDAY)


@pytest.mark.spec("E7", "H8")
def test_a_summary_is_kept_and_found_by_its_words(store: Store) -> None:
    store.messages.add(a_message("hello"), ())
    store.summaries.add(a_summary("They chose saffron"))

    [hit] = store.search.lexical(HERE, "saffron", limit=5, reach=Reach())

    assert store.search.load(HERE, [hit.passage], reach=Reach())[hit.passage].text == "They chose saffron"
    assert store.summaries.latest(HERE, TALK) == a_summary("They chose saffron")


def test_the_working_summary_takes_the_place_of_the_one_before(store: Store) -> None:
    store.messages.add(a_message("hello"), ())
    store.summaries.add(a_summary("cooking", WORKING))
    store.summaries.add(a_summary("still cooking", WORKING))

    assert [s.text for s in store.summaries.list(HERE)] == ["still cooking"]


@pytest.mark.spec("TR-7")
def test_what_was_said_since_the_last_summary_is_what_the_two_said(store: Store) -> None:
    first, second = a_message("one"), a_message("two", role=Role.ASSISTANT)
    for message in (first, second, a_message("rules", role=Role.SYSTEM), a_message("three")):
        store.messages.add(message, ())
    store.summaries.add(a_summary("so far", last=second.id))

    assert [m.content for m in store.summaries.uncovered(HERE, TALK)] == ["three"]
    assert [m.content for m in store.summaries.uncovered(HERE, WORKING)] == ["one", "two", "three"]


def test_a_summary_needs_a_chat_that_exists(store: Store) -> None:
    with pytest.raises(NotFound, match="no chat"):
        store.summaries.add(a_summary("of nothing"))


@pytest.mark.spec("M13")
def test_an_attached_file_is_available_in_its_chat_alone(store: Store) -> None:
    store.contexts.add(a_file("plan"))
    store.contexts.attach(HERE, "plan")

    assert [f.name for f in store.contexts.list(HERE)] == ["plan"]
    assert store.contexts.list(Scope(ANA, "garden")) == []
    assert store.contexts.list(BRUNO) == []
    assert store.contexts.get(MINE, "plan") == replace(a_file("plan"), chats=(KITCHEN,))


def test_a_file_can_be_taken_off_and_deleted(store: Store) -> None:
    store.contexts.add(replace(a_file("plan"), chats=(KITCHEN,)))

    store.contexts.detach(HERE, "plan")
    assert store.contexts.list(HERE) == []
    store.contexts.delete(MINE, "plan")

    assert store.contexts.list(MINE) == []
    with pytest.raises(NotFound):
        store.contexts.get(MINE, "plan")


def test_a_file_is_attached_to_a_chat_that_is_named(store: Store) -> None:
    store.contexts.add(a_file("plan"))

    with pytest.raises(InvalidInput, match="needs a chat"):
        store.contexts.attach(MINE, "plan")


def test_a_judgement_comes_back_as_it_was_given(store: Store) -> None:
    message = a_message("I moved to Porto")
    store.messages.add(message, ())
    fact = Fact(
        text="lives in Porto",
        kind=Kind.BIO,
        weight=1.0,
        start=0,
        end=16,
        attribute="lives_in",
        value="Porto",
        valid_from=MONDAY,
    )
    given = Judgement(importance=60, message_type=MessageType.CHAT, summary="Moved.", facts=(fact,))

    store.judgements.put(MINE, message.id, "rules", given)

    assert store.judgements.get(MINE, message.id) == given
    assert store.judgements.get(BRUNO, message.id) is None


def test_a_judgement_goes_with_its_message(store: Store) -> None:
    message = a_message("I moved to Porto")
    store.messages.add(message, ())
    store.judgements.put(MINE, message.id, "rules", Judgement(importance=60))

    store.messages.delete(MINE, message.id)

    assert store.judgements.get(MINE, message.id) is None


def test_what_was_buried_can_be_dug_up(store: Store) -> None:
    store.tombstones.add(ANA, "hash", now=MONDAY)

    assert store.tombstones.buried_at(ANA, "hash") == MONDAY
    assert store.tombstones.buried_at("bruno", "hash") is None
    assert store.tombstones.all(ANA) == {"hash": MONDAY}
    assert store.tombstones.all("bruno") == {}
    store.tombstones.remove(ANA, "hash")
    assert store.tombstones.buried_at(ANA, "hash") is None


def test_events_are_listed_newest_first_and_marked_when_undone(store: Store) -> None:
    first = Event(id="e1", user=ANA, at=MONDAY, action=Action.FORGET, steps=(Step(memory_id="m", before=1),))
    second = replace(first, id="e2", action=Action.EDIT, steps=(Step(memory_id="m", before=None),))
    store.events.add(first)
    store.events.add(second)

    store.events.mark_undone(MINE, "e1")

    assert store.events.list(MINE) == [second, replace(first, undone=True)]
    assert store.events.get(MINE, "e2") == second
    with pytest.raises(NotFound):
        store.events.get(BRUNO, "e2")


def test_reasons_are_counted_the_most_frequent_first(store: Store) -> None:
    for reason in ("greeting", "too short", "too short"):
        store.verdicts.count(ANA, reason, now=MONDAY)

    assert list(store.verdicts.all(ANA).items()) == [("too short", 2), ("greeting", 1)]


@pytest.mark.spec("I3", "I4", "Y2", "Y14", "W2")
def test_the_profile_is_kept_and_read_only_with_consent(store: Store) -> None:
    profile = Profile(
        user=ANA,
        updated_at=MONDAY,
        preferences={"codingStyle": "functional", "preferredLanguages": ("python", "rust")},
        context={"domain": "web"},
        notes="Short answers, please.",
    )
    assert store.consents.all(MINE)["profile"] is False
    with pytest.raises(ConsentRequired):
        store.profiles.put(profile)
    assert store.profiles.get(MINE) is None

    store.consents.set(MINE, "profile", granted=True, now=MONDAY)
    store.profiles.put(profile)

    assert store.profiles.get(MINE) == profile
    assert store.profiles.get(BRUNO) is None


@pytest.mark.spec("I5", "I7", "W5", "UI-5", "TR-19")
def test_taking_consent_back_erases_the_profile_and_is_written_down(store: Store) -> None:
    store.consents.set(MINE, "profile", granted=True, now=MONDAY)
    store.profiles.put(Profile(user=ANA, updated_at=MONDAY, notes="secret wish"))
    assert store.consents.covered(MINE, "profile") == {"profile": 1}

    store.consents.set(MINE, "profile", granted=False, now=MONDAY + timedelta(days=1))
    store.consents.set(MINE, "profile", granted=True, now=MONDAY + timedelta(days=2))

    assert store.profiles.get(MINE) is None
    assert [entry.action for entry in store.audit.list(MINE)] == [
        "consent given",
        "consent taken back",
        "consent given",
    ]
    assert "secret" not in "".join(entry.detail for entry in store.audit.list(MINE))


def test_consent_to_a_kind_of_memory_covers_those_memories(store: Store) -> None:
    store.memories.add(a_memory("is anxious about money", kind=Kind.EMO))
    store.memories.add(a_memory("lives in Porto", kind=Kind.BIO))

    store.consents.set(MINE, "emo", granted=False, now=MONDAY)

    assert [memory.text for memory in store.memories.list(MINE)] == ["lives in Porto"]


def test_the_ledger_shows_whether_somebody_touched_it(store: Store) -> None:
    for day in range(3):
        store.audit.add(ANA, "looked", f"day {day}", now=MONDAY + timedelta(days=day))

    store.audit.add("bruno", "looked", "once", now=MONDAY)
    store.erasure.user("bruno")

    assert store.audit.intact(MINE)
    assert [entry.detail for entry in store.audit.list(MINE, limit=2)] == ["day 2", "day 1"]


def test_an_erased_memory_leaves_no_byte(store: Store) -> None:
    message = a_message("I hate the smell of cilantro", extracted=True)
    store.messages.add(message, ())
    memory = a_memory("hates cilantro")
    store.memories.add(memory)

    certificate = store.erasure.memory(MINE, memory.id)

    assert certificate.rows["memories"] == 1
    assert certificate.physical, certificate.detail
    assert certificate.bytes_scanned
    assert store.memories.list(MINE, standing=None) == []


def test_an_erased_chat_takes_its_messages_and_what_rests_on_them(store: Store) -> None:
    store.messages.add(a_message("the password of the safe is tulip"), ())
    store.messages.add(a_message("about the roses", chat="garden"), ())

    certificate = store.erasure.chat(HERE)

    assert certificate.rows["messages"] == 1
    assert certificate.physical, certificate.detail
    assert [chat.id for chat in store.chats.list(MINE)] == ["garden"]
    assert store.search.lexical(MINE, "tulip", limit=5, reach=Reach()) == []
    with pytest.raises(NotFound):
        store.erasure.chat(HERE)


def test_an_erased_user_leaves_the_others_alone(store: Store) -> None:
    store.messages.add(a_message("ana grows tulips"), ())
    store.messages.add(a_message("bruno grows cabbage", user="bruno"), ())

    certificate = store.erasure.user(ANA)

    assert certificate.physical, certificate.detail
    assert store.users() == ["bruno"]
    assert [m.content for m in store.messages.list(BRUNO)] == ["bruno grows cabbage"]
    with pytest.raises(NotFound):
        store.erasure.user(ANA)


MEMORY = (Source.MEMORY, "f1")
CHUNK = (Source.CHUNK, "m1#2")


def an_injection(store: Store, *shown: Key, text: str = "<memory>is vegetarian</memory>") -> Message:
    message = a_message("What can I cook?")
    store.messages.add(message, ())
    store.injections.put(HERE, message.id, text, shown=shown, receipt_id="r1")
    return message


def test_what_was_injected_for_a_message_comes_back_byte_for_byte(store: Store) -> None:
    message = an_injection(store, MEMORY, CHUNK, text="é\r\n\tß")

    assert store.injections.all(HERE) == {message.id: "é\r\n\tß"}
    assert store.injections.shown(HERE) == {message.id: {MEMORY, CHUNK}}
    assert store.injections.receipts(HERE) == {message.id: "r1"}
    assert store.injections.all(BRUNO) == {}
    assert store.injections.all(Scope(ANA, "garden")) == {}


def test_a_later_injection_takes_the_place_of_the_one_before(store: Store) -> None:
    message = an_injection(store, MEMORY)
    store.injections.put(HERE, message.id, "other", shown=[CHUNK])

    assert store.injections.all(HERE) == {message.id: "other"}
    assert store.injections.shown(HERE) == {message.id: {CHUNK}}
    assert store.injections.receipts(HERE) == {}


def test_nothing_is_injected_for_a_message_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound):
        store.injections.put(HERE, "nobody said this", "text")


def _edit_the_question(store: Store, message: Message) -> None:
    store.messages.edit(MINE, message.id, "What else?", (), 2)


def _correct_the_memory(store: Store, _: Message) -> None:
    known = store.memories.get(MINE, "f1")
    store.memories.save(replace(known, text="is vegan"), Change.UPDATE)


def _forget_the_memory(store: Store, _: Message) -> None:
    known = store.memories.get(MINE, "f1")
    store.memories.save(replace(known, standing=Standing.FORGOTTEN), Change.DELETE)


@pytest.mark.parametrize(
    ("shown", "what"),
    [
        (MEMORY, _edit_the_question),
        (MEMORY, lambda store, message: store.messages.delete(MINE, message.id)),
        (MEMORY, lambda store, _: store.erasure.memory(MINE, "f1")),
        (MEMORY, _correct_the_memory),
        (MEMORY, _forget_the_memory),
        (CHUNK, lambda store, _: store.messages.delete(MINE, "m1")),
        (CHUNK, lambda store, _: store.messages.edit(MINE, "m1", "other words", (), 2)),
        ((Source.MESSAGE, "m1"), lambda store, _: store.chats.delete(Scope(ANA, "garden"))),
        ((Source.SUMMARY, "s-so far"), lambda store, _: store.summaries.drop_from(HERE, "m0")),
        ((Source.CONTEXT, "f-plan"), lambda store, _: store.contexts.delete(MINE, "plan")),
        (PROFILE, lambda store, _: store.consents.set(MINE, "profile", granted=False, now=MONDAY)),
    ],
)
def test_what_is_no_longer_so_is_not_sent_again(
    store: Store, shown: Key, what: Callable[[Store, Message], object]
) -> None:
    store.messages.add(a_message("the first", id="m0"), ())
    store.messages.add(a_message("elsewhere", id="m1", chat="garden"), ())
    store.memories.add(a_memory("is vegetarian", id="f1"))
    store.summaries.add(a_summary("so far", last="m0"))
    store.contexts.add(a_file("plan"))
    store.consents.set(MINE, "profile", granted=True, now=MONDAY)
    store.profiles.put(Profile(user=ANA, updated_at=MONDAY, notes="Short answers."))
    message = an_injection(store, shown)
    assert store.injections.all(HERE)

    what(store, message)

    assert store.injections.all(HERE) == {}
    assert store.injections.shown(HERE) == {}


def test_a_memory_that_is_said_again_stays_where_it_was_injected(store: Store) -> None:
    store.memories.add(a_memory("is vegetarian", id="f1"))
    message = an_injection(store, MEMORY)

    known = store.memories.get(MINE, "f1")
    store.memories.save(replace(known, weight=0.5, standing=Standing.ARCHIVED), Change.ARCHIVE)

    assert list(store.injections.all(HERE)) == [message.id]
