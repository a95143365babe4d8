"""Deleted text is in no byte of the file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.memory import ChangeKind
from recollect.domain.scope import Scope
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, an_id, chunks_of
from recollect.testing.embedders import LetterEmbedder

CANARY = "xylocanaryphone"
CHAT_SCOPE = Scope(ANA, KITCHEN)
SECRET_MESSAGE = a_message(f"My password is {CANARY}, do not tell", id="secret")
SECRET_MEMORY = a_memory(f"has the password {CANARY}", id="secretmemory")


def count_canaries(path: Path) -> dict[str, int]:
    """Return how often the canary, or a large part of it, occurs in each file."""
    parts = [CANARY, CANARY[:8], CANARY[-8:], CANARY[4:12]]
    return {
        file.name: count
        for file in path.parent.iterdir()
        if (count := sum(file.read_bytes().lower().count(part.encode()) for part in parts))
    }


def checkpoint(store: SqliteStore) -> None:
    done = store._database._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert done == [(0, 0, 0)]


def delete_message(store: SqliteStore) -> None:
    store.messages.delete(CHAT_SCOPE, "secret")
    store.memories.erase(CHAT_SCOPE, "secretmemory")


def edit_message(store: SqliteStore) -> None:
    store.messages.edit(CHAT_SCOPE, "secret", "My password is gone", chunks_of("gone"), 4)
    store.memories.erase(CHAT_SCOPE, "secretmemory")


def delete_chat(store: SqliteStore) -> None:
    store.chats.delete(CHAT_SCOPE)
    store.memories.erase(Scope(ANA), "secretmemory")


@pytest.mark.parametrize("gone", [delete_message, edit_message, delete_chat])
def test_deleted_text_is_in_no_byte_of_the_file(
    store: SqliteStore, path: Path, gone: Callable[[SqliteStore], None]
) -> None:
    for n in range(100):
        store.messages.add(a_message(f"Nothing special, number {n}", id=an_id(str(n))), ())
    store.messages.add(SECRET_MESSAGE, chunks_of(f"My password is {CANARY}", ", do not tell"))
    saved, _ = store.memories.add(SECRET_MEMORY)
    saved = store.memories.save(replace(saved, weight=0.5), ChangeKind.UPDATE)
    for n in range(100, 200):
        store.messages.add(a_message(f"Nothing special, number {n}", id=an_id(str(n))), ())
    batch = store.vectors.queue(ANA, limit=999).passages
    store.vectors.put(ANA, "letters", [(p, LetterEmbedder().embed_query(p.text)) for p in batch])
    checkpoint(store)
    assert count_canaries(path)["memory.db"] > 0

    gone(store)
    checkpoint(store)
    assert count_canaries(path) == {}
    store.close()
    assert count_canaries(path) == {}
