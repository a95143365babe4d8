-- `no` is an internal row number that is never reused; `id` is public. Timestamps are milliseconds since 1970, UTC.
-- Every table of user data has `user_no`, and references between such tables include it, so that no row can refer to
-- one of another user.

CREATE TABLE users (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE preferences (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_no, key)
) STRICT, WITHOUT ROWID;


-- Chats and messages

CREATE TABLE chats (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT,
    mode TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (user_no, id),
    UNIQUE (user_no, no)
) STRICT;

CREATE INDEX chats_by_use ON chats (user_no, updated_at);

CREATE TABLE messages (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    chat_no INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    tool_calls TEXT,
    tool_call_id TEXT,
    client_id TEXT,
    original_bytes INTEGER,
    summary TEXT,
    importance INTEGER CHECK (importance BETWEEN 0 AND 100),
    message_type TEXT CHECK (message_type IN ('chat', 'code', 'decision')),
    extracted INTEGER NOT NULL DEFAULT 0 CHECK (extracted IN (0, 1)),
    metadata TEXT NOT NULL DEFAULT '{}',
    UNIQUE (user_no, id),
    UNIQUE (user_no, no),
    FOREIGN KEY (user_no, chat_no) REFERENCES chats (user_no, no) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX messages_once ON messages (user_no, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX messages_of_chat ON messages (user_no, chat_no);
CREATE INDEX messages_by_time ON messages (user_no, created_at);
CREATE INDEX messages_by_importance ON messages (user_no, importance, created_at) WHERE importance > 0;
CREATE INDEX messages_unextracted ON messages (user_no, extracted) WHERE extracted = 0 AND role <> 'system';

CREATE TABLE chunks (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL,
    chunk_index INTEGER NOT NULL,
    chunk_kind TEXT NOT NULL CHECK (chunk_kind IN ('code', 'prose')),
    content TEXT NOT NULL,
    start INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    language TEXT,
    UNIQUE (user_no, message_no, chunk_index),
    FOREIGN KEY (user_no, message_no) REFERENCES messages (user_no, no) ON DELETE CASCADE
) STRICT;

CREATE TABLE summaries (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    chat_no INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('conversation', 'working')),
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    last_message_no INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (user_no, id),
    FOREIGN KEY (user_no, chat_no) REFERENCES chats (user_no, no) ON DELETE CASCADE
) STRICT;

CREATE INDEX summaries_of_chat ON summaries (user_no, chat_no);


-- Memories

CREATE TABLE memories (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    chat_no INTEGER,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    kind TEXT NOT NULL,
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    status TEXT NOT NULL CHECK (
        status IN ('active', 'quarantined', 'contested', 'superseded', 'archived', 'forgotten')
    ),
    origin TEXT NOT NULL,
    speaker TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '[]',
    metadata TEXT NOT NULL DEFAULT '{}',
    times_stated INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 1,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    attribute TEXT,
    value TEXT,
    superseded_by TEXT,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    reason TEXT,
    fact_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_stated_at INTEGER NOT NULL,
    UNIQUE (user_no, id),
    UNIQUE (user_no, no),
    FOREIGN KEY (user_no, chat_no) REFERENCES chats (user_no, no)
) STRICT;

CREATE UNIQUE INDEX memories_once ON memories (user_no, fact_hash) WHERE status = 'active';
CREATE INDEX memories_by_status ON memories (user_no, status, last_stated_at);
CREATE INDEX memories_by_attribute ON memories (user_no, attribute) WHERE attribute IS NOT NULL;
CREATE INDEX memories_by_weight ON memories (user_no, weight, last_stated_at) WHERE status = 'active';
CREATE INDEX memories_of_chat ON memories (user_no, chat_no);

-- Instead of ON DELETE SET NULL, which would also set `user_no`.
CREATE TRIGGER memories_outlive_chats BEFORE DELETE ON chats BEGIN
    UPDATE memories SET chat_no = NULL WHERE user_no = old.user_no AND chat_no = old.no;
END;

CREATE TABLE memory_spans (
    user_no INTEGER NOT NULL,
    memory_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (user_no, memory_no, message_no, start),
    FOREIGN KEY (user_no, memory_no) REFERENCES memories (user_no, no) ON DELETE CASCADE,
    FOREIGN KEY (user_no, message_no) REFERENCES messages (user_no, no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX spans_of_message ON memory_spans (user_no, message_no);

-- `body` is the complete version for undo: all columns except the text, and the source spans.
CREATE TABLE memory_versions (
    user_no INTEGER NOT NULL,
    memory_no INTEGER NOT NULL,
    version INTEGER NOT NULL,
    change TEXT NOT NULL,
    text TEXT NOT NULL,
    old_text TEXT,
    kind TEXT NOT NULL,
    weight REAL NOT NULL,
    status TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    reason TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (user_no, memory_no, version),
    FOREIGN KEY (user_no, memory_no) REFERENCES memories (user_no, no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Forgotten facts, without their text.
CREATE TABLE tombstones (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    fact_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_no, fact_hash)
) STRICT, WITHOUT ROWID;

-- The facts found in a message, so that consolidation can be replayed without calling the model again.
CREATE TABLE extractions (
    user_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (user_no, message_no),
    FOREIGN KEY (user_no, message_no) REFERENCES messages (user_no, no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Changes to memories, in order; `body` lists each memory with its previous version.
CREATE TABLE events (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    body TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
    UNIQUE (user_no, id)
) STRICT;

-- Number of triage and extraction decisions by reason.
CREATE TABLE triage_counts (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (user_no, reason)
) STRICT, WITHOUT ROWID;


-- Profile, consents, audit log and context files

CREATE TABLE profiles (
    user_no INTEGER PRIMARY KEY REFERENCES users (no) ON DELETE CASCADE,
    body TEXT NOT NULL,
    notes TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE consents (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    category TEXT NOT NULL,
    granted INTEGER NOT NULL CHECK (granted IN (0, 1)),
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (user_no, category)
) STRICT, WITHOUT ROWID;

-- `hash` is that of this entry and of the user's previous one.
CREATE TABLE audit_log (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_of_user ON audit_log (user_no);

CREATE TABLE context_files (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_no, id),
    UNIQUE (user_no, no)
) STRICT;

CREATE TABLE context_file_chats (
    user_no INTEGER NOT NULL,
    chat_no INTEGER NOT NULL,
    file_no INTEGER NOT NULL,
    PRIMARY KEY (user_no, chat_no, file_no),
    FOREIGN KEY (user_no, chat_no) REFERENCES chats (user_no, no) ON DELETE CASCADE,
    FOREIGN KEY (user_no, file_no) REFERENCES context_files (user_no, no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX chats_of_context_file ON context_file_chats (user_no, file_no);

CREATE TABLE imports (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (user_no, id),
    UNIQUE (user_no, no)
) STRICT;

-- Entries stay when the item is deleted, so that importing the file again does not bring it back.
CREATE TABLE import_entries (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    import_no INTEGER NOT NULL,
    source_id TEXT NOT NULL,
    item TEXT NOT NULL CHECK (item IN ('message', 'event', 'context_file')),
    item_id TEXT NOT NULL,
    UNIQUE (user_no, source_id),
    FOREIGN KEY (user_no, import_no) REFERENCES imports (user_no, no) ON DELETE CASCADE
) STRICT;

CREATE INDEX import_entries_of_import ON import_entries (user_no, import_no);


-- Jobs and token usage

CREATE TABLE jobs (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'leased', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    rerun INTEGER NOT NULL DEFAULT 0 CHECK (rerun IN (0, 1)),
    fencing_token INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER,
    run_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    reason TEXT,
    UNIQUE (user_no, kind, key)
) STRICT;

-- Workers lease the next job of any user.
CREATE INDEX jobs_due ON jobs (state, run_at);

-- Tokens of language models: reserved before a call and settled after it.
CREATE TABLE token_usage (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    day TEXT NOT NULL,
    chat TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (user_no, day, chat)
) STRICT, WITHOUT ROWID;


-- Access to servers, and what several servers on one database share. These tables belong to no user's data, and backups
-- do not contain their rows. A `hash` is that of a secret, which is not stored.

-- `secret` is the value of the owner's token, which the command line prints.
CREATE TABLE access_tokens (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    user TEXT NOT NULL,
    is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
    hash TEXT NOT NULL UNIQUE,
    secret TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE login_codes (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    user TEXT NOT NULL,
    is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    user TEXT NOT NULL,
    is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
    csrf_token TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
    hash TEXT NOT NULL PRIMARY KEY,
    request_hash TEXT NOT NULL,
    is_finished INTEGER NOT NULL CHECK (is_finished IN (0, 1)),
    claimed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at);

-- Requests of a token per minute since 1970.
CREATE TABLE rate_limits (
    name TEXT NOT NULL,
    minute INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (name, minute)
) STRICT, WITHOUT ROWID;

-- When a regular task was last begun by any worker.
CREATE TABLE schedules (
    name TEXT NOT NULL PRIMARY KEY,
    claimed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;


-- Receipts, feedback and injections

CREATE TABLE receipts (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    chat TEXT,
    created_at INTEGER NOT NULL,
    query TEXT,
    tokens INTEGER NOT NULL,
    budget INTEGER NOT NULL,
    item_ids TEXT NOT NULL,  -- JSON array
    body BLOB NOT NULL,  -- compressed JSON, without any text of the items
    UNIQUE (user_no, id)
) STRICT;

CREATE INDEX receipts_of_user ON receipts (user_no);
CREATE INDEX receipts_of_chat ON receipts (user_no, chat);
-- Expired receipts of all users are deleted together.
CREATE INDEX receipts_by_age ON receipts (created_at);

-- Relevance feedback on recalled passages. It outlives the receipt and is deleted with the passage.
CREATE TABLE feedback (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    receipt TEXT NOT NULL,
    item TEXT NOT NULL,
    relevant INTEGER NOT NULL CHECK (relevant IN (0, 1)),
    query TEXT,
    chat TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_no, item, receipt)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER feedback_on_deleted_memory AFTER DELETE ON memories BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
END;

-- A chunk's id is its message's id, # and a number. $ is the character after #.
CREATE TRIGGER feedback_on_deleted_message AFTER DELETE ON messages BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
    DELETE FROM feedback WHERE user_no = old.user_no AND item > old.id || '#' AND item < old.id || '$';
END;

CREATE TRIGGER feedback_on_deleted_summary AFTER DELETE ON summaries BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
END;

CREATE TRIGGER feedback_in_deleted_chat AFTER DELETE ON chats BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND chat = old.id;
END;

-- Context injected after a message, so that later turns can send the same bytes at the same place.
CREATE TABLE injections (
    user_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL,
    receipt_id TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (user_no, message_no),
    FOREIGN KEY (user_no, message_no) REFERENCES messages (user_no, no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Passages shown in an injection. `owner` is the id of the source row; for a chunk that is its message.
CREATE TABLE injection_items (
    user_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (user_no, message_no, source, id),
    FOREIGN KEY (user_no, message_no) REFERENCES injections (user_no, message_no) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX injection_items_by_owner ON injection_items (user_no, owner);

-- An injection is deleted when a passage in it is corrected, forgotten, deleted or loses its consent.
CREATE TRIGGER injections_of_edited_message AFTER UPDATE OF content ON messages
WHEN new.content IS NOT old.content BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND (message_no = old.no OR message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source IN ('message', 'message_chunk')
    ));
END;

CREATE TRIGGER injections_of_deleted_message AFTER DELETE ON messages BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source IN ('message', 'message_chunk')
    );
END;

CREATE TRIGGER injections_of_changed_memory AFTER UPDATE OF text, status ON memories
WHEN new.text IS NOT old.text OR new.status = 'forgotten' BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source = 'memory'
    );
END;

CREATE TRIGGER injections_of_deleted_memory AFTER DELETE ON memories BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source = 'memory'
    );
END;

CREATE TRIGGER injections_of_deleted_summary AFTER DELETE ON summaries BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source = 'summary'
    );
END;

CREATE TRIGGER injections_of_deleted_context_file AFTER DELETE ON context_files BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = old.id AND source = 'context'
    );
END;

CREATE TRIGGER injections_of_deleted_profile AFTER DELETE ON profiles BEGIN
    DELETE FROM injections WHERE user_no = old.user_no AND message_no IN (
        SELECT message_no FROM injection_items
        WHERE user_no = old.user_no AND owner = 'profile' AND source = 'profile'
    );
END;


-- Search: everything below is derived from the tables above, by triggers, and can be rebuilt.

-- A passage is an indexed text: row `row_no` of the table of its kind, which is 0 (message), 1 (chunk), 2 (memory) or
-- 3 (summary). Memories belong to no chat; their `chat_no` is 0. Equal scores are ordered by `no`; it grows with the row
-- number, so that a memory precedes the more numerous messages. Nothing else depends on how it is formed.
CREATE TABLE passages (
    no INTEGER PRIMARY KEY,
    user_no INTEGER NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    row_no INTEGER NOT NULL,
    chat_no INTEGER NOT NULL,
    UNIQUE (user_no, kind, row_no)
) STRICT;

CREATE INDEX passages_of_chat ON passages (user_no, chat_no);

-- The rows that must have a passage.
CREATE VIEW passage_rows AS
    SELECT 4 * no AS no, user_no, 0 AS kind, no AS row_no, chat_no FROM messages WHERE role IN ('user', 'assistant')
    UNION ALL
    SELECT 4 * c.no + 1, c.user_no, 1, c.no, m.chat_no FROM chunks c JOIN messages m ON m.no = c.message_no
    UNION ALL
    SELECT 4 * no + 2, user_no, 2, no, 0 FROM memories
    UNION ALL
    SELECT 4 * no + 3, user_no, 3, no, chat_no FROM summaries;

CREATE VIEW passage_contents AS
    SELECT no, user_no, kind, chat_no, CASE kind
        WHEN 0 THEN (SELECT content FROM messages WHERE messages.no = row_no)
        WHEN 1 THEN (SELECT content FROM chunks WHERE chunks.no = row_no)
        WHEN 2 THEN (SELECT text FROM memories WHERE memories.no = row_no)
        WHEN 3 THEN (SELECT text FROM summaries WHERE summaries.no = row_no)
        END AS content
    FROM passages;

-- One column per kind, so that a query can be restricted to some kinds. A text is prefixed with the numbers of its user
-- and chat, from which the tokenizer makes separate terms per user and a marker term per chat.
CREATE VIEW passage_texts AS
    SELECT no,
        CASE kind WHEN 0 THEN user_no || char(31) || chat_no || char(31) || content END AS message,
        CASE kind WHEN 1 THEN user_no || char(31) || chat_no || char(31) || content END AS chunk,
        CASE kind WHEN 2 THEN user_no || char(31) || chat_no || char(31) || content END AS memory,
        CASE kind WHEN 3 THEN user_no || char(31) || chat_no || char(31) || content END AS summary
    FROM passage_contents;

CREATE VIRTUAL TABLE passages_fts USING fts5 (
    message, chunk, memory, summary, content = 'passage_texts', content_rowid = 'no', tokenize = 'recollect'
);
INSERT INTO passages_fts (passages_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE embedding_models (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    model_no INTEGER NOT NULL REFERENCES embedding_models (no),
    passage_no INTEGER NOT NULL,
    content_hash INTEGER NOT NULL,
    scale REAL NOT NULL,
    data BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX vectors_once ON vectors (passage_no, model_no);
CREATE INDEX vectors_of_user ON vectors (user_no, model_no);

-- Log of deleted vectors, read by in-memory caches. A cache that missed the oldest entry reads all vectors again.
CREATE TABLE deleted_vectors (
    no INTEGER PRIMARY KEY,
    vector_no INTEGER NOT NULL
) STRICT;

CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
    INSERT INTO deleted_vectors (vector_no) VALUES (old.no);
    DELETE FROM deleted_vectors WHERE no <= (SELECT max(no) FROM deleted_vectors) - 10000;
END;

-- Passages to embed. A row is deleted only in the transaction that stores the vector.
CREATE TABLE embedding_queue (
    user_no INTEGER NOT NULL,
    passage_no INTEGER NOT NULL,
    PRIMARY KEY (user_no, passage_no)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO embedding_queue (user_no, passage_no) VALUES (new.user_no, new.no);
    INSERT INTO passages_fts (rowid, message, chunk, memory, summary)
    SELECT no, message, chunk, memory, summary FROM passage_texts WHERE no = new.no;
END;

CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    DELETE FROM vectors WHERE passage_no = old.no;
    DELETE FROM embedding_queue WHERE user_no = old.user_no AND passage_no = old.no;
END;

-- A full-text entry is deleted with the text that was indexed, which only the triggers on the source tables know.

CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.role IN ('user', 'assistant') BEGIN
    INSERT INTO passages (no, user_no, kind, row_no, chat_no)
    VALUES (4 * new.no, new.user_no, 0, new.no, new.chat_no);
END;

CREATE TRIGGER messages_reindexed AFTER UPDATE OF content ON messages
WHEN new.role IN ('user', 'assistant') AND new.content IS NOT old.content BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, message)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.content FROM passages
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    INSERT INTO passages_fts (rowid, message)
    SELECT no, user_no || char(31) || chat_no || char(31) || new.content FROM passages
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    DELETE FROM vectors WHERE passage_no = (
        SELECT no FROM passages WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no
    );
    INSERT OR IGNORE INTO embedding_queue (user_no, passage_no)
    SELECT user_no, no FROM passages WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
END;

CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.role IN ('user', 'assistant') BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, message)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.content FROM passages
    WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
    DELETE FROM passages WHERE user_no = old.user_no AND kind = 0 AND row_no = old.no;
END;

CREATE TRIGGER chunks_indexed AFTER INSERT ON chunks BEGIN
    INSERT INTO passages (no, user_no, kind, row_no, chat_no)
    SELECT 4 * new.no + 1, new.user_no, 1, new.no, chat_no FROM messages WHERE no = new.message_no;
END;

CREATE TRIGGER chunks_unindexed AFTER DELETE ON chunks BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, chunk)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.content FROM passages
    WHERE user_no = old.user_no AND kind = 1 AND row_no = old.no;
    DELETE FROM passages WHERE user_no = old.user_no AND kind = 1 AND row_no = old.no;
END;

CREATE TRIGGER memories_indexed AFTER INSERT ON memories BEGIN
    INSERT INTO passages (no, user_no, kind, row_no, chat_no) VALUES (4 * new.no + 2, new.user_no, 2, new.no, 0);
END;

CREATE TRIGGER memories_reindexed AFTER UPDATE OF text ON memories WHEN new.text IS NOT old.text BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, memory)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.text FROM passages
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    INSERT INTO passages_fts (rowid, memory)
    SELECT no, user_no || char(31) || chat_no || char(31) || new.text FROM passages
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    DELETE FROM vectors WHERE passage_no = (
        SELECT no FROM passages WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no
    );
    INSERT OR IGNORE INTO embedding_queue (user_no, passage_no)
    SELECT user_no, no FROM passages WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
END;

CREATE TRIGGER memories_unindexed AFTER DELETE ON memories BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, memory)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.text FROM passages
    WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
    DELETE FROM passages WHERE user_no = old.user_no AND kind = 2 AND row_no = old.no;
END;

CREATE TRIGGER summaries_indexed AFTER INSERT ON summaries BEGIN
    INSERT INTO passages (no, user_no, kind, row_no, chat_no)
    VALUES (4 * new.no + 3, new.user_no, 3, new.no, new.chat_no);
END;

CREATE TRIGGER summaries_unindexed AFTER DELETE ON summaries BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, summary)
    SELECT 'delete', no, user_no || char(31) || chat_no || char(31) || old.text FROM passages
    WHERE user_no = old.user_no AND kind = 3 AND row_no = old.no;
    DELETE FROM passages WHERE user_no = old.user_no AND kind = 3 AND row_no = old.no;
END;
