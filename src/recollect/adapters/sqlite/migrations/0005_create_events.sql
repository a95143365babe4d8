ALTER TABLE memories ADD COLUMN value TEXT;
ALTER TABLE memories ADD COLUMN superseded_by TEXT;

-- Extractions: the facts found in a message, so that consolidation can be replayed without calling the model again.
CREATE TABLE judgements (
    message_no INTEGER PRIMARY KEY REFERENCES messages (no) ON DELETE CASCADE,
    user_no INTEGER NOT NULL,
    judge TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;

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
CREATE TABLE verdicts (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (user_no, reason)
) STRICT, WITHOUT ROWID;
