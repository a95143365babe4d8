"""How much room it takes, on disk and in memory."""

import os
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.filling import USER
from recollect import Memory
from recollect.model.scope import Scope

MB = 1e6
PARTS = ("messages", "fts", "embeddings", "receipts", "other")
STATM = Path("/proc/self/statm")


def on_disk(memory: Memory, size: int) -> list[Figure]:
    sizes = memory.runtime.store.upkeep.stats(Scope(USER)).sizes
    kept = sizes["total"] - sizes["receipts"]
    return [
        *(Figure(name=f"file, {part}", value=sizes[part] / MB, unit="MB") for part in PARTS),
        Figure(
            name="file without receipts, per 100,000 messages",
            value=kept / MB * 1e5 / size,
            unit="MB",
            most=300,
        ),
        Figure(name="full text / messages", value=sizes["fts"] / sizes["messages"], unit="share", most=0.4),
    ]


def in_memory() -> list[Figure]:
    """What the process holds now, model included; told by Linux only."""
    if not STATM.exists():
        return []
    pages = int(STATM.read_text(encoding="ascii").split()[1])
    return [
        Figure(name="resident memory, model loaded", value=pages * os.sysconf("SC_PAGE_SIZE") / MB, unit="MB")
    ]
