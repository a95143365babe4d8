"""Receipts and preferences in SQLite."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from recollect.adapters.sqlite.connection import Database
from recollect.adapters.sqlite.rows import Row, fetch, where
from recollect.adapters.sqlite.timestamps import from_ms, to_ms
from recollect.domain.candidate import Source
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.domain.receipt import Fate, Item, Receipt
from recollect.domain.scope import Scope
from recollect.errors import NotFound

#: Letters that are kept of a text that was considered and left out.
LONGEST_LEFT_OUT = 200

COLUMNS = "id, chat, created_at, query, text, tokens, budget, body"
INSERT = """
    INSERT INTO receipts (user_no, id, chat, created_at, query, text, tokens, budget, body, total_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class SqliteReceipts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, receipt: Receipt) -> None:
        """Nobody waits for the disk, and nobody fails, because of a receipt: it is written soon, and read at once."""
        if self._database.writes_here:
            with self._database.transaction(durable=False) as db:
                self._insert(db, receipt)
        else:
            self._database.outbox.post(receipt, lambda db: self._insert(db, receipt))

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        found = self._newest(scope, limit=1, receipt_id=None if receipt_id == "last" else receipt_id)
        if not found:
            raise NotFound(f"There is no receipt {receipt_id!r} for this user. Each recall leaves one.")
        return found[0]

    def list(self, scope: Scope, *, limit: int = 20) -> Sequence[Receipt]:
        return self._newest(scope, limit=limit)

    def naming(self, scope: Scope, item_id: str, *, limit: int) -> Sequence[Receipt]:
        """Those in which something was considered, the newest first."""
        unwritten = [
            receipt
            for receipt in reversed(self._database.outbox.undelivered)
            if receipt.user == scope.user and any(item.id == item_id for item in receipt.items)
        ]
        with self._database.reading() as db:
            rows = fetch(
                db,
                f"SELECT {COLUMNS} FROM receipts WHERE user_no = ? AND instr(body, ?) > 0 ORDER BY no DESC LIMIT ?",
                (self._database.user(db, scope.user), f'"id":{json.dumps(item_id)}', limit),
            )
        known = {receipt.id for receipt in unwritten}
        written = [_receipt(scope.user, row) for row in rows if row[0] not in known]
        return [*unwritten, *written][:limit]

    def prune(self, before: datetime) -> int:
        with self._database.transaction() as db:
            db.execute("DELETE FROM receipts WHERE created_at < ?", (to_ms(before),))
            return db.changes()

    def _newest(self, scope: Scope, *, limit: int, receipt_id: str | None = None) -> Sequence[Receipt]:
        unwritten = [
            _brief(receipt)
            for receipt in reversed(self._database.outbox.undelivered)
            if receipt.user == scope.user
            and scope.chat in {None, receipt.chat}
            and receipt_id in {None, receipt.id}
        ][:limit]
        if len(unwritten) == limit:
            return unwritten
        with self._database.reading() as db:
            user_no = self._database.user(db, scope.user)
            clause, values = where({"user_no = ?": user_no, "chat = ?": scope.chat, "id = ?": receipt_id})
            rows = fetch(
                db, f"SELECT {COLUMNS} FROM receipts {clause} ORDER BY no DESC LIMIT ?", [*values, limit]
            )
        # Those that were being written a moment ago may be in both places.
        known = {receipt.id for receipt in unwritten}
        written = [_receipt(scope.user, row) for row in rows if row[0] not in known]
        return [*unwritten, *written][:limit]

    def _insert(self, db: apsw.Connection, receipt: Receipt) -> None:
        created_at = to_ms(receipt.created_at)
        user_no = self._database.user_or_new(db, receipt.user, created_at)
        db.execute(
            INSERT,
            (
                user_no,
                receipt.id,
                receipt.chat,
                created_at,
                receipt.query,
                receipt.text,
                receipt.tokens,
                receipt.budget,
                _body(receipt),
                receipt.timings.get("total_ms", 0.0),
            ),
        )


class SqlitePreferences:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, user: str) -> Mapping[str, str]:
        with self._database.reading() as db:
            rows = fetch(
                db, "SELECT key, value FROM preferences WHERE user_no = ?", (self._database.user(db, user),)
            )
        return dict(rows)

    def set(self, user: str, key: str, value: str | None, *, now: datetime) -> None:
        with self._database.transaction() as db:
            user_no = self._database.user_or_new(db, user, to_ms(now))
            if value is None:
                db.execute("DELETE FROM preferences WHERE user_no = ? AND key = ?", (user_no, key))
            else:
                db.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", (user_no, key, value))


def _brief(receipt: Receipt) -> Receipt:
    """What was left out is told by its beginning; what was handed out, word for word."""
    return replace(receipt, items=tuple(replace(item, text=_told(item)) for item in receipt.items))


def _told(item: Item) -> str:
    if item.fate is not Fate.LEFT_OUT or len(item.text) <= LONGEST_LEFT_OUT:
        return item.text
    return item.text[: LONGEST_LEFT_OUT - 1] + "…"


def _body(receipt: Receipt) -> str:
    body = {
        "preset": receipt.preset,
        "ranker": receipt.ranker,
        "hybrid": receipt.hybrid,
        "chunking": receipt.chunking,
        "degraded": receipt.degraded,
        "skipped": receipt.skipped,
        "sources": dict(receipt.sources),
        "timings": {name: round(value, 3) for name, value in receipt.timings.items()},
        "items": [
            {
                "source": item.source,
                "id": item.id,
                "text": _told(item),
                "fate": item.fate,
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


def _receipt(user: str, row: Row) -> Receipt:
    receipt_id, chat, created_at, query, text, tokens, budget, packed = row
    body = json.loads(packed)
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
            Item(
                source=Source(item["source"]),
                id=item["id"],
                text=item["text"],
                fate=Fate(item["fate"]),
                score=item["score"],
                parts=item["parts"],
                tokens=item["tokens"],
                created_at=from_ms(item["created_at"]),
                chat=item["chat"],
                role=Role(item["role"]) if item["role"] else None,
                kind=Kind(item["kind"]) if item["kind"] else None,
                reason=item["reason"],
                # Those of before say nothing about it.
                cosine=item.get("cosine"),
            )
            for item in body["items"]
        ),
        degraded=tuple(body["degraded"]),
        skipped=tuple(body["skipped"]),
        sources=body["sources"],
        timings=body["timings"],
    )
