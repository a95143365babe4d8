-- Complete version for undo: all columns except the text, and the source spans.
ALTER TABLE memory_versions ADD COLUMN body TEXT;

-- Token usage of language models by day and chat: tokens are reserved before a call and settled after it.
CREATE TABLE spending (
    user_no INTEGER NOT NULL REFERENCES users (no) ON DELETE CASCADE,
    day TEXT NOT NULL,
    chat TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (user_no, day, chat)
) STRICT, WITHOUT ROWID;
