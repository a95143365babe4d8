"""Reports the recall to the client: in `X-Memory` headers, and in the body on request."""

import json

from recollect.server.proxy.identity import MemoryAccess
from recollect.server.proxy.turn import TurnMemory


def build_headers(access: MemoryAccess, turn_memory: TurnMemory | None) -> list[tuple[bytes, bytes]]:
    """Return the headers. `X-Memory-Mode` is the allowed access; the others describe the recall."""
    values = {"mode": access.mode}
    if turn_memory is not None and access.can_read:
        values |= {
            key: str(value) for key, value in summarize_recall(turn_memory).items() if value is not None
        }
    elif turn_memory is not None and turn_memory.skip_reason:
        values["skipped"] = turn_memory.skip_reason
    return [
        (f"x-memory-{name}".encode(), value.encode("latin-1", "replace")) for name, value in values.items()
    ]


def summarize_recall(turn_memory: TurnMemory) -> dict[str, str | int | None]:
    receipt, is_injected = (
        turn_memory.receipt,
        turn_memory.new_block is not None and bool(turn_memory.new_block.text),
    )
    return {
        "receipt": receipt.id if receipt else None,
        "used": len(turn_memory.new_block.shown_keys) if turn_memory.new_block and is_injected else 0,
        "tokens": receipt.tokens if receipt and is_injected else 0,
        "replayed": sum(bool(each.text) for each in turn_memory.earlier_blocks.values()),
        "skipped": turn_memory.skip_reason,
    }


def append_recall_summary(body: bytes, access: MemoryAccess, turn_memory: TurnMemory | None) -> bytes:
    """Append a `memory` member to a JSON object without changing other bytes; other bodies stay as they are."""
    if access.mode == "off" or not _is_object(body):
        return body
    summary = {"mode": access.mode, **(summarize_recall(turn_memory) if turn_memory else {})}
    end = body.rindex(b"}")
    is_empty = body[:end].rstrip().endswith(b"{")
    return b"".join(
        (body[:end], b"" if is_empty else b",", b'"memory":', json.dumps(summary).encode(), body[end:])
    )


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False
