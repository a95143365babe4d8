"""
Read import files in place and print what they contain: scripts/check_importers.py PATH...

For each file it prints the format, the conversations, messages, branches, memories and context files in it, what was
left out by reason, and the seconds. Nothing is stored.
"""

import sys
import time
from collections import Counter
from pathlib import Path

from recollect.adapters.system.import_files import ImportFile, find_import_files
from recollect.errors import InvalidInput
from recollect.interchange.formats import UnknownFormat, open_file
from recollect.interchange.items import ImportedContextFile, ImportedConversation, ImportedMemory, ImportItem


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
    parts = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(f"{file.name}: {recognized.format}: {parts or 'nothing'}; {time.perf_counter() - started_at:.3f} s")
    return counts


def main() -> None:
    total = Counter[str]()
    for path in sys.argv[1:]:
        for file in find_import_files(Path(path)):
            try:
                total += check_file(file)
            except InvalidInput as error:
                print(f"{file.name}: {error}")
                total["unreadable"] += 1
    print("total:", ", ".join(f"{count} {name}" for name, count in total.items()))


if __name__ == "__main__":
    main()
