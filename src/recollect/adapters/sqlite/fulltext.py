"""The full-text index, when it must be created outside a migration."""

from typing import Final

import apsw

CREATE_FULLTEXT: Final = """
    CREATE VIRTUAL TABLE IF NOT EXISTS passages_fts USING fts5 (
        message, chunk, memory, summary, content = 'passage_texts', content_rowid = 'no', tokenize = 'recollect'
    );
    INSERT INTO passages_fts (passages_fts, rank) VALUES ('secure-delete', 1);
"""
REBUILD_FULLTEXT: Final = f"{CREATE_FULLTEXT} INSERT INTO passages_fts (passages_fts) VALUES ('rebuild');"


#: Lengths of passages as the index counts them, and each user's number and sum of them.
MEASURE_PASSAGES: Final = """
    UPDATE passages SET length = d.length FROM (
        SELECT p.no, coalesce(token_count(s.sz), 0) AS length
        FROM passages p LEFT JOIN passages_fts_docsize s ON s.id = p.no
    ) d WHERE d.no = passages.no AND d.length <> passages.length;
    DELETE FROM passage_statistics;
    INSERT INTO passage_statistics (user_no, passages, tokens)
    SELECT user_no, count(*), sum(length) FROM passages GROUP BY user_no;
"""
#: Users whose statistics are not those of their passages.
SELECT_WRONG_STATISTICS: Final = """
    SELECT u.no FROM users u
    LEFT JOIN passage_statistics s ON s.user_no = u.no
    LEFT JOIN (SELECT user_no, count(*) AS passages, sum(length) AS tokens FROM passages GROUP BY user_no) p
        ON p.user_no = u.no
    WHERE (coalesce(s.passages, 0), coalesce(s.tokens, 0)) <> (coalesce(p.passages, 0), coalesce(p.tokens, 0))
"""


def create_fulltext_index(db: apsw.Connection) -> None:
    """Create an empty index. Its terms are missing until it is rebuilt."""
    db.execute(CREATE_FULLTEXT)


def rebuild_fulltext_index(db: apsw.Connection) -> None:
    """Index all passages anew; create the index if it is missing."""
    db.execute(REBUILD_FULLTEXT)
    measure_passages(db)


def measure_passages(db: apsw.Connection) -> None:
    """Count the lengths of all passages, and the statistics of all users, anew."""
    db.execute(MEASURE_PASSAGES)
