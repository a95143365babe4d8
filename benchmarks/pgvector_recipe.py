"""
`python -m benchmarks.pgvector_recipe`: pgvector and tsvector on the same data, as other memory systems use them.

One row per message, an HNSW index on its vector and a GIN index on `to_tsvector(...)`. A query takes the 20
nearest vectors and the 20 best by `ts_rank_cd` of the user, and merges them by reciprocal rank. This is what mem0 and
hindsight do with PostgreSQL, without their models.
"""

import argparse
import time

import psycopg

from benchmarks.corpus import Corpus
from benchmarks.databases import create_database
from benchmarks.embedders import EMBEDDING_DIMENSION, SyntheticEmbedder
from benchmarks.figures import Figure, format_table, percentiles
from benchmarks.recall import RESULT_LIMIT, sample_facts

CREATE_TABLE = f"""
    CREATE EXTENSION IF NOT EXISTS vector;
    CREATE TABLE items (
        id bigserial PRIMARY KEY, user_id text NOT NULL, content text NOT NULL, embedding vector({EMBEDDING_DIMENSION}),
        words tsvector GENERATED ALWAYS AS (to_tsvector('english', content)) STORED
    )
"""
CREATE_INDEXES = """
    CREATE INDEX ON items (user_id);
    CREATE INDEX ON items USING hnsw (embedding vector_cosine_ops);
    CREATE INDEX ON items USING gin (words);
    ANALYZE items
"""
#: Rank constant of reciprocal rank fusion.
SEARCH = f"""
    WITH nearest AS (
        SELECT id, row_number() OVER (ORDER BY distance) AS place FROM (
            SELECT id, embedding <=> %(vector)s::vector AS distance FROM items WHERE user_id = %(user)s
            ORDER BY distance LIMIT 20
        ) n
    ), worded AS (
        SELECT id, row_number() OVER (ORDER BY rank DESC) AS place FROM (
            SELECT id, ts_rank_cd(words, query) AS rank
            FROM items, to_tsquery('english', %(query)s) AS query WHERE user_id = %(user)s AND words @@ query
            ORDER BY rank DESC LIMIT 20
        ) w
    )
    SELECT i.content FROM (
        SELECT id, sum(1.0 / (60 + place)) AS score FROM (
            SELECT * FROM nearest UNION ALL SELECT * FROM worded
        ) both_lists GROUP BY id
    ) merged JOIN items i USING (id) ORDER BY score DESC LIMIT {RESULT_LIMIT}
"""
USER = "ana"


def measure(url: str, size: int, query_count: int) -> list[Figure]:
    embedder = SyntheticEmbedder()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CREATE_TABLE)
        started = time.perf_counter()
        with connection.cursor() as cursor:
            for batch in Corpus(size=size).batches():
                texts = [str(message["content"]) for message in batch.messages]
                cursor.executemany(
                    "INSERT INTO items (user_id, content, embedding) VALUES (%s, %s, %s)",
                    [
                        (USER, text, str(list(vector)))
                        for text, vector in zip(texts, embedder.embed(texts), strict=True)
                    ],
                )
        connection.execute(CREATE_INDEXES)
        filled_in = time.perf_counter() - started
        times, found = [], 0
        facts = sample_facts(size, query_count)
        for fact in facts:
            vector = str(list(embedder.embed_query(fact.query)))
            query = " | ".join(word for word in fact.query.strip("?").split() if word.isalnum())
            started = time.perf_counter()
            rows = connection.execute(SEARCH, {"vector": vector, "user": USER, "query": query}).fetchall()
            times.append((time.perf_counter() - started) * 1000)
            found += any(fact.answer in content for (content,) in rows)
        row = connection.execute("SELECT pg_total_relation_size('items')").fetchone()
    assert row is not None
    return [
        *percentiles("recall, besides the embedding", times),
        Figure(name="facts found among the first 10", value=100 * found / len(facts), unit="%"),
        Figure(name="messages stored", value=size / filled_in, unit="/s"),
        Figure(name="on disk", value=row[0] / 1e6, unit="MB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pgvector_recipe")
    parser.add_argument("--db", required=True, help="URL of a server; a database is created on it")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--questions", type=int, default=100)
    options = parser.parse_args()
    columns = {}
    for size in options.sizes:
        url = create_database(options.db, f"recipe_{size}")
        columns[f"{size:,} messages"] = measure(url, size, options.questions)
    print(format_table(columns))


if __name__ == "__main__":
    main()
