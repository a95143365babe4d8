"""
The stored form of receipts: ids and scores, compressed; the texts of items are read from their passages.

Item ids have a column of their own, so that receipts are found by passage. The rest is a JSON object with one short row
per item: source, version, disposition, score, cosine, tokens, kind, reason, parts. Scores and parts are integers of
1/10,000. Reasons and the names of parts are listed once. Compressed with zlib, a receipt of 28 items has 1.6 KB.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from recollect.domain.candidate import Source
from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.domain.reason import Reason
from recollect.domain.receipt import Disposition, Receipt, ReceiptItem
from recollect.storage.timestamps import from_ms

#: Length to which the text of an item that was left out is shortened.
MAX_LEFT_OUT_CHARS = 200
SCORE_UNIT = 10_000
SOURCES = tuple(Source)
DISPOSITIONS = tuple(Disposition)
KINDS = tuple(Kind)


class EncodedReceipt(NamedTuple):
    item_ids: str  #: JSON array, in the order of the items
    body: bytes


class PassageText(NamedTuple):
    """What a receipt shows of a passage besides its scores."""

    text: str
    created_at: int
    chat: str | None
    role: str | None


#: Passages by source and id; of memories, also by version.
PassageTexts: TypeAlias = Mapping[tuple[Source, str, int | None], PassageText]


def encode_receipt(receipt: Receipt) -> EncodedReceipt:
    reasons = list(dict.fromkeys(item.reason for item in receipt.items if item.reason is not None))
    names = list(dict.fromkeys(name for item in receipt.items for name in item.parts))
    body = {
        "preset": receipt.preset,
        "ranker": receipt.ranker,
        "hybrid": receipt.hybrid,
        "chunking": receipt.chunking,
        "degraded": [reason.to_json() for reason in receipt.degradations],
        "skipped": [reason.to_json() for reason in receipt.skipped_sources],
        "pending_embeddings": receipt.pending_embeddings,
        "sources": dict(receipt.sources),
        "timings": {name: round(value, 2) for name, value in receipt.timings.items()},
        "reasons": [reason.to_json() for reason in reasons],
        "parts": names,
        "items": [
            [
                SOURCES.index(item.source),
                item.version,
                DISPOSITIONS.index(item.disposition),
                round(SCORE_UNIT * item.score),
                None if item.cosine is None else round(SCORE_UNIT * item.cosine),
                item.tokens,
                None if item.kind is None else KINDS.index(item.kind),
                None if item.reason is None else reasons.index(item.reason),
                [
                    number
                    for name, part in item.parts.items()
                    for number in (names.index(name), round(SCORE_UNIT * part))
                ],
            ]
            for item in receipt.items
        ],
    }
    return EncodedReceipt(
        item_ids=_dump([item.id for item in receipt.items]), body=zlib.compress(_dump(body).encode(), 9)
    )


def decode_receipt(user: str, column: Mapping[str, Any]) -> Receipt:
    """Return a receipt without the texts of its items."""
    body = json.loads(zlib.decompress(column["body"]))
    rows = zip(json.loads(column["item_ids"]), body["items"], strict=True)
    reasons = [Reason.from_json(value) for value in body["reasons"]]
    return Receipt(
        id=column["id"],
        user=user,
        chat=column["chat"],
        query=column["query"],
        created_at=from_ms(column["created_at"]),
        preset=body["preset"],
        ranker=body["ranker"],
        hybrid=body["hybrid"],
        chunking=body["chunking"],
        budget=column["budget"],
        tokens=column["tokens"],
        items=tuple(_decode_item(item_id, row, reasons, body["parts"]) for item_id, row in rows),
        degradations=tuple(Reason.from_json(value) for value in body["degraded"]),
        skipped_sources=tuple(Reason.from_json(value) for value in body["skipped"]),
        pending_embeddings=body["pending_embeddings"],
        sources=body["sources"],
        timings=body["timings"],
    )


def show_passage(item: ReceiptItem, passages: PassageTexts) -> ReceiptItem:
    """Return the item with the text of its passage, shortened if it was left out, or marked as erased."""
    passage = passages.get((item.source, item.id, item.version))
    if passage is None:
        return replace(item, is_erased=True)
    text = passage.text
    if item.disposition is Disposition.LEFT_OUT and len(text) > MAX_LEFT_OUT_CHARS:
        text = text[: MAX_LEFT_OUT_CHARS - 1] + "…"
    return replace(
        item,
        text=text,
        created_at=from_ms(passage.created_at),
        chat=passage.chat,
        role=Role(passage.role) if passage.role else None,
    )


def item_keys(receipts: Iterable[Receipt]) -> set[tuple[Source, str, int | None]]:
    return {(item.source, item.id, item.version) for receipt in receipts for item in receipt.items}


def _decode_item(
    item_id: str, row: Sequence[Any], reasons: Sequence[Reason], names: Sequence[str]
) -> ReceiptItem:
    source, version, disposition, score, cosine, tokens, kind, reason, parts = row
    return ReceiptItem(
        source=SOURCES[source],
        id=item_id,
        version=version,
        disposition=DISPOSITIONS[disposition],
        score=score / SCORE_UNIT,
        cosine=None if cosine is None else cosine / SCORE_UNIT,
        tokens=tokens,
        kind=None if kind is None else KINDS[kind],
        reason=None if reason is None else reasons[reason],
        parts={names[name]: part / SCORE_UNIT for name, part in zip(parts[::2], parts[1::2], strict=True)},
    )


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
