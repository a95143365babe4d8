"""
A regression baseline of recall: ids, scores and rendered prompts of 500 queries under each of the six presets.

`record` writes one JSON line per preset and query; `compare` runs the same queries again and lists every difference.
The store is built from the sets in this folder with a fixed clock, counted ids and cached embeddings, so two runs of
the same code give the same bytes. Run it before and after a change that must not alter recall.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from evals.embeddings import CachedEmbedder, default_cache_folder
from evals.extraction.__main__ import OWN_LINES_FILE
from evals.progress import progress
from evals.sets import DISTRACTORS_FILE, IDENTIFIERS_FILE, PARAPHRASE_FILE, read_rows
from recollect import Memory
from recollect.bootstrap import make_embedder
from recollect.domain.policy import PRESETS
from recollect.domain.receipt import Receipt
from recollect.settings import load_settings
from recollect.testing.clock import CountingIds, FrozenClock

Row: TypeAlias = dict[str, Any]

QUERY_COUNT = 500
MESSAGES_PER_CHAT = 20
#: Queries alternate between one of these chats and no chat.
CHAT_COUNT = 30
BASELINE_SETTINGS: Mapping[str, object] = {"worker": False, "recall.enabled": True}


def read_statements() -> list[str]:
    """Return the user messages of the store: facts, small talk, code and remarks in both languages."""
    facts = [row["memory"][language] for row in read_rows(PARAPHRASE_FILE) for language in ("en", "pt")]
    lines = [row["text"] for row in read_rows(OWN_LINES_FILE)][:300]
    code = [row["message"] for row in read_rows(IDENTIFIERS_FILE)][:120]
    remarks = [row["text"] for row in read_rows(DISTRACTORS_FILE)][:200]
    texts = [*facts, *lines, *code, *remarks]
    return sorted(texts, key=lambda text: (texts.index(text) * 7919) % 10_007)


def read_queries() -> list[str]:
    texts = [row["question"][language] for row in read_rows(PARAPHRASE_FILE) for language in ("en", "pt")]
    texts += [question for row in read_rows(IDENTIFIERS_FILE) for question in row["questions"]]
    texts += [row["text"] for row in read_rows(OWN_LINES_FILE)]
    return list(dict.fromkeys(texts))[:QUERY_COUNT]


def measure(embedder: CachedEmbedder) -> Iterator[Row]:
    for preset in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            yield from _measure_preset(preset, embedder, Path(folder) / "memory.db")


def _measure_preset(preset: str, embedder: CachedEmbedder, db: Path) -> Iterator[Row]:
    clock = FrozenClock()
    settings = {**BASELINE_SETTINGS, "preset": preset}
    with Memory(
        db, user_id="ana", embedder=embedder, clock=clock, ids=CountingIds(), settings=settings
    ) as memory:
        _ingest(memory, clock)
        for number, query in enumerate(progress(read_queries(), preset)):
            chat = f"chat {number % CHAT_COUNT}" if number % 2 else None
            block = memory.context(query, chat_id=chat)
            yield {
                "preset": preset,
                "query": query,
                "prompt": block.text,
                "items": _rank_items(block.receipt),
            }


def _rank_items(receipt: Receipt) -> list[list[str | float]]:
    """Return the ids and scores of the items, best first, whatever their order in the receipt."""
    rows: list[list[str | float]] = [[item.id, round(item.score, 4)] for item in receipt.items]
    return sorted(rows, key=lambda row: (-float(row[1]), str(row[0])))


def _ingest(memory: Memory, clock: FrozenClock) -> None:
    texts = read_statements()
    for start in range(0, len(texts), MESSAGES_PER_CHAT):
        batch: list[Mapping[str, object]] = []
        for text in texts[start : start + MESSAGES_PER_CHAT]:
            batch += [{"role": "user", "content": text}, {"role": "assistant", "content": "Thanks, noted."}]
        memory.add(batch, chat_id=f"chat {start // MESSAGES_PER_CHAT}")
        clock.advance(timedelta(days=1, minutes=7))
    memory.flush(seconds=3600)


def find_differences(before: list[Row], after: list[Row]) -> Iterator[str]:
    recorded = {(row["preset"], row["query"]): row for row in before}
    for row in after:
        before_row = recorded.pop((row["preset"], row["query"]), None)
        changed_keys = (
            ["missing"] if before_row is None else [key for key in row if row[key] != before_row.get(key)]
        )
        if changed_keys:
            yield f"{row['preset']}: {row['query'][:80]!r}: {', '.join(changed_keys)}"
    yield from (f"{preset}: {query[:80]!r}: no longer measured" for preset, query in recorded)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.baseline", description=__doc__)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("file", type=Path, help="JSON lines, one per preset and query")
    parser.add_argument(
        "--cache", type=Path, default=default_cache_folder(), help="the folder of cached embeddings"
    )
    options = parser.parse_args()
    embedder = make_embedder(load_settings(arguments={"embedder": "onnx"}).resolve().machine)
    assert embedder is not None
    with CachedEmbedder(embedder, options.cache) as cached:
        rows = list(measure(cached))
    if options.command == "record":
        options.file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        print(f"recorded {len(rows)} contexts in {options.file}")
        return
    before = [json.loads(line) for line in options.file.read_text("utf-8").splitlines()]
    lines = list(find_differences(before, rows))
    print("\n".join(lines[:40]))
    print(f"{len(rows) - len(lines)} of {len(rows)} contexts are equal")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
