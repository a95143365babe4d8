CREATE TABLE jobs (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'leased', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    again INTEGER NOT NULL DEFAULT 0 CHECK (again IN (0, 1)),
    lease INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER,
    run_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    reason TEXT,
    UNIQUE (user_no, kind, key)
) STRICT;

CREATE INDEX jobs_due ON jobs (state, run_at);

CREATE TABLE receipts (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    id TEXT NOT NULL,
    chat TEXT,
    created_at INTEGER NOT NULL,
    query TEXT,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    budget INTEGER NOT NULL,
    total_ms REAL NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (user_no, id)
) STRICT;

CREATE INDEX receipts_by_age ON receipts (created_at);
