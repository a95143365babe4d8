-- Log of deleted vectors, read by in-memory caches. A cache that missed the oldest entry reads all vectors again.
CREATE TABLE vectors_gone (
    no INTEGER PRIMARY KEY,
    vector_no INTEGER NOT NULL
) STRICT;

CREATE TRIGGER vectors_go AFTER DELETE ON vectors BEGIN
    INSERT INTO vectors_gone (vector_no) VALUES (old.no);
    DELETE FROM vectors_gone WHERE no <= (SELECT max(no) FROM vectors_gone) - 10000;
END;
