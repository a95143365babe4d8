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

CREATE TRIGGER feedback_on_memory_gone AFTER DELETE ON memories BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
END;

-- A chunk's id is its message's id, # and a number. $ is the character after #.
CREATE TRIGGER feedback_on_message_gone AFTER DELETE ON messages BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
    DELETE FROM feedback WHERE user_no = old.user_no AND item > old.id || '#' AND item < old.id || '$';
END;

CREATE TRIGGER feedback_on_summary_gone AFTER DELETE ON conversation_summaries BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND item = old.id;
END;

CREATE TRIGGER feedback_in_chat_gone AFTER DELETE ON chats BEGIN
    DELETE FROM feedback WHERE user_no = old.user_no AND chat = old.id;
END;
