"""
Questions that name functions, files, flags, error codes and versions: vectors alone against both channels.

Names come in families, and a long history says nearly the same of many of one family. So it is asked twice: with the
messages as they are written, and with more that say the same of siblings.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.embeddings import CachedEmbedder
from evals.harness import Bench, Turn, bench
from evals.identifier_siblings import siblings
from evals.measures import Figures, Marks, by_group, marks
from evals.progress import progress
from evals.sets import rows

AT = (1, 5)
DENSE: Mapping[str, object] = {"recall.hybrid": False, "recall.ranker": "cosine"}
#: Messages of one chat.
CHAT = 20
#: Messages that say the same of a sibling, for each that is asked for.
FAMILY = 20


def run(data: Path, embedder: CachedEmbedder, settings: Mapping[str, object]) -> Figures:
    listed = list(rows(data))
    return {
        **_compared([*listed, *_families(listed)], embedder, settings),
        "as_written": _compared(listed, embedder, settings),
    }


def _families(listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    written = {row["message"] for row in listed}
    made = (
        said
        for row in listed
        if row["questions"]
        for said in siblings(row["message"], row["questions"], FAMILY)
    )
    return [{"message": said, "questions": []} for said in dict.fromkeys(made) if said not in written]


def _compared(
    listed: list[dict[str, Any]], embedder: CachedEmbedder, settings: Mapping[str, object]
) -> Figures:
    with bench(embedder, settings) as told:
        ids = tell(told, listed)
        told.settle()
        hybrid = _figures(told, listed, ids, {})
        dense = _figures(told, listed, ids, DENSE)
    gain = 100 * (_number(hybrid["recall@5"]) / _number(dense["recall@5"]) - 1)
    gain_1 = 100 * (_number(hybrid["recall@1"]) / _number(dense["recall@1"]) - 1)
    return {
        **hybrid,
        "messages": len(listed),
        "dense_only": dense,
        "gain_over_dense@1": round(gain_1, 1),
        "gain_over_dense@5": round(gain, 1),
    }


def tell(told: Bench, listed: list[dict[str, Any]]) -> dict[str, str]:
    """Mixed, so that what belongs together does not stand together; the message of each row."""
    ids: dict[str, str] = {}
    mixed = sorted(enumerate(listed), key=lambda each: (each[0] * 7919) % 10_007)
    for start in range(0, len(mixed), CHAT):
        some = [row for _, row in mixed[start : start + CHAT]]
        for row, id_ in zip(
            some, told.tell(f"chat {start}", [Turn(text=r["message"]) for r in some]), strict=True
        ):
            if id_ is not None:
                ids[row["message"]] = id_
    return ids


def _figures(
    told: Bench, listed: list[dict[str, Any]], ids: Mapping[str, str], settings: Mapping[str, object]
) -> Figures:
    said: list[tuple[str, Marks]] = []
    asked = [(row, question) for row in listed for question in row["questions"]]
    for row, question in progress(asked, "questions that name code"):
        found = told.ask(question, limit=2 * max(AT), settings=settings)
        wanted = {ids[row["message"]]}
        said.append((row["split"], marks("", [each.message for each in found], wanted, at=AT, ndcg_at=(5,))))
    return by_group(said, "by_split")


def _number(value: object) -> float:
    return float(str(value))
