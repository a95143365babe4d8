-- Context injected after a message, so that later turns can send the same bytes at the same place.
CREATE TABLE injections (
    message_no INTEGER PRIMARY KEY REFERENCES messages (no) ON DELETE CASCADE,
    user_no INTEGER NOT NULL,
    receipt_id TEXT,
    text TEXT NOT NULL
) STRICT;

-- Passages shown in an injection. `owner` is the id of the source row; for a chunk that is its message.
CREATE TABLE injected (
    user_no INTEGER NOT NULL,
    message_no INTEGER NOT NULL REFERENCES injections (message_no) ON DELETE CASCADE,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (message_no, source, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX injected_by_owner ON injected (user_no, owner);

-- An injection is deleted when a passage in it is corrected, forgotten, deleted or loses its consent.
CREATE TRIGGER messages_edited_are_not_injected AFTER UPDATE OF content ON messages
WHEN new.content IS NOT old.content BEGIN
    DELETE FROM injections WHERE message_no = old.no OR message_no IN (
        SELECT message_no FROM injected
        WHERE user_no = old.user_no AND owner = old.id AND source IN ('message', 'message_chunk')
    );
END;

CREATE TRIGGER messages_deleted_are_not_injected AFTER DELETE ON messages BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected
        WHERE user_no = old.user_no AND owner = old.id AND source IN ('message', 'message_chunk')
    );
END;

CREATE TRIGGER memories_changed_are_not_injected AFTER UPDATE OF text, status ON memories
WHEN new.text IS NOT old.text OR new.status = 'forgotten' BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected WHERE user_no = old.user_no AND owner = old.id AND source = 'memory'
    );
END;

CREATE TRIGGER memories_deleted_are_not_injected AFTER DELETE ON memories BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected WHERE user_no = old.user_no AND owner = old.id AND source = 'memory'
    );
END;

CREATE TRIGGER summaries_deleted_are_not_injected AFTER DELETE ON conversation_summaries BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected WHERE user_no = old.user_no AND owner = old.id AND source = 'summary'
    );
END;

CREATE TRIGGER files_deleted_are_not_injected AFTER DELETE ON context_files BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected WHERE user_no = old.user_no AND owner = old.id AND source = 'context'
    );
END;

CREATE TRIGGER profiles_deleted_are_not_injected AFTER DELETE ON user_profile BEGIN
    DELETE FROM injections WHERE message_no IN (
        SELECT message_no FROM injected
        WHERE user_no = old.user_no AND owner = 'profile' AND source = 'profile'
    );
END;
