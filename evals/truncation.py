"""Long messages: how many of the passages that are needed reach the prompt, whole messages against chunks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Turn, bench
from evals.measures import Figures
from evals.progress import progress
from evals.sets import rows

#: Paragraphs of a long message, and how many of them are asked for.
PARAGRAPHS, ASKED_FOR = 80, 3


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    whole = _missing(data, embedder, {**settings, "chunking.enabled": False})
    chunked = _missing(data, embedder, settings)
    return {
        "missing_without_chunking": whole["missing"],
        "missing_with_chunking": chunked["missing"],
        "change": round(100 * (chunked["missing"] / whole["missing"] - 1), 1) if whole["missing"] else 0.0,
        "n": int(whole["n"]),
    }


def long_messages(data: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    """Paragraphs that are asked for among others that are not, in one message each."""
    listed = list(rows(data))
    wanted = [row for row in listed if row["questions"]]
    others = [row["message"] for row in listed if not row["questions"] and "beside" not in row]
    messages = []
    for place, start in enumerate(range(0, len(wanted), ASKED_FOR)):
        some = wanted[start : start + ASKED_FOR]
        filling = [others[(place * PARAGRAPHS + n) % len(others)] for n in range(PARAGRAPHS - len(some))]
        step = len(filling) // (len(some) + 1)
        for n, row in enumerate(some, start=1):
            filling.insert(n * step + n - 1, row["message"])
        messages.append(("\n\n".join(filling), some))
    return messages


def _missing(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> dict[str, float]:
    messages = long_messages(data)
    with bench(embedder, settings) as told:
        for place, (text, _) in enumerate(messages):
            told.tell(f"chat {place}", [Turn(text=text)])
        told.settle()
        asked = [(row, question) for _, some in messages for row in some for question in row["questions"]]
        missing = 0
        for row, question in progress(asked, "prompts"):
            block = _plain(str(told.memory.context(question)["text"]))
            missing += not all(_plain(line) in block for line in row["message"].splitlines())
    return {"missing": round(100 * missing / len(asked), 2), "n": len(asked)}


def _plain(text: str) -> str:
    """Without what a prompt may do to a text: line breaks, quotes and escapes."""
    return "".join(c for c in text if c.isalnum())
