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


def create_fulltext_index(db: apsw.Connection) -> None:
    """Create an empty index. Its terms are missing until it is rebuilt."""
    db.execute(CREATE_FULLTEXT)


def rebuild_fulltext_index(db: apsw.Connection) -> None:
    """Index all passages anew; create the index if it is missing."""
    db.execute(REBUILD_FULLTEXT)
