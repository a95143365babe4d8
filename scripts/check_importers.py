"""
Read import files in place and print what they contain: scripts/check_importers.py [--malformed N] PATH...

For each file it prints the format, the conversations, messages, branches, memories and context files in it, what was
left out by reason, and the seconds. Nothing is stored.

With --malformed, N damaged variants of each file are imported into a store in memory: each must be refused with a
reason, or imported as its report says, and undone without a rest.
"""

import argparse
import io
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.adapters.system.import_files import ImportFile, find_import_files
from recollect.errors import InvalidInput
from recollect.interchange.formats import UnknownFormat, open_file
from recollect.interchange.items import ImportedContextFile, ImportedConversation, ImportedMemory, ImportItem
from recollect.testing.import_sources import damage_file
from recollect.testing.in_memory.store import InMemoryStore


def count_item(counts: Counter[str], item: ImportItem) -> None:
    match item:
        case ImportedConversation(branch_of=None, messages=messages):
            counts["conversations"] += 1
            counts["messages"] += len(messages)
        case ImportedConversation(messages=messages):
            counts["branches"] += 1
            counts["messages in branches"] += len(messages)
        case ImportedMemory():
            counts["memories"] += 1
        case ImportedContextFile():
            counts["context files"] += 1
        case omission:
            counts[f"[{omission.reason}]"] += 1


def check_file(file: ImportFile) -> Counter[str]:
    started_at, counts = time.perf_counter(), Counter[str]()
    recognized = open_file(file)
    if isinstance(recognized, UnknownFormat):
        print(f"{file.name}: not recognized, {recognized.reason}")
        return Counter({"not recognized": 1})
    for item in recognized.items:
        count_item(counts, item)
    print(
        f"{file.name}: {recognized.format}: {_join(counts) or 'nothing'}; {time.perf_counter() - started_at:.3f} s"
    )
    return counts


def check_malformed(content: bytes, variants: int) -> Counter[str]:
    """Import damaged variants of a file; count what came of them."""
    results = Counter[str]()
    with Memory(store=InMemoryStore(), embedder=HashingEmbedder(), settings={"worker": False}) as memory:
        for seed in range(variants):
            results[_import_variant(memory, damage_file(content, seed))] += 1
            if _count_stored(memory) != (0, 0, 0):
                results["NOT UNDONE"] += 1
    return results


def _import_variant(memory: Memory, variant: bytes) -> str:
    try:
        report = memory.import_from(io.BytesIO(variant))
    except InvalidInput:
        return "refused with a reason"
    counts = report.counts
    is_whole = _count_stored(memory) == (counts.messages, counts.memories, counts.context_files)
    if report.import_id:
        memory.imports.undo(report.import_id)
    if not is_whole:
        return "NOT STORED AS REPORTED"
    return "imported, damage reported" if counts.damaged_parts else "imported"


def _count_stored(memory: Memory) -> tuple[int, int, int]:
    stats = memory.maintenance.stats()
    return (stats.messages, stats.memories, len(memory.profile.context_files()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--malformed", type=int, default=0, metavar="N")
    options = parser.parse_args()
    total = Counter[str]()
    for path in options.paths:
        for file in find_import_files(path):
            if options.malformed and not file.is_database:
                with closing(file.open()) as opened:
                    results = check_malformed(opened.read(), options.malformed)
                print(f"{file.name}: {_join(results)}", flush=True)
                total += results
                continue
            try:
                total += check_file(file)
            except InvalidInput as error:
                print(f"{file.name}: {error}")
                total["unreadable"] += 1
    print("total:", _join(total))
    return 1 if any(name.isupper() for name in total) else 0


def _join(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
