-- Latest messages of a user and of a chat; chat_no comes first, so that deleting a chat uses the index too.
CREATE INDEX messages_of_user ON messages (user_no);
DROP INDEX messages_in_order;
CREATE INDEX messages_in_order ON messages (chat_no, user_no);
DROP INDEX messages_unextracted;
CREATE INDEX messages_unextracted ON messages (user_no, extracted) WHERE extracted = 0 AND role <> 'system';

-- Latest receipts.
CREATE INDEX receipts_of_user ON receipts (user_no);
CREATE INDEX receipts_of_chat ON receipts (user_no, chat);

-- Messages and memories by importance.
CREATE INDEX messages_by_importance ON messages (user_no, importance, created_at) WHERE importance > 0;
CREATE INDEX memories_by_weight ON memories (user_no, weight, last_stated_at) WHERE status = 'active';

-- Foreign keys, for deleting a chat or a memory.
CREATE INDEX memories_of_chat ON memories (chat_no);
CREATE INDEX spans_of_memory ON memory_spans (memory_no);
