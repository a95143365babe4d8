-- A version in full, so that it can be brought back: every column but its text, and the words it rested on.
ALTER TABLE memory_versions ADD COLUMN body TEXT;

-- What was asked of a language model, by day and chat: tokens are set aside before the call and settled after it.
CREATE TABLE spending (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    day TEXT NOT NULL,
    chat TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (user_no, day, chat)
) STRICT, WITHOUT ROWID;
