-- Timestamps are milliseconds since 1970, UTC. `no` is an internal row number that is never reused; `id` is public.

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

CREATE TABLE chats (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT,
    mode TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (user_no, id)
) STRICT;

CREATE INDEX chats_by_use ON chats (user_no, updated_at);

CREATE TABLE messages (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    chat_no INTEGER NOT NULL REFERENCES chats (no) ON DELETE CASCADE,
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
    UNIQUE (user_no, id)
) STRICT;

CREATE UNIQUE INDEX messages_once ON messages (user_no, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX messages_in_order ON messages (user_no, chat_no);
CREATE INDEX messages_unextracted ON messages (user_no) WHERE extracted = 0 AND role <> 'system';

CREATE TABLE message_chunks (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    chat_no INTEGER NOT NULL REFERENCES chats (no) ON DELETE CASCADE,
    message_no INTEGER NOT NULL REFERENCES messages (no) ON DELETE CASCADE,
    chunk_index INTEGER NOT NULL,
    chunk_kind TEXT NOT NULL CHECK (chunk_kind IN ('code', 'prose')),
    content TEXT NOT NULL,
    start INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    language TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (user_no, message_no, chunk_index)
) STRICT;

CREATE INDEX chunks_of_message ON message_chunks (message_no);
CREATE INDEX chunks_of_chat ON message_chunks (chat_no);
