"""Plain SQLite FTS5: BM25 over Porter stems, OR of the question's words."""

import re
import sqlite3
from collections.abc import Sequence

from benchmarks.peers.runners.serving import Message, RunnerConfig, group_by_chat, serve


class Fts5:
    embedding_seconds = 0.0

    def __init__(self, config: RunnerConfig) -> None:
        self._db = sqlite3.connect(config.folder / "messages.db")
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS messages"
            " USING fts5(id UNINDEXED, chat UNINDEXED, role UNINDEXED, at UNINDEXED, text,"
            " tokenize = 'porter unicode61')"
        )

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        for chat_messages in group_by_chat(messages):
            with self._db:
                self._db.executemany(
                    "INSERT INTO messages (id, chat, role, at, text) VALUES (?, ?, ?, ?, ?)",
                    [(each.id, each.chat, each.role, each.at, each.text) for each in chat_messages],
                )
        return {message.id: message.id for message in messages}

    def search(self, query: str, limit: int) -> list[str]:
        expression = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        if not expression:
            return []
        rows = self._db.execute(
            "SELECT id FROM messages WHERE messages MATCH ? ORDER BY rank LIMIT ?", (expression, limit)
        )
        return [str(id_) for (id_,) in rows]

    def close(self) -> None:
        self._db.close()


if __name__ == "__main__":
    serve(Fts5)
