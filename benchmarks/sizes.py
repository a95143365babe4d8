"""Size on disk and in memory."""

import os
from pathlib import Path

from benchmarks.figures import Figure
from recollect import Memory
from recollect.domain.scope import Scope
from recollect.testing.inspection import store_of

BYTES_PER_MB = 1e6
DATABASE_PARTS = ("messages", "fts", "embeddings", "receipts", "other")
STATM_PATH = Path("/proc/self/statm")


def measure_disk(memory: Memory) -> list[Figure]:
    store = store_of(memory.application)
    stats = [store.maintenance.stats(Scope(user)) for user in store.users()]
    messages, sizes = sum(each.messages for each in stats), stats[0].sizes
    bytes_without_receipts = sizes["total"] - sizes["receipts"]
    return [
        *(
            Figure(name=f"file, {part}", value=sizes[part] / BYTES_PER_MB, unit="MB")
            for part in DATABASE_PARTS
        ),
        Figure(
            name="file without receipts, per 100,000 messages",
            value=bytes_without_receipts / BYTES_PER_MB * 1e5 / messages,
            unit="MB",
            most=300,
        ),
        Figure(name="full text / messages", value=sizes["fts"] / sizes["messages"], unit="share", most=0.4),
    ]


def measure_memory(name: str) -> list[Figure]:
    """Return the resident memory of this process; Linux only."""
    if not STATM_PATH.exists():
        return []
    pages = int(STATM_PATH.read_text(encoding="ascii").split()[1])
    return [Figure(name=name, value=pages * os.sysconf("SC_PAGE_SIZE") / BYTES_PER_MB, unit="MB")]
