"""Store contract: summaries, context files, extractions, tombstones, events, consent, erasure and injections."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.candidate import PROFILE_KEY, PassageKey, SearchFilter, Source
from recollect.domain.context import ChatContext
from recollect.domain.event import Event, EventAction, EventChange
from recollect.domain.extraction import Extraction, Fact
from recollect.domain.import_ledger import ImportRecord, LedgerEntry, LedgerItem
from recollect.domain.memory import ChangeKind, Kind, MemoryStatus
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope
from recollect.domain.summary import ContextFile, Profile, Summary, SummaryKind
from recollect.errors import ConsentRequired, InvalidInput, NotFound
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY

CHAT_SCOPE = Scope(ANA, KITCHEN)
USER_SCOPE = Scope(ANA)
BRUNO_SCOPE = Scope("bruno", KITCHEN)
CONVERSATION = SummaryKind.CONVERSATION
WORKING = SummaryKind.WORKING


def a_summary(text: str, kind: SummaryKind = CONVERSATION, last: str | None = None) -> Summary:
    return Summary(
        id=f"s-{text}", user=ANA, chat=KITCHEN, kind=kind, text=text, created_at=MONDAY, last_message_id=last
    )


def a_context_file(name: str, content: str = "We ship on Fridays.") -> ContextFile:
    return ContextFile(id=f"f-{name}", user=ANA, name=name, content=content, created_at=MONDAY)


@pytest.mark.spec("E7", "H8")
def test_a_summary_is_stored_and_found_by_its_text(store: Store) -> None:
    store.messages.add(a_message("hello"), ())
    store.summaries.add(a_summary("They chose saffron"))

    [hit] = store.search.lexical(CHAT_SCOPE, "saffron", limit=5, search_filter=SearchFilter())

    assert (
        store.search.load(CHAT_SCOPE, [hit.passage_id], search_filter=SearchFilter())[hit.passage_id].text
        == "They chose saffron"
    )
    assert store.summaries.latest(CHAT_SCOPE, CONVERSATION) == a_summary("They chose saffron")


def test_a_new_working_summary_replaces_the_previous_one(store: Store) -> None:
    store.messages.add(a_message("hello"), ())
    store.summaries.add(a_summary("cooking", WORKING))
    store.summaries.add(a_summary("still cooking", WORKING))

    assert [s.text for s in store.summaries.list(CHAT_SCOPE)] == ["still cooking"]


@pytest.mark.spec("TR-7")
def test_messages_since_the_last_summary_are_those_of_user_and_assistant(store: Store) -> None:
    first, second = a_message("one"), a_message("two", role=Role.ASSISTANT)
    for message in (first, second, a_message("rules", role=Role.SYSTEM), a_message("three")):
        store.messages.add(message, ())
    store.summaries.add(a_summary("so far", last=second.id))

    assert [m.content for m in store.summaries.messages_since(CHAT_SCOPE, CONVERSATION)] == ["three"]
    assert [m.content for m in store.summaries.messages_since(CHAT_SCOPE, WORKING)] == ["one", "two", "three"]


def test_a_summary_needs_a_chat_that_exists(store: Store) -> None:
    with pytest.raises(NotFound, match="no chat"):
        store.summaries.add(a_summary("of nothing"))


@pytest.mark.spec("M13")
def test_an_attached_file_is_available_in_its_chat_only(store: Store) -> None:
    store.context_files.add(a_context_file("plan"))
    store.context_files.attach(CHAT_SCOPE, "plan")

    assert [f.name for f in store.context_files.list(CHAT_SCOPE)] == ["plan"]
    assert store.context_files.list(Scope(ANA, "garden")) == []
    assert store.context_files.list(BRUNO_SCOPE) == []
    assert store.context_files.get(USER_SCOPE, "plan") == replace(a_context_file("plan"), chats=(KITCHEN,))


def test_a_file_can_be_detached_and_deleted(store: Store) -> None:
    store.context_files.add(replace(a_context_file("plan"), chats=(KITCHEN,)))

    store.context_files.detach(CHAT_SCOPE, "plan")
    assert store.context_files.list(CHAT_SCOPE) == []
    store.context_files.delete(USER_SCOPE, "plan")

    assert store.context_files.list(USER_SCOPE) == []
    with pytest.raises(NotFound):
        store.context_files.get(USER_SCOPE, "plan")


def test_attaching_a_file_requires_a_chat(store: Store) -> None:
    store.context_files.add(a_context_file("plan"))

    with pytest.raises(InvalidInput, match="chat id is required"):
        store.context_files.attach(USER_SCOPE, "plan")


def test_an_extraction_is_stored_unchanged(store: Store) -> None:
    message = a_message("I moved to Porto")
    store.messages.add(message, ())
    fact = Fact(
        text="lives in Porto",
        kind=Kind.BIOGRAPHY,
        weight=1.0,
        start=0,
        end=16,
        attribute="lives_in",
        value="Porto",
        valid_from=MONDAY,
    )
    reasons = (
        Reason(ReasonCode.EXTRACTED_BY_MODEL, {"prompt": "list.pt/1"}),
        Reason(ReasonCode.FACT_IS_QUESTION),
    )
    extraction = Extraction(
        importance=60, message_type=MessageType.CHAT, summary="Moved.", facts=(fact,), reasons=reasons
    )

    store.extractions.put(USER_SCOPE, message.id, "rules", extraction)

    assert store.extractions.get(USER_SCOPE, message.id) == extraction
    assert store.extractions.get(BRUNO_SCOPE, message.id) is None


def test_an_extraction_is_deleted_with_its_message(store: Store) -> None:
    message = a_message("I moved to Porto")
    store.messages.add(message, ())
    store.extractions.put(USER_SCOPE, message.id, "rules", Extraction(importance=60))

    store.messages.delete(USER_SCOPE, message.id)

    assert store.extractions.get(USER_SCOPE, message.id) is None


def test_a_tombstone_can_be_removed(store: Store) -> None:
    store.tombstones.add(ANA, "hash", now=MONDAY)

    assert store.tombstones.forgotten_at(ANA, ["hash", "other"]) == {"hash": MONDAY}
    assert store.tombstones.forgotten_at("bruno", ["hash"]) == {}
    assert store.tombstones.all(ANA) == {"hash": MONDAY}
    assert store.tombstones.all("bruno") == {}
    store.tombstones.remove(ANA, "hash")
    assert store.tombstones.forgotten_at(ANA, ["hash"]) == {}


def test_events_are_listed_newest_first_and_marked_when_undone(store: Store) -> None:
    first = Event(
        id="e1",
        user=ANA,
        at=MONDAY,
        action=EventAction.FORGET,
        changes=(EventChange(memory_id="m", previous_version=1),),
    )
    second = replace(
        first, id="e2", action=EventAction.EDIT, changes=(EventChange(memory_id="m", previous_version=None),)
    )
    store.events.add(ANA, [first, second])

    store.events.mark_undone(USER_SCOPE, "e1")

    assert store.events.list(USER_SCOPE) == [second, replace(first, is_undone=True)]
    assert store.events.get(USER_SCOPE, "e2") == second
    with pytest.raises(NotFound):
        store.events.get(BRUNO_SCOPE, "e2")


def test_triage_reasons_are_counted_most_frequent_first(store: Store) -> None:
    greeting, keep_phrase = (
        Reason(ReasonCode.GREETING),
        Reason(ReasonCode.KEEP_PHRASE, {"phrase": "i live in"}),
    )
    for reason in (greeting, keep_phrase, keep_phrase):
        store.triage_counts.increment(ANA, reason, now=MONDAY)

    assert list(store.triage_counts.all(ANA).items()) == [(keep_phrase, 2), (greeting, 1)]


@pytest.mark.spec("I3", "I4", "Y2", "Y14", "W2")
def test_the_profile_is_stored_and_read_only_with_consent(store: Store) -> None:
    profile = Profile(
        user=ANA,
        updated_at=MONDAY,
        preferences={"codingStyle": "functional", "preferredLanguages": ("python", "rust")},
        context={"domain": "web"},
        notes="Short answers, please.",
    )
    assert store.consents.all(USER_SCOPE)["profile"] is False
    with pytest.raises(ConsentRequired):
        store.profiles.put(profile)
    assert store.profiles.get(USER_SCOPE) is None

    store.consents.set(USER_SCOPE, "profile", granted=True, now=MONDAY)
    store.profiles.put(profile)

    assert store.profiles.get(USER_SCOPE) == profile
    assert store.profiles.get(BRUNO_SCOPE) is None


def test_the_context_of_a_chat_is_read_at_once(store: Store) -> None:
    profile = Profile(user=ANA, updated_at=MONDAY, notes="Short answers, please.")
    for text in ("one", "two"):
        store.messages.add(a_message(text), ())
    store.summaries.add(a_summary("cooking", WORKING))
    store.context_files.add(replace(a_context_file("plan"), chats=(KITCHEN,)))
    store.consents.set(USER_SCOPE, "profile", granted=True, now=MONDAY)
    store.profiles.put(profile)

    def read(scope: Scope) -> ChatContext:
        return store.chat_context(scope, full=1, limit=9, importance_above=50)

    assert read(CHAT_SCOPE) == ChatContext(
        recent_messages=[a_message("two")],
        working_summary=a_summary("cooking", WORKING),
        context_files=[replace(a_context_file("plan"), chats=(KITCHEN,))],
        profile=profile,
        consents=store.consents.all(USER_SCOPE),
    )
    assert read(USER_SCOPE) == ChatContext(profile=profile, consents=store.consents.all(USER_SCOPE))
    assert read(BRUNO_SCOPE).recent_messages == []
    assert read(BRUNO_SCOPE).profile is None
    store.consents.set(USER_SCOPE, "profile", granted=False, now=MONDAY)
    assert read(CHAT_SCOPE).profile is None


@pytest.mark.spec("I5", "I7", "W5", "UI-5", "TR-19")
def test_revoking_consent_erases_the_profile_and_is_audited(store: Store) -> None:
    store.consents.set(USER_SCOPE, "profile", granted=True, now=MONDAY)
    store.profiles.put(Profile(user=ANA, updated_at=MONDAY, notes="secret wish"))
    assert store.consents.count_covered(USER_SCOPE, "profile") == {"profile": 1}

    store.consents.set(USER_SCOPE, "profile", granted=False, now=MONDAY + timedelta(days=1))
    store.consents.set(USER_SCOPE, "profile", granted=True, now=MONDAY + timedelta(days=2))

    assert store.profiles.get(USER_SCOPE) is None
    assert [entry.action for entry in store.audit_log.list(USER_SCOPE)] == [
        "consent given",
        "consent taken back",
        "consent given",
    ]
    assert "secret" not in "".join(entry.detail for entry in store.audit_log.list(USER_SCOPE))


def test_consent_to_a_kind_of_memory_covers_those_memories(store: Store) -> None:
    store.memories.add(a_memory("is anxious about money", kind=Kind.EMOTION))
    store.memories.add(a_memory("lives in Porto", kind=Kind.BIOGRAPHY))

    store.consents.set(USER_SCOPE, "emotion", granted=False, now=MONDAY)

    assert [memory.text for memory in store.memories.list(USER_SCOPE)] == ["lives in Porto"]


def test_revoked_consent_removes_the_facts_of_stored_extractions(store: Store) -> None:
    anxious = Fact(text="is anxious", kind=Kind.EMOTION, weight=0.6, start=0, end=9)
    home = Fact(text="lives in Porto", kind=Kind.BIOGRAPHY, weight=1.0, start=10, end=20)
    some, none_left = a_message("I am anxious, and I live in Porto"), a_message("I am anxious")
    for message, facts in ((some, (anxious, home)), (none_left, (anxious,))):
        store.messages.add(message, ())
        store.extractions.put(USER_SCOPE, message.id, "rules", Extraction(importance=60, facts=facts))

    store.consents.set(USER_SCOPE, "emotion", granted=False, now=MONDAY)

    assert store.extractions.get_many(USER_SCOPE, [some.id, none_left.id]) == {
        some.id: Extraction(importance=60, facts=(home,)),
        none_left.id: Extraction(importance=60),
    }


def test_the_audit_log_is_tamper_evident(store: Store) -> None:
    for day in range(3):
        store.audit_log.add(ANA, "looked", f"day {day}", now=MONDAY + timedelta(days=day))

    store.audit_log.add("bruno", "looked", "once", now=MONDAY)
    store.erasure.erase_user("bruno")

    assert store.audit_log.is_intact(USER_SCOPE)
    assert [entry.detail for entry in store.audit_log.list(USER_SCOPE, limit=2)] == ["day 2", "day 1"]


def test_an_erased_memory_leaves_no_rows(store: Store) -> None:
    message = a_message("I hate the smell of cilantro", extracted=True)
    store.messages.add(message, ())
    memory = a_memory("hates cilantro")
    store.memories.add(memory)

    erased = store.erasure.erase_memory(USER_SCOPE, memory.id)

    assert erased.rows["memories"] == 1
    assert list(erased.texts) == ["hates cilantro"]
    assert store.memories.list(USER_SCOPE, status=None) == []


def test_erasing_a_memory_removes_its_fact_from_stored_extractions(store: Store) -> None:
    message = a_message("I hate the smell of cilantro", extracted=True)
    store.messages.add(message, ())
    fact = Fact(text="hates cilantro", kind=Kind.PREFERENCE, weight=0.8, start=0, end=28)
    store.extractions.put(USER_SCOPE, message.id, "rules", Extraction(importance=60, facts=(fact,)))
    memory = a_memory("hates cilantro")
    store.memories.add(memory)

    store.erasure.erase_memory(USER_SCOPE, memory.id)

    assert store.extractions.get(USER_SCOPE, message.id) == Extraction(importance=60)


def test_erasing_a_chat_erases_its_messages_and_their_memories(store: Store) -> None:
    store.messages.add(a_message("the password of the safe is tulip"), ())
    store.messages.add(a_message("about the roses", chat="garden"), ())

    erased = store.erasure.erase_chat(CHAT_SCOPE)

    assert erased.rows["messages"] == 1
    assert list(erased.texts) == ["the password of the safe is tulip"]
    assert [chat.id for chat in store.chats.list(USER_SCOPE)] == ["garden"]
    assert store.search.lexical(USER_SCOPE, "tulip", limit=5, search_filter=SearchFilter()) == []
    with pytest.raises(NotFound):
        store.erasure.erase_chat(CHAT_SCOPE)


def test_erasing_a_user_does_not_affect_others(store: Store) -> None:
    store.messages.add(a_message("ana grows tulips"), ())
    store.messages.add(a_message("bruno grows cabbage", user="bruno"), ())

    erased = store.erasure.erase_user(ANA)

    assert list(erased.texts) == ["ana grows tulips"]
    assert store.users() == ["bruno"]
    assert [m.content for m in store.messages.list(BRUNO_SCOPE)] == ["bruno grows cabbage"]
    with pytest.raises(NotFound):
        store.erasure.erase_user(ANA)


def test_bytes_of_erased_texts_are_removed_or_the_store_says_until_when_they_remain(store: Store) -> None:
    store.messages.add(a_message("ana grows tulips"), ())
    erased = store.erasure.erase_user(ANA)
    if store.byte_erasure is None:
        pytest.skip("this store does not overwrite bytes")

    scan = store.byte_erasure.scrub(erased.texts)

    if scan.is_complete:
        assert scan.bytes_scanned > 0
    else:
        assert "until" in scan.detail


MEMORY_KEY = (Source.MEMORY, "f1")
CHUNK_KEY = (Source.CHUNK, "m1#2")


def add_injection(store: Store, *key: PassageKey, text: str = "<memory>is vegetarian</memory>") -> Message:
    message = a_message("What can I cook?")
    store.messages.add(message, ())
    store.injections.put(CHAT_SCOPE, message.id, text, passage_keys=key, receipt_id="r1")
    return message


def test_an_injection_is_stored_byte_for_byte(store: Store) -> None:
    message = add_injection(store, MEMORY_KEY, CHUNK_KEY, text="é\r\n\tß")

    assert store.injections.texts(CHAT_SCOPE) == {message.id: "é\r\n\tß"}
    assert store.injections.passage_keys(CHAT_SCOPE) == {message.id: {MEMORY_KEY, CHUNK_KEY}}
    assert store.injections.receipt_ids(CHAT_SCOPE) == {message.id: "r1"}
    assert store.injections.texts(BRUNO_SCOPE) == {}
    assert store.injections.texts(Scope(ANA, "garden")) == {}


def test_a_later_injection_replaces_the_previous_one(store: Store) -> None:
    message = add_injection(store, MEMORY_KEY)
    store.injections.put(CHAT_SCOPE, message.id, "other", passage_keys=[CHUNK_KEY])

    assert store.injections.texts(CHAT_SCOPE) == {message.id: "other"}
    assert store.injections.passage_keys(CHAT_SCOPE) == {message.id: {CHUNK_KEY}}
    assert store.injections.receipt_ids(CHAT_SCOPE) == {}


def test_an_injection_for_an_unknown_message_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        store.injections.put(CHAT_SCOPE, "nobody said this", "text")


def _edit_the_question(store: Store, message: Message) -> None:
    store.messages.edit(USER_SCOPE, message.id, "What else?", (), 2)


def _correct_the_memory(store: Store, _: Message) -> None:
    known = store.memories.get(USER_SCOPE, "f1")
    store.memories.save(replace(known, text="is vegan"), ChangeKind.UPDATE)


def _forget_the_memory(store: Store, _: Message) -> None:
    known = store.memories.get(USER_SCOPE, "f1")
    store.memories.save(replace(known, status=MemoryStatus.FORGOTTEN), ChangeKind.DELETE)


@pytest.mark.parametrize(
    ("passage_key", "change"),
    [
        (MEMORY_KEY, _edit_the_question),
        (MEMORY_KEY, lambda store, message: store.messages.delete(USER_SCOPE, message.id)),
        (MEMORY_KEY, lambda store, _: store.erasure.erase_memory(USER_SCOPE, "f1")),
        (MEMORY_KEY, _correct_the_memory),
        (MEMORY_KEY, _forget_the_memory),
        (CHUNK_KEY, lambda store, _: store.messages.delete(USER_SCOPE, "m1")),
        (CHUNK_KEY, lambda store, _: store.messages.edit(USER_SCOPE, "m1", "other words", (), 2)),
        ((Source.MESSAGE, "m1"), lambda store, _: store.chats.delete(Scope(ANA, "garden"))),
        ((Source.SUMMARY, "s-so far"), lambda store, _: store.summaries.delete_from(CHAT_SCOPE, "m0")),
        ((Source.CONTEXT, "f-plan"), lambda store, _: store.context_files.delete(USER_SCOPE, "plan")),
        (PROFILE_KEY, lambda store, _: store.consents.set(USER_SCOPE, "profile", granted=False, now=MONDAY)),
    ],
)
def test_an_injection_is_deleted_when_its_content_changes(
    store: Store, passage_key: PassageKey, change: Callable[[Store, Message], object]
) -> None:
    store.messages.add(a_message("the first", id="m0"), ())
    store.messages.add(a_message("elsewhere", id="m1", chat="garden"), ())
    store.memories.add(a_memory("is vegetarian", id="f1"))
    store.summaries.add(a_summary("so far", last="m0"))
    store.context_files.add(a_context_file("plan"))
    store.consents.set(USER_SCOPE, "profile", granted=True, now=MONDAY)
    store.profiles.put(Profile(user=ANA, updated_at=MONDAY, notes="Short answers."))
    message = add_injection(store, passage_key)
    assert store.injections.texts(CHAT_SCOPE)

    change(store, message)

    assert store.injections.texts(CHAT_SCOPE) == {}
    assert store.injections.passage_keys(CHAT_SCOPE) == {}


def test_reinforcing_a_memory_keeps_its_injection(store: Store) -> None:
    store.memories.add(a_memory("is vegetarian", id="f1"))
    message = add_injection(store, MEMORY_KEY)

    known = store.memories.get(USER_SCOPE, "f1")
    store.memories.save(replace(known, weight=0.5, status=MemoryStatus.ARCHIVED), ChangeKind.ARCHIVE)

    assert list(store.injections.texts(CHAT_SCOPE)) == [message.id]


def test_the_ledger_keeps_what_an_import_added_until_the_import_is_deleted(store: Store) -> None:
    record = ImportRecord(id="i1", user=ANA, source="chats.zip", started_at=MONDAY)
    entries = [
        LedgerEntry(source_id="s2", item=LedgerItem.MESSAGE, item_id="m2"),
        LedgerEntry(source_id="s1", item=LedgerItem.CONTEXT_FILE, item_id="f1"),
    ]
    store.imports.begin(record)
    store.imports.add(USER_SCOPE, "i1", entries)
    store.imports.add(USER_SCOPE, "i1", [replace(entries[0], item_id="another")])
    store.imports.finish(USER_SCOPE, "i1", now=MONDAY + timedelta(hours=1))

    assert store.imports.entries(USER_SCOPE, "i1") == entries
    assert set(store.imports.known_source_ids(USER_SCOPE, ["s1", "s2", "s3"])) == {"s1", "s2"}
    assert set(store.imports.known_source_ids(BRUNO_SCOPE, ["s1"])) == set()
    finished = replace(record, finished_at=MONDAY + timedelta(hours=1))
    assert store.imports.list(USER_SCOPE) == [finished]
    assert store.imports.get(USER_SCOPE, "last") == store.imports.get(USER_SCOPE, "i1") == finished

    store.imports.delete(USER_SCOPE, "i1")

    assert store.imports.entries(USER_SCOPE, "i1") == []
    assert set(store.imports.known_source_ids(USER_SCOPE, ["s1", "s2"])) == set()
    with pytest.raises(NotFound):
        store.imports.get(USER_SCOPE, "i1")
