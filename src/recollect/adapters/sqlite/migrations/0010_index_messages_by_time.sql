-- For queries that name a time.
CREATE INDEX messages_by_time ON messages (user_no, created_at);
