"""`python -m benchmarks.receipt_size`: bytes that the receipts of a thousand contexts add to the file."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
from evals.baseline import MESSAGES_PER_CHAT, read_queries, read_statements

from recollect import Memory

QUERY_COUNT = 1_000
CHAT_COUNT = 30
SETTINGS = {"worker": False, "embedder": "hashing"}
SELECT_LENGTHS = """
    SELECT length(body) + length(CAST(item_ids AS BLOB)) + length(CAST(coalesce(query, '') AS BLOB)) FROM receipts
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with Memory(file, user_id="ana", settings=SETTINGS) as memory:
            fill(memory)
        before = measure_file(file)
        with Memory(file, user_id="ana", settings=SETTINGS) as memory:
            queries = read_queries()
            for number in range(QUERY_COUNT):
                chat = f"chat {number % CHAT_COUNT}" if number % 2 else None
                memory.context(queries[number % len(queries)], chat_id=chat)
        growth, lengths = measure_file(file) - before, sorted(read_lengths(file))
    print(f"file: {growth / QUERY_COUNT:,.0f} bytes per receipt, indexes included")
    print(f"row: {sum(lengths) / len(lengths):,.0f} bytes on average, {lengths[-1]:,} at most")


def fill(memory: Memory) -> None:
    texts = read_statements()
    for start in range(0, len(texts), MESSAGES_PER_CHAT):
        batch = [{"role": "user", "content": text} for text in texts[start : start + MESSAGES_PER_CHAT]]
        memory.add(batch, chat_id=f"chat {start // MESSAGES_PER_CHAT}")
    memory.flush(seconds=3600)


def measure_file(file: Path) -> int:
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return file.stat().st_size


def read_lengths(file: Path) -> Iterator[int]:
    with closing(apsw.Connection(str(file))) as connection:
        yield from (int(length) for (length,) in connection.execute(SELECT_LENGTHS))


if __name__ == "__main__":
    main()
