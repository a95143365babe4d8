"""BM25 from postings equals a reference implementation."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.adapters.sqlite.postings import COMMON_TERM_PASSAGES, MAX_FREQUENT_POSTINGS
from recollect.adapters.sqlite.store import SqliteStore
from recollect.domain.candidate import SearchFilter
from recollect.domain.scope import SYSTEM_USER, Scope
from recollect.testing.builders import a_message, an_id
from recollect.text.analyzer import index_terms, query_terms

VOCABULARY = [
    "soup",
    "salt",
    "saffron",
    "bread",
    "butter",
    "calculateTotal",
    "pães",
    "limões",
    "cooking",
    "cooked",
    "the",
]
CHATS = ["kitchen", "garden"]

texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)
statements = st.tuples(st.sampled_from(["ana", "bruno"]), st.sampled_from(CHATS), texts)


def reference_scores(
    corpus: Sequence[tuple[str, str, str]], user: str, chat: str | None, query: str
) -> list[float]:
    """Return the reference scores of the user's texts with any term of the query, best first."""
    corpus = [statement for statement in corpus if statement[0] == user]
    # Each passage has one term more than its text: the marker of its chat.
    lengths = [1 + len(index_terms(text)) for _, _, text in corpus]
    average = sum(lengths) / max(len(lengths), 1)
    counts = [Counter(form for word in index_terms(text) for form in word) for _, _, text in corpus]
    within = [n for n, (_, chat_id, _) in enumerate(corpus) if chat in {None, chat_id}]
    scores: Counter[int] = Counter()
    for forms_of_term in query_terms(query):
        holders = {n: sum(counts[n][form] for form in forms_of_term) for n in within}
        holders = {n: tf for n, tf in holders.items() if tf}
        rarity = math.log(1 + (len(corpus) - len(holders) + 0.5) / (len(holders) + 0.5))
        for n, tf in holders.items():
            scores[n] += rarity * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths[n] / average))  # type: ignore[assignment]
    return sorted(scores.values(), reverse=True)


@pytest.mark.spec("TR-6")
@settings(max_examples=25, deadline=None)
@given(
    corpus=st.lists(statements, min_size=1, max_size=12),
    query=texts,
    user=st.sampled_from(["ana", "bruno"]),
    chat=st.sampled_from([None, *CHATS]),
)
def test_scores_equal_the_bm25_formula(
    corpus: list[tuple[str, str, str]], query: str, user: str, chat: str | None
) -> None:
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "memory.db")
        with store.transaction(SYSTEM_USER):
            for n, (owner, chat_id, text) in enumerate(corpus):
                store.messages.add(a_message(text, user=owner, chat=chat_id, id=an_id(str(n))), ())
        hits = store.search.lexical(Scope(user, chat), query, limit=20, search_filter=SearchFilter())
        store.close()

    assert [hit.score for hit in hits] == pytest.approx(reference_scores(corpus, user, chat, query))


def test_equal_scores_are_ordered_by_passage_number(store: SqliteStore) -> None:
    for n in range(30):
        store.messages.add(a_message("saffron soup", id=an_id(str(n))), ())
    hits = store.search.lexical(Scope("ana"), "saffron", limit=10, search_filter=SearchFilter())

    passages = [passage.id for passage in store.vectors.queue("ana", limit=10).passages]
    assert [hit.passage_id for hit in hits] == passages


def test_scores_of_long_texts_equal_the_bm25_formula(store: SqliteStore) -> None:
    corpus = [("ana", "kitchen", "saffron " * n + "soup " * (17_000 // n)) for n in (1, 3, 100, 1000)]
    for n, (user, chat, text) in enumerate(corpus):
        store.messages.add(a_message(text, user=user, chat=chat, id=an_id(str(n))), ())
    hits = store.search.lexical(Scope("ana"), "saffron", limit=10, search_filter=SearchFilter())

    assert [hit.score for hit in hits] == pytest.approx(reference_scores(corpus, "ana", None, "saffron"))


def test_common_terms_return_the_newest_passages(store: SqliteStore) -> None:
    store.messages.add(a_message("The first.", id=an_id("first")), ())
    with store._database.transaction() as db:
        db.execute(
            f"""
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {COMMON_TERM_PASSAGES})
            INSERT INTO messages (user_no, chat_no, id, role, content, tokens, created_at)
            SELECT user_no, chat_no, id || i, 'user', iif(i % 2, 'It is. It is what it is.', 'It is.'), 3, created_at
            FROM messages, n
            """
        )
    hits = store.search.lexical(Scope("ana"), "Is it?", limit=10, search_filter=SearchFilter())
    newest = [
        no
        for (no,) in db.execute(
            "SELECT no FROM passages ORDER BY no DESC LIMIT ?", (MAX_FREQUENT_POSTINGS + 1,)
        )
    ]

    assert len(hits) == 10
    assert {hit.passage_id for hit in hits} <= set(newest)
