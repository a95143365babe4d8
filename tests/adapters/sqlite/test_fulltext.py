"""The full-text index: size, contents, and consistency with the text."""

import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.memory import ChangeKind
from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, an_id, chunks_of

CHAT_SCOPE = Scope(ANA, KITCHEN)
SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnprstvz" for vowel in "aeiou"]


def writer(store: SqliteStore) -> apsw.Connection:
    return store._database._writer


def index_matches_text(store: SqliteStore) -> bool:
    """Return whether FTS5's integrity check passes."""
    try:
        writer(store).execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        return False
    return True


def generate_prose(seed: int, words: int, vocabulary: int = 8000) -> Iterator[str]:
    """Yield synthetic messages with Zipf-distributed words, without end."""
    dice = random.Random(seed)
    lengths = (1, 2, 2, 3, 3, 4)
    known = ["".join(dice.choices(SYLLABLES, k=dice.choice(lengths))) for _ in range(vocabulary)]
    often = list(accumulate(1 / (place + 1) for place in range(vocabulary)))
    while True:
        yield " ".join(dice.choices(known, cum_weights=often, k=words))


def index_and_table_bytes(store: SqliteStore) -> tuple[int, int]:
    """Return the bytes of the index and of the message table."""
    used = dict(writer(store).execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    return sum(size for name, size in used.items() if name.startswith("passages_fts")), used["messages"]


@pytest.mark.spec("E9", "TR-3", "Y9", "E10")
def test_the_index_is_small_compared_to_the_messages(store: SqliteStore) -> None:
    texts = generate_prose(seed=7, words=175)
    for start in range(0, 2000, 20):
        with store.transaction(ANA):
            for n in range(start, start + 20):
                store.messages.add(a_message(next(texts), id=an_id(str(n)), chat=f"chat {n % 40}"), ())
    [(length,)] = writer(store).execute("SELECT avg(length(content)) FROM messages")
    index, messages = index_and_table_bytes(store)
    writer(store).execute("INSERT INTO passages_fts (passages_fts) VALUES ('optimize')")
    merged, _ = index_and_table_bytes(store)

    assert 900 < length < 1200
    assert index / messages < 0.50
    assert merged / messages <= 0.40


@pytest.mark.spec("E9", "TR-3")
def test_the_index_has_no_copy_of_the_text(store: SqliteStore) -> None:
    store.messages.add(a_message("Saffron soup"), ())
    tables = {
        name for (name,) in writer(store).execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }

    assert "passages_fts_docsize" in tables
    assert "passages_fts_content" not in tables


@pytest.mark.spec("E9", "TR-4")
def test_the_index_is_consistent_after_insert_edit_and_delete(store: SqliteStore) -> None:
    soup, bread = a_message("Saffron soup"), a_message("Bread and butter")
    store.messages.add(soup, chunks_of("Saffron ", "soup"))
    store.messages.add(bread, ())
    store.messages.add(a_message("You are a cook", role=Role.SYSTEM), ())
    memory, _ = store.memories.add(a_memory("likes saffron"))
    assert index_matches_text(store)

    store.messages.edit(CHAT_SCOPE, soup.id, "Onion soup", chunks_of("Onion ", "soup"), 2)
    store.memories.save(memory, ChangeKind.UPDATE)
    assert index_matches_text(store)

    store.messages.delete(CHAT_SCOPE, bread.id)
    store.memories.erase(CHAT_SCOPE, memory.id)
    assert index_matches_text(store)

    store.chats.delete(CHAT_SCOPE)
    assert index_matches_text(store)
    assert writer(store).execute("SELECT count(*) FROM passages_fts_docsize").fetchone() == (0,)
    [terms] = writer(store).execute("SELECT count(*) FROM temp.words")
    assert terms == (0,)


@pytest.mark.spec("E9", "TR-4")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(st.sampled_from(["add", "edit", "delete"]), st.integers(0, 4), st.text(max_size=40)),
        max_size=15,
    )
)
def test_the_index_is_consistent_after_any_sequence_of_changes(
    store: SqliteStore, edits: list[tuple[str, int, str]]
) -> None:
    for turn, (action, place, text) in enumerate(edits):
        messages = store.messages.list(CHAT_SCOPE)
        if action == "add" or place >= len(messages):
            store.messages.add(a_message(text, id=an_id(str(turn), text)), chunks_of(text))
        elif action == "edit":
            store.messages.edit(CHAT_SCOPE, messages[place].id, text, chunks_of(text), 1)
        else:
            store.messages.delete(CHAT_SCOPE, messages[place].id)

    assert index_matches_text(store)
    for message in store.messages.list(CHAT_SCOPE):
        store.messages.delete(CHAT_SCOPE, message.id)
    assert index_matches_text(store)


def test_the_consistency_check_detects_a_difference(store: SqliteStore) -> None:
    store.messages.add(a_message("Saffron soup"), ())
    writer(store).execute("DROP TRIGGER messages_reindexed; UPDATE messages SET content = 'Onion soup'")

    assert not index_matches_text(store)
    assert [finding.name for finding in store.maintenance.check(deep=True) if not finding.ok] == [
        "full text content"
    ]


def test_every_user_has_separate_index_terms(store: SqliteStore) -> None:
    store.messages.add(a_message("saffron"), ())
    store.messages.add(a_message("saffron", user="bruno"), ())
    words = {str(word) for (word,) in writer(store).execute("SELECT DISTINCT term FROM temp.words")}

    assert {word for word in words if "saffron" in word} == {"1\x1fsaffron", "2\x1fsaffron"}


@pytest.mark.spec("X8", "U3")
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM passages_fts_data WHERE id > 10",
        "UPDATE passages_fts_data SET block = x'00ff00ff' WHERE id > 10",
        "DELETE FROM passages_fts_docsize",
        "DROP TABLE passages_fts",
    ],
)
def test_a_damaged_index_is_rebuilt_from_the_text(store: SqliteStore, path: Path, damage: str) -> None:
    store.messages.add(a_message("Saffron soup"), chunks_of("Saffron ", "soup"))
    store.messages.add(a_message("You are a saffron cook", role=Role.SYSTEM), ())
    writer(store).execute(damage)
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] != []

    assert store.indexes.rebuild("fulltext") == 3
    assert index_matches_text(store)
    hits = store.search.lexical(CHAT_SCOPE, "saffron", limit=9, search_filter=SearchFilter())
    candidates = store.search.load(CHAT_SCOPE, [hit.passage_id for hit in hits], search_filter=SearchFilter())
    assert {candidate.text for candidate in candidates.values()} == {"Saffron soup", "Saffron "}
    assert [finding for finding in store.maintenance.check(deep=True) if not finding.ok] == []
    store.messages.add(a_message("More saffron"), ())
    assert index_matches_text(store)


def test_statistics_are_those_of_the_indexed_texts_and_are_repaired(store: SqliteStore) -> None:
    soup, bread = a_message("Saffron soup", id=an_id("soup")), a_message("Bread", id=an_id("bread"))
    for message in (soup, bread):
        store.messages.add(message, ())
    store.messages.edit(CHAT_SCOPE, soup.id, "Onion soup with salt", (), 4)
    store.memories.add(a_memory("likes saffron"))
    store.messages.delete(CHAT_SCOPE, bread.id)
    statistics = writer(store).execute("SELECT passages, tokens FROM passage_statistics").fetchall()
    writer(store).execute("UPDATE passages SET length = 9; UPDATE passage_statistics SET passages = 9")
    [found] = [check for check in store.maintenance.check() if check.name == "statistics"]
    changes = store.indexes.repair()

    assert statistics == [(2, 5 + 3)]
    assert not found.ok
    assert changes == 1
    assert writer(store).execute("SELECT passages, tokens FROM passage_statistics").fetchall() == statistics
