-- A question that names a time is answered by what was said then.
CREATE INDEX messages_by_time ON messages (user_no, created_at);
