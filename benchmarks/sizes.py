"""How much room it takes, on disk and in memory."""

import os
from pathlib import Path

from benchmarks.figures import Figure
from recollect import Memory
from recollect.domain.scope import Scope

MB = 1e6
PARTS = ("messages", "fts", "embeddings", "receipts", "other")
STATM = Path("/proc/self/statm")


def on_disk(memory: Memory) -> list[Figure]:
    store = memory.runtime.store
    stats = [store.upkeep.stats(Scope(user)) for user in store.users()]
    messages, sizes = sum(each.messages for each in stats), stats[0].sizes
    kept = sizes["total"] - sizes["receipts"]
    return [
        *(Figure(name=f"file, {part}", value=sizes[part] / MB, unit="MB") for part in PARTS),
        Figure(
            name="file without receipts, per 100,000 messages",
            value=kept / MB * 1e5 / messages,
            unit="MB",
            most=300,
        ),
        Figure(name="full text / messages", value=sizes["fts"] / sizes["messages"], unit="share", most=0.4),
    ]


def in_memory(name: str) -> list[Figure]:
    """What the process holds now; told by Linux only."""
    if not STATM.exists():
        return []
    pages = int(STATM.read_text(encoding="ascii").split()[1])
    return [Figure(name=name, value=pages * os.sysconf("SC_PAGE_SIZE") / MB, unit="MB")]
