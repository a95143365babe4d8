"""Store contract: what consolidation reads at once, and the outcomes that it writes."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.extraction import Extraction
from recollect.domain.memory import ChangeKind, Kind, Memory, MemoryStatus, SourceSpan
from recollect.domain.outcomes import Conflicting, New, Reinforced, Rejected, Superseded
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.related_memories import RelatedMemories
from recollect.domain.scope import Scope
from recollect.errors import Refused
from recollect.ports.embedder import Vector
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message
from recollect.testing.clock import MONDAY

USER_SCOPE = Scope(ANA)
MODEL = "letters"
TEA = a_memory("likes tea", kind=Kind.PREFERENCE)
COFFEE = a_memory("likes coffee", kind=Kind.PREFERENCE)
SOUP = a_memory("likes soup", kind=Kind.PREFERENCE)
VECTORS: Mapping[str, Vector] = {
    "likes tea": array("f", [1.0, 0.0]),
    "likes coffee": array("f", [0.6, 0.8]),
    "likes soup": array("f", [0.0, 1.0]),
}


def add_memories(store: Store, *memories: Memory) -> None:
    for memory in memories:
        store.memories.add(memory)


def embed_memories(store: Store, user: str = ANA) -> None:
    passages = store.vectors.queue(user, limit=100).passages
    store.vectors.put(user, MODEL, [(each, VECTORS[each.text]) for each in passages if each.text in VECTORS])


def related(
    store: Store,
    *new_memories: Memory,
    kinds: Sequence[Kind] = (),
    newest: int = 10,
    vectors: Mapping[str, Vector] | None = None,
    nearest: int = 10,
) -> RelatedMemories:
    return store.memories.related_to(
        USER_SCOPE,
        new_memories,
        kinds=kinds,
        newest=newest,
        vectors=vectors or {},
        model=MODEL if vectors else None,
        nearest=nearest,
    )


def texts_of(memories: RelatedMemories) -> list[str]:
    return [memory.text for memory in memories.memories]


def test_active_memories_with_the_same_fact_or_attribute_are_related(store: Store) -> None:
    lisbon = a_memory("lives in Lisbon", attribute="lives_in")
    add_memories(
        store,
        lisbon,
        a_memory("lives in Faro", attribute="lives_in", status=MemoryStatus.SUPERSEDED),
        TEA,
        a_memory("Likes TEA.", user="bruno"),
    )
    porto = a_memory("lives in Porto", attribute="lives_in")

    assert texts_of(related(store, porto, a_memory("Likes TEA."))) == ["lives in Lisbon", "likes tea"]


def test_memories_from_the_same_messages_are_related_whatever_their_status(store: Store) -> None:
    message, _ = store.messages.add(a_message("I like tea and soup"), ())
    other, _ = store.messages.add(a_message("I like coffee"), ())
    span = SourceSpan(message_id=message.id, start=0, end=10)
    forgotten = replace(TEA, spans=(span,), status=MemoryStatus.FORGOTTEN)
    add_memories(store, forgotten, replace(COFFEE, spans=(SourceSpan(message_id=other.id, start=0, end=5),)))
    new = replace(SOUP, spans=(replace(span, start=5),))

    assert related(store, new).memories == (forgotten,)


def test_the_newest_active_memories_of_each_kind_are_related(store: Store) -> None:
    def at_hour(memory: Memory, hour: int) -> Memory:
        return replace(memory, last_stated_at=MONDAY + timedelta(hours=hour))

    goal = a_memory("wants to learn Rust", kind=Kind.GOAL)
    add_memories(
        store,
        at_hour(TEA, 3),
        at_hour(COFFEE, 1),
        at_hour(SOUP, 2),
        replace(at_hour(a_memory("likes jazz", kind=Kind.PREFERENCE), 9), status=MemoryStatus.ARCHIVED),
        goal,
        a_memory("is a nurse", kind=Kind.BIOGRAPHY),
    )
    new = a_memory("something else")

    result = related(store, new, kinds=[Kind.PREFERENCE, Kind.GOAL], newest=2)

    assert texts_of(result) == ["likes tea", "likes soup", "wants to learn Rust"]


def test_the_nearest_active_memories_have_their_cosines(store: Store) -> None:
    add_memories(store, TEA, COFFEE, SOUP)
    embed_memories(store)
    store.memories.save(replace(SOUP, status=MemoryStatus.ARCHIVED), ChangeKind.ARCHIVE)
    new, without_vector = a_memory("drinks tea"), a_memory("drinks milk")

    result = related(store, new, without_vector, vectors={"drinks tea": VECTORS["likes tea"]})

    assert texts_of(result) == ["likes tea", "likes coffee"]
    assert list(result.nearest) == [new.id]
    assert [memory_id for memory_id, _ in result.nearest[new.id]] == [TEA.id, COFFEE.id]
    assert [cosine for _, cosine in result.nearest[new.id]] == pytest.approx([1.0, 0.6], abs=0.01)


def test_only_so_many_nearest_memories_are_related(store: Store) -> None:
    add_memories(store, TEA, COFFEE, SOUP)
    embed_memories(store)
    new = a_memory("drinks tea")

    result = related(store, new, vectors={"drinks tea": VECTORS["likes tea"]}, nearest=1)

    assert texts_of(result) == ["likes tea"]


def test_vectors_of_another_user_or_model_are_not_compared(store: Store) -> None:
    add_memories(store, TEA, replace(COFFEE, id="b", user="bruno"))
    embed_memories(store, "bruno")
    new = a_memory("drinks tea")

    result = related(store, new, vectors={"drinks tea": VECTORS["likes tea"]})

    assert result.memories == ()
    assert not any(result.nearest.values())


def test_outcomes_are_written_in_order(store: Store) -> None:
    add_memories(store, TEA, COFFEE)
    stronger = replace(TEA, times_stated=2, version=2)
    ended = replace(
        COFFEE,
        status=MemoryStatus.SUPERSEDED,
        reason=Reason(ReasonCode.SUPERSEDED_BY, {"text": "likes soup"}),
        version=2,
    )
    contested = a_memory("is called Bia", status=MemoryStatus.CONTESTED)
    juice = a_memory("likes juice", chat=KITCHEN)
    store.messages.add(a_message("hello"), ())

    with store.transaction(ANA):
        store.memories.apply(
            [
                Reinforced(memory=stronger),
                Superseded(memory=SOUP, old=ended),
                Conflicting(memory=contested, against=TEA),
                New(memory=juice),
                Reinforced(memory=replace(juice, times_stated=2, version=2)),
                Rejected(text="likes milk", reason=Reason(ReasonCode.FORGOTTEN_SINCE)),
            ]
        )

    stored = {m.text: m for m in store.memories.list(USER_SCOPE, status=None)}
    assert stored == {
        memory.text: memory
        for memory in (stronger, ended, SOUP, contested, replace(juice, times_stated=2, version=2))
    }
    assert [v.change for v in store.memories.history(USER_SCOPE, COFFEE.id)] == [
        ChangeKind.ADD,
        ChangeKind.SUPERSEDE,
    ]
    assert store.memories.history(USER_SCOPE, COFFEE.id)[-1].reason == Reason(
        ReasonCode.SUPERSEDED_BY, {"text": "likes soup"}
    )


def test_a_memory_that_ends_without_a_successor_is_superseded(store: Store) -> None:
    add_memories(store, TEA)
    ended = replace(TEA, status=MemoryStatus.SUPERSEDED, version=2)
    store.memories.apply([Superseded(memory=None, old=ended)])

    assert store.memories.list(USER_SCOPE, status=None) == [ended]


def test_outcomes_of_an_outdated_version_are_refused(store: Store) -> None:
    add_memories(store, TEA)
    store.memories.save(replace(TEA, weight=0.5), ChangeKind.UPDATE)

    with pytest.raises(Refused, match="changed in the meantime"):
        store.memories.apply([Reinforced(memory=replace(TEA, version=2))])


def test_kinds_of_change_are_read_by_memory(store: Store) -> None:
    add_memories(store, TEA, COFFEE, replace(SOUP, id="other", user="bruno"))
    store.memories.save(replace(TEA, weight=0.5), ChangeKind.UPDATE)

    assert store.memories.change_kinds(USER_SCOPE, [TEA.id, COFFEE.id, "other", "none"]) == {
        TEA.id: {ChangeKind.ADD, ChangeKind.UPDATE},
        COFFEE.id: {ChangeKind.ADD},
    }


def test_extractions_of_several_messages_are_read_at_once(store: Store) -> None:
    [one, two] = [store.messages.add(a_message(text), ())[0] for text in ("one", "two")]
    store.extractions.put(USER_SCOPE, one.id, "rules", Extraction(importance=60))

    assert store.extractions.get_many(USER_SCOPE, [one.id, two.id]) == {one.id: Extraction(importance=60)}
    assert store.extractions.get_many(Scope("bruno"), [one.id]) == {}
