"""Receipts and preferences in SQLite."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, where_clause
from recollect.domain.candidate import Source
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.storage.timestamps import from_ms, to_ms

#: Stored length of the text of an item that was left out.
MAX_LEFT_OUT_CHARS = 200

RECEIPT_COLUMNS = "id, chat, created_at, query, text, tokens, budget, body"
INSERT_RECEIPT = """
    INSERT INTO receipts (user_no, id, chat, created_at, query, text, tokens, budget, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
        receipts = self._list_newest(scope, limit=1, receipt_id=None if receipt_id == "last" else receipt_id)
        if not receipts:
            raise NotFound(f"There is no receipt {receipt_id!r} for this user. Each recall leaves one.")
        return receipts[0]

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Receipt]:
        return self._list_newest(scope, limit=limit)

    def find_by_item(self, scope: Scope, item_id: str, *, limit: int) -> Sequence[Receipt]:
        """Return the receipts with this item, newest first."""
        pending = [
            receipt
            for receipt in reversed(self._database.receipt_buffer.pending)
            if receipt.user == scope.user and any(item.id == item_id for item in receipt.items)
        ]
        with self._database.reader() as db:
            rows = fetch(
                db,
                f"SELECT {RECEIPT_COLUMNS} FROM receipts WHERE user_no = ? AND instr(body, ?) > 0"
                " ORDER BY no DESC LIMIT ?",
                (self._database.user_number(db, scope.user), f'"id":{json.dumps(item_id)}', limit),
            )
        pending_ids = {receipt.id for receipt in pending}
        stored = [_to_receipt(scope.user, row) for row in rows if row[0] not in pending_ids]
        return [*pending, *stored][:limit]

    def prune(self, before: datetime) -> int:
        with self._database.transaction() as db:
            db.execute("DELETE FROM receipts WHERE created_at < ?", (to_ms(before),))
            return db.changes()

    def _list_newest(self, scope: Scope, *, limit: int, receipt_id: str | None = None) -> Sequence[Receipt]:
        pending = [
            _truncate_items(receipt)
            for receipt in reversed(self._database.receipt_buffer.pending)
            if receipt.user == scope.user
            and scope.chat in {None, receipt.chat}
            and receipt_id in {None, receipt.id}
        ][:limit]
        if len(pending) == limit:
            return pending
        with self._database.reader() as db:
            user_no = self._database.user_number(db, scope.user)
            clause, values = where_clause(
                {"user_no = ?": user_no, "chat = ?": scope.chat, "id = ?": receipt_id}
            )
            rows = fetch(
                db,
                f"SELECT {RECEIPT_COLUMNS} FROM receipts {clause} ORDER BY no DESC LIMIT ?",
                [*values, limit],
            )
        # A receipt that was written in between is in both lists.
        pending_ids = {receipt.id for receipt in pending}
        stored = [_to_receipt(scope.user, row) for row in rows if row[0] not in pending_ids]
        return [*pending, *stored][:limit]

    def _insert(self, db: apsw.Connection, receipt: Receipt) -> None:
        created_at = to_ms(receipt.created_at)
        user_no = self._database.get_or_create_user(db, receipt.user, created_at)
        db.execute(
            INSERT_RECEIPT,
            (
                user_no,
                receipt.id,
                receipt.chat,
                created_at,
                receipt.query,
                receipt.text,
                receipt.tokens,
                receipt.budget,
                _serialize_body(receipt),
            ),
        )


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

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.get_or_create_user(db, user, to_ms(now))
            if value is None:
                db.execute("DELETE FROM preferences WHERE user_no = ? AND key = ?", (user_no, key))
            else:
                db.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", (user_no, key, value))


def _truncate_items(receipt: Receipt) -> Receipt:
    """Shorten the texts of left-out items; the others stay complete."""
    return replace(receipt, items=tuple(replace(item, text=_truncate_text(item)) for item in receipt.items))


def _truncate_text(item: ReceiptItem) -> str:
    if item.disposition is not Disposition.LEFT_OUT or len(item.text) <= MAX_LEFT_OUT_CHARS:
        return item.text
    return item.text[: MAX_LEFT_OUT_CHARS - 1] + "…"


def _serialize_body(receipt: Receipt) -> str:
    body = {
        "preset": receipt.preset,
        "ranker": receipt.ranker,
        "hybrid": receipt.hybrid,
        "chunking": receipt.chunking,
        "degraded": receipt.degradations,
        "skipped": receipt.skipped_sources,
        "pending_embeddings": receipt.pending_embeddings,
        "sources": dict(receipt.sources),
        "timings": {name: round(value, 3) for name, value in receipt.timings.items()},
        "items": [
            {
                "source": item.source,
                "id": item.id,
                "text": _truncate_text(item),
                "fate": item.disposition,
                "score": round(item.score, 6),
                "parts": {name: round(value, 6) for name, value in item.parts.items()},
                "tokens": item.tokens,
                "created_at": to_ms(item.created_at),
                "chat": item.chat,
                "role": item.role,
                "kind": item.kind,
                "reason": item.reason,
                "cosine": None if item.cosine is None else round(item.cosine, 4),
            }
            for item in receipt.items
        ],
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _to_receipt(user: str, row: Row) -> Receipt:
    receipt_id, chat, created_at, query, text, tokens, budget, body_json = row
    body = json.loads(body_json)
    return Receipt(
        id=receipt_id,
        user=user,
        chat=chat,
        query=query,
        created_at=from_ms(created_at),
        preset=body["preset"],
        ranker=body["ranker"],
        hybrid=body["hybrid"],
        chunking=body["chunking"],
        budget=budget,
        tokens=tokens,
        text=text,
        items=tuple(
            ReceiptItem(
                source=Source(item["source"]),
                id=item["id"],
                text=item["text"],
                disposition=Disposition(item["fate"]),
                score=item["score"],
                parts=item["parts"],
                tokens=item["tokens"],
                created_at=from_ms(item["created_at"]),
                chat=item["chat"],
                role=Role(item["role"]) if item["role"] else None,
                kind=Kind(item["kind"]) if item["kind"] else None,
                reason=item["reason"],
                # Older receipts lack the cosine.
                cosine=item.get("cosine"),
            )
            for item in body["items"]
        ),
        degradations=tuple(body["degraded"]),
        skipped_sources=tuple(body["skipped"]),
        pending_embeddings=body["pending_embeddings"],
        sources=body["sources"],
        timings=body["timings"],
    )
