"""The web app translates the server's reasons and errors."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import errors

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "src" / "recollect"
#: Modules that produce reasons and notes shown in the web app.
REASON_MODULES = (
    "consolidation/consolidator.py",
    "consolidation/reconciliation.py",
    "context/block.py",
    "context/budget.py",
    "context/tiers.py",
    "extraction/grounding.py",
    "maintenance/decay.py",
    "retrieval/reasons.py",
    "services/memories.py",
    "services/recall.py",
)
#: Fragments of notes that are not notes themselves.
FRAGMENTS = {"recent messages", "earlier summaries"}
PLACEHOLDER = "\0"


def _translated_texts() -> list[str]:
    """First column of the translation table."""
    table = (ROOT / "web" / "src" / "i18n" / "server-messages.ts").read_text("utf-8")
    return [json.loads(row) for row in re.findall(r'^  \[\s*("(?:[^"\\]|\\.)*"),', table, re.MULTILINE)]


def _string_literals(node: ast.AST) -> Iterator[str]:
    """String literals with a marker for each placeholder; without docstrings and annotations."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values
        )
    elif isinstance(node, ast.AnnAssign):
        yield from _string_literals(node.value) if node.value else ()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield re.sub(r"\{.*?\}", PLACEHOLDER, node.value)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from _string_literals(child)


def _reasons(module: str) -> list[str]:
    """Reasons have several words and start in lower case; capitalized sentences are problems."""
    texts = _string_literals(ast.parse((SERVER / module).read_text("utf-8")))
    return [
        text
        for text in texts
        if re.match(rf"[a-z{PLACEHOLDER}].* [\w{PLACEHOLDER}]", text) and text not in FRAGMENTS
    ]


def _is_translated(text: str, translated: list[str]) -> bool:
    """Whether a text is translated as a pattern, or as a known prefix with a known reason."""
    prefixes = (row.removesuffix("{why}") for row in translated if row.endswith(": {why}"))
    pattern = re.compile(".+".join(map(re.escape, text.split(PLACEHOLDER))))
    return any(map(pattern.fullmatch, translated)) or any(
        text.startswith(row) and _is_translated(text.removeprefix(row), translated) for row in prefixes
    )


@pytest.mark.parametrize("module", REASON_MODULES)
def test_every_reason_is_translated(module: str) -> None:
    reasons, translated = _reasons(module), _translated_texts()

    assert reasons, f"{module} has no reasons any more: remove it from the list."
    missing = [text.replace(PLACEHOLDER, "{}") for text in reasons if not _is_translated(text, translated)]
    assert not missing, "Add these to web/src/i18n/server-messages.ts."


def test_every_error_is_translated() -> None:
    error_types = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.RecollectError)
    ]
    # A sentence may continue on the next line of its docstring.
    docs = [" ".join((each.__doc__ or "").split()) for each in error_types]
    sentences = {sentence for doc in docs for sentence in re.findall(r"\S.*?\.(?=\s|$)", doc)}

    assert sentences
    assert sentences <= set(_translated_texts()), "Add these to web/src/i18n/server-messages.ts."
