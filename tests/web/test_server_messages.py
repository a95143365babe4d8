"""The web app can say in Portuguese what the server gives as a reason."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import errors

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "src" / "recollect"
#: Where reasons and notes are written that a receipt, a memory or its history shows.
WRITERS = (
    "services/recall.py",
    "services/memories.py",
    "context/block.py",
    "context/budget.py",
    "context/tiers.py",
    "maintenance/decay.py",
    "extraction/grounding.py",
    "consolidation/reconciliation.py",
    "consolidation/consolidator.py",
    "retrieval/search_state.py",
    "retrieval/ranking.py",
    "retrieval/retriever.py",
)
#: What is put into a note, and no note itself.
PARTS = {"recent messages", "earlier summaries"}
HOLE = "\0"


def _said() -> list[str]:
    """The first column of the app's table."""
    table = (ROOT / "web" / "src" / "words" / "server.ts").read_text("utf-8")
    return [json.loads(row) for row in re.findall(r'^  \[("(?:[^"\\]|\\.)*"), ', table, re.MULTILINE)]


def _texts(node: ast.AST) -> Iterator[str]:
    """Texts with a mark for each hole; no docstrings, no types, and nothing inside a hole."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    elif isinstance(node, ast.AnnAssign):
        yield from _texts(node.value) if node.value else ()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield re.sub(r"\{.*?\}", HOLE, node.value)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _reasons(module: str) -> list[str]:
    """Reasons have several words and begin small; sentences that begin with a capital are problems."""
    texts = _texts(ast.parse((SERVER / module).read_text("utf-8")))
    return [text for text in texts if re.match(rf"[a-z{HOLE}].* [\w{HOLE}]", text) and text not in PARTS]


def _known(text: str, said: list[str]) -> bool:
    """As a whole, or as a beginning that is known with a known reason behind it."""
    begun = (row.removesuffix("{why}") for row in said if row.endswith(": {why}"))
    whole = re.compile(".+".join(map(re.escape, text.split(HOLE))))
    return any(map(whole.fullmatch, said)) or any(
        text.startswith(row) and _known(text.removeprefix(row), said) for row in begun
    )


@pytest.mark.parametrize("module", WRITERS)
def test_every_reason_can_be_said_in_portuguese(module: str) -> None:
    reasons, said = _reasons(module), _said()

    assert reasons, f"{module} gives no reasons any more: take it off the list."
    lacking = [text.replace(HOLE, "{}") for text in reasons if not _known(text, said)]
    assert not lacking, "Add these to web/src/words/server.ts."


def test_every_error_can_be_said_in_portuguese() -> None:
    ours = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.RecollectError)
    ]
    sentences = {sentence for each in ours for sentence in re.findall(r"\S.*?\.(?=\s|$)", each.__doc__ or "")}

    assert sentences
    assert sentences <= set(_said()), "Add these to web/src/words/server.ts."
