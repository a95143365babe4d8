"""
`python -m benchmarks.chat_import`: import a synthetic ChatGPT export, from the start to the first useful recall and on.

Messages of the user have at most 250 characters, answers about 1 KB. While the file is imported, the main thread asks
for a fact of the first conversation until it is found by its words. Facts are not extracted, and the time for embedding
follows from `benchmarks.bulk_embedding`.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.corpus import CORPUS_START, Batch, Corpus
from benchmarks.figures import Figure, format_table
from benchmarks.fill import print_progress
from recollect import Memory

USER_CHARACTERS = 250
POLL_SECONDS = 0.02


def write_export(path: Path, corpus: Corpus) -> None:
    """Write the messages in the form of ChatGPT's `conversations.json`; each batch is a conversation."""
    with path.open("w", encoding="utf-8") as file:
        for position, batch in enumerate(corpus.batches()):
            file.write("[" if position == 0 else ",\n")
            json.dump(_conversation(position, batch), file)
        file.write("]")


def measure_import(size: int) -> list[Figure]:
    corpus = Corpus(size=size)
    fact = corpus.facts[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conversations.json"
        write_export(path, corpus)
        print_progress(f"export of {path.stat().st_size / 1e6:,.0f} MB written")
        with Memory(
            Path(folder) / "memory.db", settings={"worker": False, "extraction.mode": "off"}
        ) as memory:
            memory.search("load the model")
            started = time.perf_counter()
            thread = threading.Thread(target=memory.import_from, args=(path,))
            thread.start()
            while not any(fact.answer in hit.text for hit in memory.search(fact.query, limit=5)):
                time.sleep(POLL_SECONDS)
            recalled = time.perf_counter() - started
            print_progress(f"first recall after {recalled:.1f} s")
            thread.join()
            stored = time.perf_counter() - started
    return [
        Figure(name="start to the first useful recall", value=recalled, unit="s"),
        Figure(name="start to the last message found by its words", value=stored, unit="s"),
        Figure(name="messages stored per second", value=size / stored, unit="/s"),
    ]


def _conversation(position: int, batch: Batch) -> dict[str, object]:
    """Return a conversation as one path without branches."""
    started = CORPUS_START.timestamp() + position * 3600
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for number, message in enumerate(batch.messages):
        role, text = str(message["role"]), str(message["content"])
        mapping[str(number)] = {
            "id": str(number),
            "parent": str(number - 1) if number else "root",
            "children": [str(number + 1)] if number + 1 < len(batch.messages) else [],
            "message": {
                "id": f"{position}-{number}",
                "author": {"role": role},
                "create_time": started + number,
                "content": {
                    "content_type": "text",
                    "parts": [text[:USER_CHARACTERS] if role == "user" else text],
                },
                "recipient": "all",
                "metadata": {},
            },
        }
    return {
        "conversation_id": f"conversation-{position}",
        "title": f"Conversation {position}",
        "create_time": started,
        "update_time": started + len(batch.messages),
        "current_node": str(len(batch.messages) - 1),
        "mapping": mapping,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=50_000)
    options = parser.parse_args()
    figures = measure_import(options.messages)
    print(format_table({f"{options.messages:,} messages": figures}))


if __name__ == "__main__":
    main()
