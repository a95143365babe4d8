CREATE TABLE memories (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    chat_no INTEGER REFERENCES chats (no) ON DELETE SET NULL,
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
    times_stated INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 1,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    attribute TEXT,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    reason TEXT,
    fact_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_stated_at INTEGER NOT NULL,
    UNIQUE (user_no, id)
) STRICT;

CREATE UNIQUE INDEX memories_once ON memories (user_no, fact_hash) WHERE status = 'active';
CREATE INDEX memories_by_status ON memories (user_no, status, last_stated_at);
CREATE INDEX memories_by_attribute ON memories (user_no, attribute) WHERE attribute IS NOT NULL;

CREATE TABLE memory_spans (
    user_no INTEGER NOT NULL,
    memory_no INTEGER NOT NULL REFERENCES memories (no) ON DELETE CASCADE,
    message_no INTEGER NOT NULL REFERENCES messages (no) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (user_no, memory_no, message_no, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX spans_of_message ON memory_spans (message_no);

CREATE TABLE memory_versions (
    user_no INTEGER NOT NULL,
    memory_no INTEGER NOT NULL REFERENCES memories (no) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    change TEXT NOT NULL,
    text TEXT NOT NULL,
    old_text TEXT,
    kind TEXT NOT NULL,
    weight REAL NOT NULL,
    status TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    reason TEXT,
    PRIMARY KEY (user_no, memory_no, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX versions_of_memory ON memory_versions (memory_no);

CREATE TABLE tombstones (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    fact_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_no, fact_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversation_summaries (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    chat_no INTEGER NOT NULL REFERENCES chats (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('conversation', 'working')),
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    last_message_no INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (user_no, id)
) STRICT;

CREATE INDEX summaries_of_chat ON conversation_summaries (chat_no);

CREATE TABLE user_profile (
    user_no INTEGER PRIMARY KEY REFERENCES users (no) ON DELETE CASCADE,
    body TEXT NOT NULL,
    notes TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE consents (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    category TEXT NOT NULL,
    granted INTEGER NOT NULL CHECK (granted IN (0, 1)),
    epoch INTEGER NOT NULL DEFAULT 1,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (user_no, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE context_files (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_no, id)
) STRICT;

CREATE TABLE context_chats (
    user_no INTEGER NOT NULL,
    chat_no INTEGER NOT NULL REFERENCES chats (no) ON DELETE CASCADE,
    context_no INTEGER NOT NULL REFERENCES context_files (no) ON DELETE CASCADE,
    PRIMARY KEY (user_no, chat_no, context_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX chats_of_context ON context_chats (context_no);

CREATE TABLE audit (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    chain TEXT NOT NULL
) STRICT;

CREATE INDEX audit_of_user ON audit (user_no);
