"""Receipts and preferences in SQLite."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, SqlValue, fetch, where_clause
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
    INSERT INTO receipts (user_no, id, chat, created_at, query, tokens, budget, item_ids, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
#: Passages of the items, as source, id and version; parameters are the user and the JSON array of ids, for memories of
#: pairs of id and version.
SELECT_PASSAGES = {
    Source.MESSAGE: """
        SELECT m.id, NULL, m.content, m.created_at, c.id, m.role FROM json_each(?2) j
            CROSS JOIN messages m ON m.user_no = ?1 AND m.id = j.value JOIN chats c ON c.no = m.chat_no
    """,
    Source.CHUNK: """
        SELECT j.value, NULL, k.content, m.created_at, c.id, m.role FROM json_each(?2) j
            CROSS JOIN messages m ON m.user_no = ?1 AND m.id = substr(j.value, 1, instr(j.value, '#') - 1)
            JOIN chunks k ON k.user_no = m.user_no AND k.message_no = m.no
                AND k.chunk_index = CAST(substr(j.value, instr(j.value, '#') + 1) AS INTEGER)
            JOIN chats c ON c.no = m.chat_no
    """,
    Source.MEMORY: """
        SELECT f.id, j.value ->> 1, coalesce(v.text, f.text), f.created_at, c.id, f.speaker FROM json_each(?2) j
            CROSS JOIN memories f ON f.user_no = ?1 AND f.id = j.value ->> 0
            LEFT JOIN memory_versions v ON v.user_no = ?1 AND v.memory_no = f.no AND v.version = j.value ->> 1
            LEFT JOIN chats c ON c.no = f.chat_no
    """,
    Source.SUMMARY: """
        SELECT s.id, NULL, s.text, s.created_at, c.id, NULL FROM json_each(?2) j
            CROSS JOIN summaries s ON s.user_no = ?1 AND s.id = j.value JOIN chats c ON c.no = s.chat_no
    """,
}
SELECT_BLOCKS = """
    SELECT receipt_id, text FROM injections
    WHERE user_no = ?1 AND receipt_id IN (SELECT value FROM json_each(?2))
"""


class SqliteReceipts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, receipt: Receipt) -> None:
        """Enqueue the receipt: it is readable at once and written soon, without waiting for the disk or failing."""
        if self._database.is_in_transaction:
            with self._database.transaction(durable=False) as db:
                self._insert(db, receipt)
        else:
            self._database.receipt_buffer.enqueue(receipt, lambda db: self._insert(db, receipt))

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
        pending = [
            _as_stored(receipt)
            for receipt in reversed(self._database.receipt_buffer.pending)
            if receipt.user == scope.user and any(item.id == item_id for item in receipt.items)
        ]
        with self._database.reader() as db:
            rows = fetch(
                db,
                f"{SELECT_RECEIPTS} WHERE user_no = ? AND instr(item_ids, ?) > 0 ORDER BY no DESC LIMIT ?",
                (self._database.user_number(db, scope.user), json.dumps(item_id), limit),
            )
        pending_ids = {receipt.id for receipt in pending}
        stored = [_to_receipt(scope.user, row) for row in rows if row[0] not in pending_ids]
        return [*pending, *stored][:limit]

    def prune(self, before: datetime) -> int:
        with self._database.transaction() as db:
            db.execute("DELETE FROM receipts WHERE created_at < ?", (to_ms(before),))
            return db.changes()

    def _list_newest(self, scope: Scope, *, limit: int, prefix: str = "") -> Sequence[Receipt]:
        pending = [
            _as_stored(receipt)
            for receipt in reversed(self._database.receipt_buffer.pending)
            if receipt.user == scope.user
            and scope.chat in {None, receipt.chat}
            and receipt.id.startswith(prefix)
        ][:limit]
        if len(pending) == limit:
            return pending
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            clause, values = where_clause(
                {
                    "user_no = ?": user_no,
                    "chat = ?": scope.chat,
                    "id >= ?": prefix or None,
                    "id < ?": f"{prefix}{{" if prefix else None,
                }
            )
            rows = fetch(
                db,
                f"{SELECT_RECEIPTS} {clause} ORDER BY no DESC LIMIT ?",
                [*values, limit],
            )
        # A receipt that was written in between is in both lists.
        pending_ids = {receipt.id for receipt in pending}
        stored = [_to_receipt(scope.user, row) for row in rows if row[0] not in pending_ids]
        return [*pending, *stored][:limit]

    def _insert(self, db: apsw.Connection, receipt: Receipt) -> None:
        columns = _encode(receipt)
        user_no = self._database.get_or_create_user(db, receipt.user, to_ms(receipt.created_at))
        db.execute(INSERT_RECEIPT, (user_no, *columns))

    def _with_texts(self, scope: Scope, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """Return the receipts with the texts of their items, and of blocks that were injected into a chat."""
        ids_by_source: dict[Source, list[object]] = {}
        for source, item_id, version in item_keys(receipts):
            ids = ids_by_source.setdefault(source, [])
            ids.append([item_id, version] if source is Source.MEMORY else item_id)
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            passages: PassageTexts = {
                (source, item_id, version): PassageText(*columns)
                for source, ids in ids_by_source.items()
                if source in SELECT_PASSAGES
                for item_id, version, *columns in fetch(
                    db, SELECT_PASSAGES[source], (user_no, json.dumps(ids))
                )
            }
            receipt_ids = json.dumps([receipt.id for receipt in receipts])
            blocks: dict[str, str] = dict(fetch(db, SELECT_BLOCKS, (user_no, receipt_ids)))
        return [
            replace(
                receipt,
                text=blocks.get(receipt.id, ""),
                items=tuple(show_passage(item, passages) for item in receipt.items),
            )
            for receipt in receipts
        ]


SELECT_CHAT_PREFERENCES = """
    SELECT key, value FROM preferences WHERE user_no = ?1
    UNION ALL SELECT '', mode FROM chats WHERE user_no = ?1 AND id = ?2
"""


class SqlitePreferences:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, user: str) -> Mapping[str, str]:
        with self._database.reader() as db:
            rows = fetch(
                db,
                "SELECT key, value FROM preferences WHERE user_no = ?",
                (self._database.user_number(db, user),),
            )
        return dict(rows)

    def for_chat(self, scope: Scope) -> tuple[Mapping[str, str], str | None]:
        with self._database.reader() as db:
            rows = fetch(
                db, SELECT_CHAT_PREFERENCES, (self._database.user_number(db, scope.user), scope.chat)
            )
        # The row of the chat has no key.
        return {key: value for key, value in rows if key}, next(
            (value for key, value in rows if not key), None
        )

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            if value is None:
                db.execute("DELETE FROM preferences WHERE user_no = ? AND key = ?", (user_no, key))
            else:
                db.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", (user_no, key, value))


def _to_receipt(user: str, row: Row) -> Receipt:
    return decode_receipt(user, dict(zip(RECEIPT_COLUMNS, row, strict=True)))


def _encode(receipt: Receipt) -> tuple[SqlValue, ...]:
    item_ids, body = encode_receipt(receipt)
    created_at = to_ms(receipt.created_at)
    return (
        receipt.id,
        receipt.chat,
        created_at,
        receipt.query,
        receipt.tokens,
        receipt.budget,
        item_ids,
        body,
    )


def _as_stored(receipt: Receipt) -> Receipt:
    """Return a receipt that is not written yet as it will be read."""
    return _to_receipt(receipt.user, _encode(receipt))


def clear_receipt_queries(db: apsw.Connection, user_no: int, ids: Sequence[str]) -> int:
    """
    Remove the queries of receipts with an erased item: they may quote it. The receipts contain no other text.

    A chunk's id is its message's id, # and a number.
    """
    db.execute(
        "UPDATE receipts SET query = NULL WHERE user_no = ? AND query IS NOT NULL AND EXISTS ("
        "SELECT 1 FROM json_each(item_ids) i JOIN json_each(?) g ON i.value = g.value OR i.value LIKE g.value || '#%')",
        (user_no, json.dumps(list(ids))),
    )
    return db.changes()
