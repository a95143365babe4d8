-- BM25 uses the number and the mean length of the user's own passages, so that no score depends on the texts of others.

-- `length` is the number of words of the text and one marker, as the full-text index counts them.
ALTER TABLE passages ADD COLUMN length INTEGER NOT NULL DEFAULT 0;

-- Number and total length of a user's passages.
CREATE TABLE passage_statistics (
    user_no INTEGER PRIMARY KEY REFERENCES users (no) ON DELETE CASCADE,
    passages INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;

UPDATE passages SET length = coalesce((SELECT token_count(sz) FROM passages_fts_docsize WHERE id = passages.no), 0);
INSERT INTO passage_statistics (user_no, passages, tokens)
SELECT user_no, count(*), sum(length) FROM passages GROUP BY user_no;

CREATE TRIGGER passages_measured AFTER UPDATE OF length ON passages BEGIN
    UPDATE passage_statistics SET tokens = tokens + new.length - old.length WHERE user_no = new.user_no;
END;

DROP TRIGGER passages_added;
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO embedding_queue (user_no, passage_no) VALUES (new.user_no, new.no);
    INSERT INTO passages_fts (rowid, message, chunk, memory, summary)
    SELECT no, message, chunk, memory, summary FROM passage_texts WHERE no = new.no;
    INSERT INTO passage_statistics (user_no, passages, tokens) VALUES (new.user_no, 1, new.length)
    ON CONFLICT (user_no) DO UPDATE SET passages = passages + 1, tokens = tokens + excluded.tokens;
    UPDATE passages SET length = (SELECT token_count(sz) FROM passages_fts_docsize WHERE id = new.no) WHERE no = new.no;
END;

DROP TRIGGER passages_deleted;
CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    DELETE FROM vectors WHERE passage_no = old.no;
    DELETE FROM embedding_queue WHERE user_no = old.user_no AND passage_no = old.no;
    UPDATE passage_statistics SET passages = passages - 1, tokens = tokens - old.length WHERE user_no = old.user_no;
END;

DROP TRIGGER messages_reindexed;
CREATE TRIGGER messages_reindexed AFTER UPDATE OF content ON messages
WHEN new.role IN ('user', 'assistant') AND new.content IS NOT old.content BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, message)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.content FROM passages
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    INSERT INTO passages_fts (rowid, message)
    SELECT no, user_no || char(31) || chat_no || char(31) || new.content FROM passages
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    UPDATE passages SET length = (SELECT token_count(sz) FROM passages_fts_docsize WHERE id = passages.no)
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    DELETE FROM vectors WHERE passage_no = (
        SELECT no FROM passages WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no
    );
    INSERT OR IGNORE INTO embedding_queue (user_no, passage_no)
    SELECT user_no, no FROM passages WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
END;

DROP TRIGGER memories_reindexed;
CREATE TRIGGER memories_reindexed AFTER UPDATE OF text ON memories WHEN new.text IS NOT old.text BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, memory)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.text FROM passages
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    INSERT INTO passages_fts (rowid, memory)
    SELECT no, user_no || char(31) || chat_no || char(31) || new.text FROM passages
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    UPDATE passages SET length = (SELECT token_count(sz) FROM passages_fts_docsize WHERE id = passages.no)
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    DELETE FROM vectors WHERE passage_no = (
        SELECT no FROM passages WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no
    );
    INSERT OR IGNORE INTO embedding_queue (user_no, passage_no)
    SELECT user_no, no FROM passages WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
END;
