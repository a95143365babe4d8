-- The latest messages of a user, and of a chat; by chat first, so that deleting one finds its messages as well.
CREATE INDEX messages_of_user ON messages (user_no);
DROP INDEX messages_in_order;
CREATE INDEX messages_in_order ON messages (chat_no, user_no);
DROP INDEX messages_unextracted;
CREATE INDEX messages_unextracted ON messages (user_no, extracted) WHERE extracted = 0 AND role <> 'system';

-- The latest receipts.
CREATE INDEX receipts_of_user ON receipts (user_no);
CREATE INDEX receipts_of_chat ON receipts (user_no, chat);

-- The most important first.
CREATE INDEX messages_by_importance ON messages (user_no, importance, created_at) WHERE importance > 0;
CREATE INDEX memories_by_weight ON memories (user_no, weight, seen_at) WHERE standing = 'active';

-- What hangs on a chat or a memory that is deleted.
CREATE INDEX memories_of_chat ON memories (chat_no);
CREATE INDEX spans_of_memory ON memory_spans (memory_no);
