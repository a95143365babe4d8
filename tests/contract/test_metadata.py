"""Contract of metadata: stored with messages and memories, kept by versions, and filtered in lists and searches."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from recollect.domain.candidate import SearchFilter
from recollect.domain.memory import ChangeKind
from recollect.domain.message import Message
from recollect.domain.metadata import MetadataFilter
from recollect.domain.scope import Scope
from recollect.ports.store import Store
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, chunks_of
from recollect.testing.embedders import LetterEmbedder

USER_SCOPE = Scope(ANA)
CHAT_SCOPE = Scope(ANA, KITCHEN)
NESTED = {"project": "webshop", "labels": ["red", 7], "owner": {"name": "Ana"}, "draft": None, "score": 0.5}
WEBSHOP = (("project", "webshop"),)


def with_metadata(text: str, **metadata: object) -> Message:
    return replace(a_message(text), metadata=metadata)


def list_texts(store: Store, required: MetadataFilter) -> list[str]:
    return sorted(memory.text for memory in store.memories.list(USER_SCOPE, metadata=required))


def search_texts(store: Store, query: str, required: MetadataFilter, *, dense: bool) -> Sequence[str]:
    search_filter = SearchFilter(metadata=required)
    embedder = LetterEmbedder()
    hits = (
        store.search.dense(
            USER_SCOPE,
            embedder.embed_query(query),
            model=embedder.model_id,
            limit=9,
            search_filter=search_filter,
        )
        if dense
        else store.search.lexical(USER_SCOPE, query, limit=9, search_filter=search_filter)
    )
    loaded = store.search.load(USER_SCOPE, [hit.passage_id for hit in hits], search_filter=search_filter)
    return sorted(candidate.text for candidate in loaded.values())


def embed_pending(store: Store) -> None:
    embedder = LetterEmbedder()
    while batch := store.vectors.queue(ANA, limit=100).passages:
        vectors = embedder.embed([passage.text for passage in batch])
        store.vectors.put(ANA, embedder.model_id, list(zip(batch, vectors, strict=True)))


def test_metadata_of_messages_and_memories_come_back_as_they_were_stored(store: Store) -> None:
    message, memory = with_metadata("Soup", **NESTED), replace(a_memory("likes soup"), metadata=NESTED)
    store.messages.add(message, ())
    store.memories.add(memory)

    assert store.messages.get(USER_SCOPE, message.id).metadata == NESTED
    assert store.messages.list(CHAT_SCOPE)[0].metadata == NESTED
    assert store.memories.get(USER_SCOPE, memory.id).metadata == NESTED


def test_without_metadata_there_is_an_empty_object(store: Store) -> None:
    message, memory = a_message("Soup"), a_memory("likes soup")
    store.messages.add(message, ())
    store.memories.add(memory)

    assert store.messages.get(USER_SCOPE, message.id).metadata == {}
    assert store.memories.get(USER_SCOPE, memory.id).metadata == {}


def test_an_earlier_version_of_a_memory_has_its_metadata(store: Store) -> None:
    memory = replace(a_memory("likes soup"), metadata={"project": "webshop"})
    store.memories.add(memory)
    store.memories.save(replace(memory, metadata={"project": "blog"}), ChangeKind.UPDATE)

    assert store.memories.at_version(USER_SCOPE, memory.id, 1).metadata == {"project": "webshop"}
    assert store.memories.get(USER_SCOPE, memory.id).metadata == {"project": "blog"}


@pytest.mark.parametrize(
    ("required", "texts"),
    [
        ((), ["all", "none", "other"]),
        (WEBSHOP, ["all"]),
        ((("project", "blog"),), ["other"]),
        ((("project", "webshop"), ("score", 0.5)), ["all"]),
        ((("project", "webshop"), ("score", 1)), []),
        ((("labels", "red"),), ["all"]),
        ((("labels", 7),), ["all", "other"]),
        ((("labels", "7"),), []),
        ((("owner", "Ana"),), []),
        ((("owner", '{"name":"Ana"}'),), []),
        ((("urgent", True),), ["other"]),
        ((("no such key", "x"),), []),
        ((('quo"te', "it's"),), ["other"]),
    ],
)
def test_a_list_has_only_memories_with_the_required_values(
    store: Store, required: MetadataFilter, texts: list[str]
) -> None:
    store.memories.add(replace(a_memory("all"), metadata=NESTED))
    other = {"project": "blog", "labels": [7], "urgent": True, 'quo"te': "it's"}
    store.memories.add(replace(a_memory("other"), metadata=other))
    store.memories.add(a_memory("none"))

    assert list_texts(store, required) == texts


@pytest.mark.parametrize("dense", [False, True], ids=["lexical", "dense"])
def test_a_search_finds_only_passages_with_the_required_values(store: Store, dense: bool) -> None:
    chunks = chunks_of("soup of the day ", "and soup of yesterday")
    store.messages.add(with_metadata("soup with salt", project="webshop"), ())
    store.messages.add(with_metadata("soup with pepper", project="blog"), ())
    store.messages.add(with_metadata("soup of the day and soup of yesterday", project="webshop"), chunks)
    store.messages.add(a_message("soup without anything"), ())
    store.memories.add(replace(a_memory("likes soup"), metadata={"project": ["blog", "webshop"]}))
    store.memories.add(replace(a_memory("hates soup"), metadata={"project": "blog"}))
    embed_pending(store)

    assert search_texts(store, "soup", WEBSHOP, dense=dense) == [
        "and soup of yesterday",
        "likes soup",
        "soup of the day ",
        "soup of the day and soup of yesterday",
        "soup with salt",
    ]
    assert len(search_texts(store, "soup", (), dense=dense)) == 8


def test_the_most_important_passages_have_the_required_values(store: Store) -> None:
    store.memories.add(replace(a_memory("likes soup"), metadata={"project": "webshop"}))
    store.memories.add(a_memory("hates soup"))
    hits = store.search.most_important(USER_SCOPE, limit=9, search_filter=SearchFilter(metadata=WEBSHOP))
    loaded = store.search.load(
        USER_SCOPE, [hit.passage_id for hit in hits], search_filter=SearchFilter(metadata=WEBSHOP)
    )

    assert [(each.text, each.metadata) for each in loaded.values()] == [
        ("likes soup", {"project": "webshop"})
    ]
