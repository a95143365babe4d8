"""Receipts and preferences in PostgreSQL."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.adapters.postgres.connection import Database
from recollect.adapters.postgres.rows import (
    Connection,
    Row,
    execute,
    fetch,
    where_clause,
)
from recollect.domain.candidate import Source
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.receipts import (
    PassageText,
    PassageTexts,
    decode_receipt,
    encode_receipt,
    item_keys,
    show_passage,
)
from recollect.storage.timestamps import to_ms

RECEIPT_COLUMNS = ("id", "chat", "created_at", "query", "tokens", "budget", "item_ids", "body")
SELECT_RECEIPTS = f"SELECT {', '.join(RECEIPT_COLUMNS)} FROM receipts"
INSERT_RECEIPT = """
    INSERT INTO receipts (user_id, id, chat, created_at, query, tokens, budget, item_ids, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
#: Passages of the items, as id, version and texts; parameters are the user and the ids, and for memories the versions.
SELECT_PASSAGES = {
    Source.MESSAGE: """
        SELECT m.id, NULL::integer, m.content, m.created_at, c.id, m.role FROM messages m
            JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
        WHERE m.user_id = $1 AND m.id = ANY($2::text[])
    """,
    Source.CHUNK: """
        SELECT j.id, NULL::integer, k.content, m.created_at, c.id, m.role FROM unnest($2::text[]) j (id)
            JOIN messages m ON m.user_id = $1 AND m.id = split_part(j.id, '#', 1)
            JOIN chunks k ON k.user_id = m.user_id AND k.message_no = m.no
                AND k.chunk_index::text = split_part(j.id, '#', 2)
            JOIN chats c ON c.user_id = m.user_id AND c.no = m.chat_no
    """,
    Source.MEMORY: """
        SELECT f.id, j.version, coalesce(v.text, f.text), f.created_at, c.id, f.speaker
        FROM unnest($2::text[], $3::integer[]) j (id, version)
            JOIN memories f ON f.user_id = $1 AND f.id = j.id
            LEFT JOIN memory_versions v ON v.user_id = f.user_id AND v.memory_no = f.no AND v.version = j.version
            LEFT JOIN chats c ON c.user_id = f.user_id AND c.no = f.chat_no
    """,
    Source.SUMMARY: """
        SELECT s.id, NULL::integer, s.text, s.created_at, c.id, NULL::text FROM summaries s
            JOIN chats c ON c.user_id = s.user_id AND c.no = s.chat_no
        WHERE s.user_id = $1 AND s.id = ANY($2::text[])
    """,
}
SELECT_BLOCKS = "SELECT receipt_id, text FROM injections WHERE user_id = $1 AND receipt_id = ANY($2::text[])"


class PostgresReceipts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, receipt: Receipt) -> None:
        """Insert the receipt without waiting for the disk."""
        with self._database.row_transaction(receipt.user, durable=False):
            now = to_ms(receipt.created_at)
            self._database.ensure_user(receipt.user, now)
            item_ids, body = encode_receipt(receipt)
            self._database.defer(
                INSERT_RECEIPT,
                (
                    receipt.user,
                    receipt.id,
                    receipt.chat,
                    now,
                    receipt.query,
                    receipt.tokens,
                    receipt.budget,
                    item_ids,
                    body,
                ),
            )

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        receipts = (
            self._list_newest(scope, limit=1)
            if receipt_id == "last"
            else self._list_newest(scope, limit=2, prefix=receipt_id)
        )
        receipts = [each for each in receipts if each.id == receipt_id] or receipts
        if not receipts:
            raise NotFound(f"There is no receipt {receipt_id!r} for this user. Each recall leaves one.")
        if len(receipts) > 1:
            raise NotFound(f"More than one receipt id begins with {receipt_id!r}. Give more characters.")
        return self._with_texts(scope, receipts)[0]

    def list(self, scope: Scope, *, limit: int = 20, with_texts: bool = False) -> Sequence[Receipt]:
        receipts = self._list_newest(scope, limit=limit)
        return self._with_texts(scope, receipts) if with_texts else receipts

    def find_by_item(self, scope: Scope, item_id: str, *, limit: int) -> Sequence[Receipt]:
        """Return the receipts with this item, newest first."""
        with self._database.reader(scope.user) as db:
            rows = fetch(
                db,
                f"{SELECT_RECEIPTS} WHERE user_id = $1 AND position($2 IN item_ids) > 0 ORDER BY no DESC LIMIT $3",
                (scope.user, json.dumps(item_id), limit),
            )
        return [_to_receipt(scope.user, row) for row in rows]

    def prune(self, before: datetime) -> int:
        with self._database.system_transaction() as db:
            return execute(
                db,
                "/* all users: retention of receipts */ DELETE FROM receipts WHERE created_at < $1",
                (to_ms(before),),
            )

    def _list_newest(self, scope: Scope, *, limit: int, prefix: str = "") -> Sequence[Receipt]:
        with self._database.reader(scope.user) as db:
            clause, values = where_clause(
                {
                    "user_id = ?": scope.user,
                    "chat = ?": scope.chat,
                    "id >= ?": prefix or None,
                    "id < ?": f"{prefix}{{" if prefix else None,
                }
            )
            rows = fetch(
                db,
                f"{SELECT_RECEIPTS} {clause} ORDER BY no DESC LIMIT ${len(values) + 1}",
                [*values, limit],
            )
        return [_to_receipt(scope.user, row) for row in rows]

    def _with_texts(self, scope: Scope, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """Return the receipts with the texts of their items, and of blocks that were injected into a chat."""
        keys_by_source: dict[Source, list[tuple[str, int | None]]] = {}
        for source, item_id, version in item_keys(receipts):
            keys_by_source.setdefault(source, []).append((item_id, version))
        with self._database.reader(scope.user) as db:
            passages: PassageTexts = {
                (source, item_id, version): PassageText(*columns)
                for source, keys in keys_by_source.items()
                if source in SELECT_PASSAGES
                for item_id, version, *columns in fetch(
                    db,
                    SELECT_PASSAGES[source],
                    (
                        scope.user,
                        [item_id for item_id, _ in keys],
                        *([[version for _, version in keys]] if source is Source.MEMORY else []),
                    ),
                )
            }
            receipt_ids = [receipt.id for receipt in receipts]
            blocks: dict[str, str] = dict(fetch(db, SELECT_BLOCKS, (scope.user, receipt_ids)))
        return [
            replace(
                receipt,
                text=blocks.get(receipt.id, ""),
                items=tuple(show_passage(item, passages) for item in receipt.items),
            )
            for receipt in receipts
        ]


SELECT_CHAT_PREFERENCES = """
    SELECT key, value FROM preferences WHERE user_id = $1
    UNION ALL SELECT '', mode FROM chats WHERE user_id = $1 AND id = $2
"""


SELECT_PREFERENCE = "SELECT value FROM preferences WHERE user_id = $1 AND key = $2"


class PostgresPreferences:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, user: str) -> Mapping[str, str]:
        with self._database.reader(user) as db:
            rows = fetch(
                db,
                "SELECT key, value FROM preferences WHERE user_id = $1",
                (user,),
            )
        return dict(rows)

    def for_chat(self, scope: Scope) -> tuple[Mapping[str, str], str | None]:
        with self._database.reader(scope.user) as db:
            rows = fetch(db, SELECT_CHAT_PREFERENCES, (scope.user, scope.chat))
        # The row of the chat has no key.
        return {key: value for key, value in rows if key}, next(
            (value for key, value in rows if not key), None
        )

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        with self._database.transaction(user) as db:
            self._database.ensure_user(user, to_ms(now))
            if value is None:
                execute(db, "DELETE FROM preferences WHERE user_id = $1 AND key = $2", (user, key))
            else:
                execute(
                    db,
                    "INSERT INTO preferences (user_id, key, value) VALUES ($1, $2, $3)"
                    " ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
                    (user, key, value),
                )


def _to_receipt(user: str, row: Row) -> Receipt:
    return decode_receipt(user, dict(zip(RECEIPT_COLUMNS, row, strict=True)))


def clear_receipt_queries(db: Connection, user: str, ids: Sequence[str]) -> int:
    """
    Remove the queries of receipts with an erased item: they may quote it. The receipts contain no other text.

    A chunk's id is its message's id, # and a number.
    """
    return execute(
        db,
        "UPDATE receipts SET query = NULL WHERE user_id = $1 AND query IS NOT NULL AND EXISTS ("
        "SELECT 1 FROM jsonb_array_elements_text(item_ids::jsonb) i WHERE split_part(i, '#', 1) = ANY($2::text[]))",
        (user, list(ids)),
    )
