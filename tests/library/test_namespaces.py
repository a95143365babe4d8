"""The namespaces of `Memory`, on a store without a file."""

from collections.abc import Iterator

import pytest

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.job import JobState
from recollect.domain.memory import MemoryStatus
from recollect.domain.policy import PRESETS
from recollect.errors import ConfigError, InvalidInput, NotFound, Refused
from recollect.testing.clock import CountingIds, FrozenClock
from recollect.testing.in_memory.store import InMemoryStore

NAMED_ANA = {"role": "user", "content": "My name is Ana."}
NAMED_BEATRIZ = {"role": "user", "content": "My name is Beatriz."}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(
        store=InMemoryStore(),
        user_id="ana",
        embedder=HashingEmbedder(),
        clock=FrozenClock(),
        ids=CountingIds(),
        settings={"worker": False},
    ) as opened:
        yield opened


def texts(memory: Memory) -> list[str]:
    return sorted(each.text for each in memory.get_all())


def contradict(memory: Memory) -> str:
    """State a name, then another; return the id of the memory that waits for a decision."""
    memory.add(NAMED_ANA, sync=True)
    memory.add(NAMED_BEATRIZ, sync=True)
    [waiting] = memory.review.list()
    return waiting.id


# Review


def test_a_contradiction_waits_with_what_it_contradicts(memory: Memory) -> None:
    waiting = contradict(memory)

    assert [each.text for each in memory.review.conflicts(waiting)] == texts(memory)
    assert "Ana" in texts(memory)[0]


def test_an_accepted_contradiction_supersedes_what_it_contradicts(memory: Memory) -> None:
    accepted = memory.review.accept(contradict(memory))

    assert accepted.status is MemoryStatus.ACTIVE
    assert "Beatriz" in accepted.text
    assert texts(memory) == [accepted.text]
    assert memory.review.list() == []


def test_a_rejected_contradiction_is_forgotten(memory: Memory) -> None:
    rejected = memory.review.reject(contradict(memory))

    assert rejected.status is MemoryStatus.FORGOTTEN
    assert "Ana" in texts(memory)[0]
    assert memory.review.list() == []


def test_what_does_not_wait_cannot_be_decided(memory: Memory) -> None:
    [known] = memory.add("likes soup").memories

    for decide in (memory.review.accept, memory.review.reject):
        with pytest.raises(Refused, match="is active"):
            decide(known.id)
    assert texts(memory) == ["likes soup"]


def test_two_memories_can_be_marked_as_distinct(memory: Memory) -> None:
    [one], [two] = memory.add("likes soup").memories, memory.add("likes hot soup").memories
    memory.review.mark_distinct([one.id, two.id])

    pairs = [{pair.memory.id, pair.other.id} for pair in memory.review.duplicates()]
    assert {one.id, two.id} not in pairs
    with pytest.raises(InvalidInput):
        memory.review.mark_distinct([one.id, one.id])


# Memories


def test_details_of_a_memory_tell_its_sources_and_recalls(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I live in Lisbon."}, sync=True)
    [known] = memory.get_all()
    found = memory.search("Lisbon")
    details = memory.memories.details(known.id)

    assert [quote.message.content for quote in details.quotes] == ["I live in Lisbon."]
    assert [use.receipt_id for use in details.uses] == [found.receipt.id]
    assert details.weight_forecast[0].weight == known.weight


# Chats


def test_chats_are_listed_with_title_and_mode(memory: Memory) -> None:
    memory.add({"role": "user", "content": "What shall I cook?"}, chat_id="kitchen")
    memory.chats.rename("kitchen", "Dinner")
    memory.chats.set_mode("kitchen", "recall_only")
    [chat] = memory.chats.list()

    assert (chat.chat.id, chat.title, chat.mode) == ("kitchen", "Dinner", "recall_only")
    assert memory.chats.mode("kitchen") == "recall_only"
    memory.chats.set_mode("kitchen", None)
    assert memory.chats.mode("kitchen") is None


# Receipts


def test_receipts_are_listed_by_chat(memory: Memory) -> None:
    in_kitchen = memory.search("soup", chat_id="kitchen").receipt
    elsewhere = memory.context("soup").receipt
    memory.search("a preview", receipt=False)

    assert [each.id for each in memory.receipts.list()] == [elsewhere.id, in_kitchen.id]
    assert [each.id for each in memory.receipts.list(chat_id="kitchen")] == [in_kitchen.id]


# Privacy


def test_an_erasure_can_be_previewed(memory: Memory) -> None:
    [known] = memory.add("likes soup").memories
    memory.add({"role": "user", "content": "Good morning."}, chat_id="kitchen")
    previews = [
        memory.privacy.preview_erasure(known.id),
        memory.privacy.preview_erasure(chat_id="kitchen"),
        memory.privacy.preview_erasure(user_id="ana"),
    ]

    assert [preview.rows["messages"] for preview in previews[1:]] == [1, 2]
    assert texts(memory) == ["likes soup"]
    with pytest.raises(Refused, match="user_id"):
        memory.privacy.preview_erasure()


# Maintenance


def test_jobs_are_listed_and_failed_ones_retried(memory: Memory) -> None:
    memory.add({"role": "user", "content": "I live in Lisbon."})
    waiting = memory.maintenance.jobs()

    assert {job.state for job in waiting} == {JobState.READY}
    assert memory.maintenance.retry_jobs() == 0
    memory.flush()
    assert memory.maintenance.jobs() == []


def test_reembedding_shows_its_progress(memory: Memory) -> None:
    memory.add("likes soup")
    before = memory.settings.models()
    started = memory.maintenance.reembed()
    memory.flush()
    after = memory.settings.models()

    assert (before.configured, before.missing) == (HashingEmbedder().model_id, before.passages)
    assert started.target == before.configured
    assert (after.target, after.missing, after.vectors) == (None, 0, {before.configured: after.passages})


def test_a_store_without_indexes_cannot_be_repaired(memory: Memory) -> None:
    with pytest.raises(Refused):
        memory.maintenance.repair()


# Settings


def test_a_preference_is_set_read_and_removed(memory: Memory) -> None:
    default = memory.settings.get("recall.limit")
    changed = memory.settings.set("recall.limit", 3)
    of_another = memory.settings.get("recall.limit", user_id="bruno")
    removed = memory.settings.set("recall.limit", None)

    assert (changed.value, changed.layer) == (3, "preference")
    assert default == of_another == removed
    assert default.layer == "default"


@pytest.mark.parametrize(("value", "read"), [(True, True), (0.5, 0.5)])
def test_a_preference_may_be_any_type(memory: Memory, value: bool | float, read: object) -> None:
    name = "recall.hybrid" if isinstance(value, bool) else "recall.alpha"

    assert memory.settings.set(name, value).value == read
    assert memory.settings.set("triage.keep_phrases", ("our budget", "the deadline")).value == (
        "our budget",
        "the deadline",
    )


def test_an_environment_variable_names_its_setting(memory: Memory) -> None:
    assert memory.settings.get("RAG_HYBRID") == memory.settings.get("recall.hybrid")


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("recall.limit", 0, ConfigError),
        ("recall.limits", 3, NotFound),
        ("db", "other.db", ConfigError),
        ("triage.keep_phrases", ("a, b",), ConfigError),
    ],
)
def test_an_invalid_preference_is_refused(
    memory: Memory, name: str, value: int | str | tuple[str, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.settings.set(name, value)


def test_settings_and_presets_are_listed(memory: Memory) -> None:
    listed = {each.name: each for each in memory.settings.list()}

    assert listed["recall.limit"] == memory.settings.get("recall.limit")
    assert memory.settings.presets() == PRESETS
