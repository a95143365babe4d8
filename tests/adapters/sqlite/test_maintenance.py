"""Repair of derived indexes: each kind of difference is found and repaired, and nothing else changes."""

from pathlib import Path

import apsw
import pytest

from recollect.adapters.sqlite.fulltext import REBUILD_FULLTEXT
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.testing.builders import ANA, KITCHEN, a_memory, a_message, chunks_of
from recollect.testing.embedders import LetterEmbedder

CHAT_SCOPE = Scope(ANA, KITCHEN)
EMBEDDER = LetterEmbedder()
SOUP, BREAD = a_message("Saffron soup"), a_message("Bread and butter")
SOURCE_TABLES = (
    "users",
    "chats",
    "messages",
    "chunks",
    "memories",
    "memory_versions",
    "jobs",
    "preferences",
)
DERIVED_TABLE_QUERIES = {
    "passages": "SELECT * FROM passages ORDER BY no",
    "vectors": "SELECT passage_no, user_no, content_hash, data FROM vectors ORDER BY passage_no",
    "queue": "SELECT * FROM embedding_queue ORDER BY passage_no",
    "index": "SELECT doc, term, col, offset FROM temp.words ORDER BY 1, 4, 2",
}


@pytest.fixture
def store(path: Path) -> SqliteStore:
    """Two messages, a chunk and a memory with vectors, and a message queued for one."""
    store = SqliteStore(path)
    store.messages.add(SOUP, chunks_of("Saffron soup"))
    store.messages.add(BREAD, ())
    store.memories.add(a_memory("likes saffron"))
    embed_pending(store)
    store.messages.add(a_message("Not embedded yet"), ())
    return store


def embed_pending(store: SqliteStore) -> None:
    batch = store.vectors.queue(ANA, limit=100).passages
    store.vectors.put(ANA, "letters", [(p, EMBEDDER.embed_query(p.text)) for p in batch])


def writer(store: SqliteStore) -> apsw.Connection:
    return store._database._writer


def read_source_rows(store: SqliteStore) -> dict[str, list[object]]:
    return {
        table: list(writer(store).execute(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in SOURCE_TABLES
    }


def read_derived_rows(store: SqliteStore) -> dict[str, list[object]]:
    return {name: list(writer(store).execute(sql)) for name, sql in DERIVED_TABLE_QUERIES.items()}


def failed_checks(store: SqliteStore) -> set[str]:
    return {finding.name for finding in store.maintenance.check(deep=True) if not finding.ok}


DELETE_FULLTEXT_SQL = """
    INSERT INTO passages_fts (passages_fts, rowid, message) SELECT 'delete', no, message FROM passage_texts
    WHERE no = 4
"""
#: SQL that makes an index differ, the failed checks, and whether the vector must be recomputed.
INDEX_DIFFERENCES = {
    "a passage without words": (DELETE_FULLTEXT_SQL, {"full text", "full text content"}, False),
    "words without a passage": (
        "INSERT INTO passages_fts (rowid, chunk) VALUES (4000, '1' || char(31) || '1' || char(31) || 'ghost')",
        {"full text", "full text content"},
        False,
    ),
    "a vector without a passage": (
        """
        INSERT INTO vectors (user_no, model_no, passage_no, content_hash, scale, data)
        SELECT user_no, model_no, 4000, content_hash, scale, data FROM vectors LIMIT 1
        """,
        {"orphan vectors"},
        False,
    ),
    "neither vector nor place in the queue": ("DELETE FROM vectors WHERE passage_no = 4", {"vectors"}, True),
    "a promise for nothing": ("INSERT INTO embedding_queue VALUES (1, 4000)", set(), False),
    "a vector of an older text": ("UPDATE vectors SET content_hash = 7 WHERE passage_no = 4", {"stale vectors"}, True),
    "no index at all": ("DROP TABLE passages_fts", {"readable", "full text content"}, False),
}  # fmt: skip


@pytest.mark.spec("V1", "TR-12", "X8")
@pytest.mark.parametrize(
    ("damage", "names", "embeds"), INDEX_DIFFERENCES.values(), ids=INDEX_DIFFERENCES.keys()
)
def test_each_difference_is_repaired_and_nothing_else_is_changed(
    store: SqliteStore, damage: str, names: set[str], embeds: bool
) -> None:
    before, well = read_source_rows(store), read_derived_rows(store)
    writer(store).execute(damage)
    assert failed_checks(store) <= names
    assert not names or failed_checks(store)

    assert store.indexes.repair() >= 1
    assert failed_checks(store) == set()
    assert read_source_rows(store) == before
    if embeds:
        batch = store.vectors.queue(ANA, limit=1).passages
        assert [passage.id for passage in batch] == [4]
        store.vectors.put(ANA, "letters", [(p, EMBEDDER.embed_query(p.text)) for p in batch])
    assert read_derived_rows(store) == well
    assert store.indexes.repair() == 0
    store.close()


@pytest.mark.spec("TR-12")
def test_repairing_a_consistent_store_writes_nothing(store: SqliteStore, path: Path) -> None:
    observer = apsw.Connection(str(path))
    before = (observer.pragma("data_version"), writer(store).total_changes())

    assert store.indexes.repair() == 0
    assert (observer.pragma("data_version"), writer(store).total_changes()) == before
    observer.close()
    store.close()


def test_optimizing_merges_the_index_into_one_segment_and_changes_no_term(store: SqliteStore) -> None:
    def pieces() -> object:
        return writer(store).execute("SELECT count(DISTINCT segid) FROM passages_fts_idx").get

    for number in range(20):
        store.messages.add(a_message(f"Saffron rice, the {number}th time"), ())
    before, well = read_source_rows(store), read_derived_rows(store)
    assert pieces() != 1

    assert store.indexes.optimize() > 0
    assert pieces() == 1
    assert store.indexes.optimize() == 0
    assert read_source_rows(store) == before
    assert read_derived_rows(store) == well
    assert failed_checks(store) == set()
    store.close()


@pytest.mark.spec("U3", "X8")
def test_rebuilding_the_full_text_changes_neither_rows_nor_vectors(store: SqliteStore) -> None:
    before, well = read_source_rows(store), read_derived_rows(store)

    assert store.indexes.rebuild("fulltext") == 5
    assert read_source_rows(store) == before
    assert read_derived_rows(store) == well
    store.close()


@pytest.mark.spec("X8")
def test_rebuilding_the_vectors_queues_every_passage_and_changes_nothing_else(store: SqliteStore) -> None:
    before, well = read_source_rows(store), read_derived_rows(store)

    assert store.indexes.rebuild("vectors") == 5
    assert read_source_rows(store) == before
    assert store.vectors.count_queued(ANA) == 5
    assert store.vectors.count_by_model(ANA) == {}
    assert store.search.dense(
        CHAT_SCOPE, EMBEDDER.embed_query("soup"), model="letters", limit=9, search_filter=SearchFilter()
    ) == []  # fmt: skip
    embed_pending(store)
    rebuilt = read_derived_rows(store)["vectors"][:4]
    assert [row[:4] for row in rebuilt] == [row[:4] for row in well["vectors"]]  # type: ignore[index]
    store.close()


def test_an_unknown_index_cannot_be_rebuilt(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match="fulltext or vectors"):
        store.indexes.rebuild("everything")
    store.close()


def test_a_recreated_index_equals_that_of_the_migration(store: SqliteStore) -> None:
    select_sql = "SELECT sql FROM sqlite_schema WHERE name = 'passages_fts'"
    [(first,)] = writer(store).execute(select_sql)
    writer(store).execute("DROP TABLE passages_fts")
    writer(store).execute(REBUILD_FULLTEXT)
    [(second,)] = writer(store).execute(select_sql)
    settings = "SELECT k, v FROM passages_fts_config ORDER BY k"

    assert "".join(str(first).split()) == "".join(str(second).split())
    assert ("secure-delete", 1) in list(writer(store).execute(settings))
    store.close()


def test_sizes_are_reported_by_part_and_add_up(store: SqliteStore) -> None:
    sizes = dict(store.maintenance.stats(Scope(ANA)).sizes)
    total = sizes.pop("total")
    [(pages,)] = writer(store).execute(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    )

    assert sum(sizes.values()) == total <= pages
    assert (
        min(sizes[part] for part in ("messages", "chunks", "memories", "embeddings", "fts", "receipts")) > 0
    )
    store.close()


def test_a_file_readable_by_others_is_reported(store: SqliteStore, path: Path) -> None:
    path.chmod(0o644)
    [finding] = [finding for finding in store.maintenance.check() if not finding.ok]

    assert (finding.name, finding.detail, finding.fix) == ("file mode", "644", f"chmod 600 {path}")
    store.close()
