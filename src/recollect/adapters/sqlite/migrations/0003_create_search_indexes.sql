-- A passage is an indexed text. Its number is the row number times 4 plus its kind: 0 message, 1 chunk, 2 memory,
-- 3 summary. The indexed text is prefixed with the user number and the chat number (0 for memories, which belong to
-- no chat), from which the tokenizer makes separate terms per user.

CREATE VIEW passages AS
    SELECT no * 4 AS passage, user_no, chat_no, content,
        user_no || char(31) || chat_no || char(31) || content AS text
    FROM messages WHERE role IN ('user', 'assistant')
    UNION ALL
    SELECT no * 4 + 1, user_no, chat_no, content, user_no || char(31) || chat_no || char(31) || content
    FROM message_chunks
    UNION ALL
    SELECT no * 4 + 2, user_no, 0, text, user_no || char(31) || 0 || char(31) || text
    FROM memories
    UNION ALL
    SELECT no * 4 + 3, user_no, chat_no, text, user_no || char(31) || chat_no || char(31) || text
    FROM conversation_summaries;

CREATE VIRTUAL TABLE passages_fts USING fts5 (
    text, content = 'passages', content_rowid = 'passage', tokenize = 'recollect'
);
INSERT INTO passages_fts (passages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO passages_fts (rowid, text) SELECT passage, text FROM passages;

CREATE TABLE embedding_models (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    model_no INTEGER NOT NULL REFERENCES embedding_models (no),
    passage INTEGER NOT NULL,
    chat_no INTEGER NOT NULL,
    content_hash INTEGER NOT NULL,
    scale REAL NOT NULL,
    data BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX vectors_once ON vectors (passage, model_no);
CREATE INDEX vectors_of_user ON vectors (user_no, model_no);

-- Queue of passages to embed. A row is deleted only in the transaction that stores the vector.
CREATE TABLE unembedded (
    user_no INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    PRIMARY KEY (user_no, passage)
) STRICT, WITHOUT ROWID;

INSERT INTO unembedded (user_no, passage) SELECT user_no, passage FROM passages;

CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.role IN ('user', 'assistant') BEGIN
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4, new.user_no || char(31) || new.chat_no || char(31) || new.content);
    INSERT INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4);
END;

CREATE TRIGGER messages_reindexed AFTER UPDATE OF content ON messages
WHEN new.role IN ('user', 'assistant') AND new.content IS NOT old.content BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4, old.user_no || char(31) || old.chat_no || char(31) || old.content);
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4, new.user_no || char(31) || new.chat_no || char(31) || new.content);
    DELETE FROM vectors WHERE passage = new.no * 4;
    INSERT OR IGNORE INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4);
END;

CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.role IN ('user', 'assistant') BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4, old.user_no || char(31) || old.chat_no || char(31) || old.content);
    DELETE FROM vectors WHERE passage = old.no * 4;
    DELETE FROM unembedded WHERE user_no = old.user_no AND passage = old.no * 4;
END;

CREATE TRIGGER chunks_indexed AFTER INSERT ON message_chunks BEGIN
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4 + 1, new.user_no || char(31) || new.chat_no || char(31) || new.content);
    INSERT INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4 + 1);
END;

CREATE TRIGGER chunks_unindexed AFTER DELETE ON message_chunks BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4 + 1, old.user_no || char(31) || old.chat_no || char(31) || old.content);
    DELETE FROM vectors WHERE passage = old.no * 4 + 1;
    DELETE FROM unembedded WHERE user_no = old.user_no AND passage = old.no * 4 + 1;
END;

CREATE TRIGGER memories_indexed AFTER INSERT ON memories BEGIN
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4 + 2, new.user_no || char(31) || 0 || char(31) || new.text);
    INSERT INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4 + 2);
END;

CREATE TRIGGER memories_reindexed AFTER UPDATE OF text ON memories WHEN new.text IS NOT old.text BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4 + 2, old.user_no || char(31) || 0 || char(31) || old.text);
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4 + 2, new.user_no || char(31) || 0 || char(31) || new.text);
    DELETE FROM vectors WHERE passage = new.no * 4 + 2;
    INSERT OR IGNORE INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4 + 2);
END;

CREATE TRIGGER memories_unindexed AFTER DELETE ON memories BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4 + 2, old.user_no || char(31) || 0 || char(31) || old.text);
    DELETE FROM vectors WHERE passage = old.no * 4 + 2;
    DELETE FROM unembedded WHERE user_no = old.user_no AND passage = old.no * 4 + 2;
END;

CREATE TRIGGER summaries_indexed AFTER INSERT ON conversation_summaries BEGIN
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4 + 3, new.user_no || char(31) || new.chat_no || char(31) || new.text);
    INSERT INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4 + 3);
END;

CREATE TRIGGER summaries_reindexed AFTER UPDATE OF text ON conversation_summaries
WHEN new.text IS NOT old.text BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4 + 3, old.user_no || char(31) || old.chat_no || char(31) || old.text);
    INSERT INTO passages_fts (rowid, text)
    VALUES (new.no * 4 + 3, new.user_no || char(31) || new.chat_no || char(31) || new.text);
    DELETE FROM vectors WHERE passage = new.no * 4 + 3;
    INSERT OR IGNORE INTO unembedded (user_no, passage) VALUES (new.user_no, new.no * 4 + 3);
END;

CREATE TRIGGER summaries_unindexed AFTER DELETE ON conversation_summaries BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text)
    VALUES ('delete', old.no * 4 + 3, old.user_no || char(31) || old.chat_no || char(31) || old.text);
    DELETE FROM vectors WHERE passage = old.no * 4 + 3;
    DELETE FROM unembedded WHERE user_no = old.user_no AND passage = old.no * 4 + 3;
END;
