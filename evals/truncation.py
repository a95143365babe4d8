"""Long messages: share of the relevant paragraphs that reach the prompt, with and without chunking."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, open_harness
from evals.measures import Figures
from evals.progress import progress
from evals.sets import read_rows

#: Paragraphs per long message, and how many of them are queried.
PARAGRAPHS_PER_MESSAGE, QUERIED_PARAGRAPHS = 80, 3


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    unchunked = _measure_missing(data, embedder, {**settings, "chunking.enabled": False})
    chunked = _measure_missing(data, embedder, settings)
    return {
        "missing_without_chunking": unchunked["missing"],
        "missing_with_chunking": chunked["missing"],
        "change": round(100 * (chunked["missing"] / unchunked["missing"] - 1), 1)
        if unchunked["missing"]
        else 0.0,
        "n": int(unchunked["n"]),
    }


def build_long_messages(data: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    """Build messages that mix queried paragraphs with others."""
    records = list(read_rows(data))
    queried_records = [row for row in records if row["questions"]]
    filler_texts = [row["message"] for row in records if not row["questions"] and "beside" not in row]
    messages = []
    for place, start in enumerate(range(0, len(queried_records), QUERIED_PARAGRAPHS)):
        message_records = queried_records[start : start + QUERIED_PARAGRAPHS]
        paragraphs = [
            filler_texts[(place * PARAGRAPHS_PER_MESSAGE + n) % len(filler_texts)]
            for n in range(PARAGRAPHS_PER_MESSAGE - len(message_records))
        ]
        step = len(paragraphs) // (len(message_records) + 1)
        for n, row in enumerate(message_records, start=1):
            paragraphs.insert(n * step + n - 1, row["message"])
        messages.append(("\n\n".join(paragraphs), message_records))
    return messages


def _measure_missing(
    data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]
) -> dict[str, float]:
    messages = build_long_messages(data)
    with open_harness(embedder, settings) as harness:
        for place, (text, _) in enumerate(messages):
            harness.add_turns(f"chat {place}", [Turn(text=text)])
        harness.flush()
        questions = [(row, question) for _, some in messages for row in some for question in row["questions"]]
        missing = 0
        for row, question in progress(questions, "prompts"):
            block = _strip_formatting(harness.memory.context(question).text)
            missing += not all(_strip_formatting(line) in block for line in row["message"].splitlines())
    return {"missing": round(100 * missing / len(questions), 2), "n": len(questions)}


def _strip_formatting(text: str) -> str:
    """Remove what a prompt renderer may change: line breaks, quotes and escapes."""
    return "".join(c for c in text if c.isalnum())
