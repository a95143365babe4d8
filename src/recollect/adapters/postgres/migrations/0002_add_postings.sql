-- Derived data in blocks that are read whole and do not compress: the passages of a term, and one bit per dimension of
-- each vector.

-- A passage is posted when its terms are in `postings`; until then its array is searched. An older version adds passages
-- that are not posted.
ALTER TABLE passages ADD COLUMN is_posted boolean NOT NULL DEFAULT false;
ALTER TABLE passage_statistics ADD COLUMN unposted bigint NOT NULL DEFAULT 0;
DROP INDEX passages_by_term;
DROP INDEX passages_of_chat;
CREATE INDEX passages_of_chat ON passages (user_id, chat_no, no);
CREATE INDEX passages_unposted ON passages (user_id, no) WHERE NOT is_posted;

-- Passages of a term, in the order in which they were posted. An entry is 8 bytes: the passage number times 65536, plus the
-- term frequency. The numbers are between `first_no` and `last_no`.
CREATE TABLE postings (
    user_id text COLLATE "C" NOT NULL,
    term bigint NOT NULL,
    block integer NOT NULL,
    first_no bigint NOT NULL,
    last_no bigint NOT NULL,
    passages integer NOT NULL,
    entries bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (user_id, term, block)
);

CREATE INDEX postings_empty ON postings (user_id) WHERE passages = 0;

-- Which vectors have codes: those of users with many vectors, relative to the centroid.
ALTER TABLE centroids ADD COLUMN is_packed boolean NOT NULL DEFAULT false;

-- Passage numbers (8 bytes each) and codes of vectors. A code is a size of 4 bytes, and one bit per dimension: whether it is
-- above the centroid. A block that changes gets a version that it never had, so that processes may keep what they have read.
CREATE TABLE vector_blocks (
    user_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    block integer NOT NULL,
    first_no bigint NOT NULL,
    last_no bigint NOT NULL,
    vectors integer NOT NULL,
    version bigint NOT NULL,
    numbers bytea STORAGE EXTERNAL NOT NULL,
    codes bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (user_id, model, block)
);

UPDATE passage_statistics SET unposted = passages;

-- `passages` had no policy, because the operators of its index were not leakproof.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['passages', 'postings', 'vector_blocks'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY of_user ON %I USING (user_id = current_setting(''recollect.user_id'', true)'
            ' OR current_setting(''recollect.all_users'', true) = ''on'')', name
        );
    END LOOP;
END
$$;
