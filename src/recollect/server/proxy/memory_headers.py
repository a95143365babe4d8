"""Tells a client what memory did: in headers always, in the body if it asks."""

import json

from recollect.server.proxy.identity import Use
from recollect.server.proxy.turn import Found


def headers(use: Use, found: Found | None) -> list[tuple[bytes, bytes]]:
    """`X-Memory-Mode` is what memory may do here; the others are what it did."""
    told = {"mode": use.name}
    if found is not None and use.reads:
        told |= {key: str(value) for key, value in account(found).items() if value is not None}
    elif found is not None and found.skipped:
        told["skipped"] = found.skipped
    return [(f"x-memory-{name}".encode(), value.encode("latin-1", "replace")) for name, value in told.items()]


def account(found: Found) -> dict[str, str | int | None]:
    receipt, used = found.receipt, found.new is not None and bool(found.new.text)
    return {
        "receipt": receipt.id if receipt else None,
        "used": len(found.new.shown) if found.new and used else 0,
        "tokens": receipt.tokens if receipt and used else 0,
        "replayed": sum(bool(each.text) for each in found.again.values()),
        "skipped": found.skipped,
    }


def with_account(body: bytes, use: Use, found: Found | None) -> bytes:
    """An answer with one more member at its end; no other byte of it changes. What is no object stays what it is."""
    if use.name == "off" or not _is_object(body):
        return body
    told = {"mode": use.name, **(account(found) if found else {})}
    end = body.rindex(b"}")
    empty = body[:end].rstrip().endswith(b"{")
    return b"".join((body[:end], b"" if empty else b",", b'"memory":', json.dumps(told).encode(), body[end:]))


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False
