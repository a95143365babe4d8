"""Hash chain of the audit log: each entry's hash covers its fields and the previous hash of the same user."""

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

#: Precedes the first entry of a user.
GENESIS_HASH = "0" * 64


class AuditRow(NamedTuple):
    at_ms: int
    action: str
    detail: str
    hash: str


def hash_entry(previous_hash: str, at_ms: int, action: str, detail: str) -> str:
    return hashlib.sha256(json.dumps([previous_hash, at_ms, action, detail]).encode()).hexdigest()


def is_intact(rows: Iterable[AuditRow]) -> bool:
    """Return whether every row, oldest first, has the hash that its predecessors imply."""
    previous_hash = GENESIS_HASH
    for row in rows:
        previous_hash = hash_entry(previous_hash, row.at_ms, row.action, row.detail)
        if previous_hash != row.hash:
            return False
    return True
